"""Trains on two ranks for three epochs, and counts the orders in which it has seen its pairs."""

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
    diary.note(told=f"{args.epochs} epochs in {len(set(map(tuple, orders)))} different orders")
    diary.note(done="trained for all epochs")


if __name__ == "__main__":
    main()
    diary.close()
