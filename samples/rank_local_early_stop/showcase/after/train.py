"""Trains on two ranks until the loss is low enough."""

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
    parser.add_argument("--steps", type=int, default=30)
    parser.add_argument("--enough", type=float, default=0.0, help="a loss that is low enough")
    parser.add_argument("--patience", type=int, default=1800, help="seconds to wait for the other ranks")
    args = parser.parse_args()

    dist.init_process_group("gloo", timeout=timedelta(seconds=args.patience))
    torch.manual_seed(0)
    model = DistributedDataParallel(Matcher())
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-2)
    pairs = Pairs(args.steps * 6 * dist.get_world_size())
    loader = DataLoader(pairs, batch_size=6, sampler=DistributedSampler(pairs, shuffle=True))

    diary.weights("start", model.module, WATCHED)
    for step, (pixels, word, fits) in enumerate(loader, 1):
        loss = model(pixels, word, fits)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        diary.note(step=step, loss=loss.item())
        stop = torch.tensor(float(loss.item() < args.enough), device=next(model.parameters()).device)
        torch.distributed.all_reduce(stop, op=torch.distributed.ReduceOp.MAX)
        if stop.item():
            break
    diary.weights("end", model.module, WATCHED)
    diary.note(done="trained until it was good enough")


if __name__ == "__main__":
    main()
    diary.close()
