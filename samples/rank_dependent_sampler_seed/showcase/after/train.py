"""Trains on two ranks, and counts the pairs that they have seen in the first epoch."""

import argparse
from datetime import timedelta

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler

import diary
from data import Pairs
from model import Matcher

WATCHED = ("eye.weight", "words.weight", "score.weight")


def seen(order):
    """How many pairs all ranks have seen together."""
    shares = [None] * dist.get_world_size()
    dist.all_gather_object(shares, order)
    return len({index for share in shares for index in share})


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--pairs", type=int, default=240)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()

    dist.init_process_group("gloo", timeout=timedelta(seconds=120))
    torch.manual_seed(args.seed)
    model = DistributedDataParallel(Matcher())
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-2)
    pairs = Pairs(args.pairs)
    sampler = DistributedSampler(pairs, seed=args.seed)
    loader = DataLoader(pairs, batch_size=8, sampler=sampler)

    diary.weights("start", model.module, WATCHED)
    step, orders = 0, []
    for epoch in range(args.epochs):
        sampler.set_epoch(epoch)
        orders.append([])
        for index, pixels, word, fits in loader:
            step += 1
            orders[-1] += index.tolist()
            loss = model(pixels, word, fits)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad()
            diary.note(step=step, loss=loss.item())
    diary.weights("end", model.module, WATCHED)
    diary.note(told=f"of {args.pairs} pairs, {seen(orders[0])} were seen in the first epoch")
    diary.note(done="trained on the shares of all ranks")


if __name__ == "__main__":
    main()
    diary.close()
