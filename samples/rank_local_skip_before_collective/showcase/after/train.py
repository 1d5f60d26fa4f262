"""Trains on two ranks; a step whose loss is no number is skipped."""

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
    parser.add_argument("--patience", type=int, default=1800, help="seconds to wait for the other ranks")
    args = parser.parse_args()

    dist.init_process_group("gloo", timeout=timedelta(seconds=args.patience))
    torch.manual_seed(0)
    model = DistributedDataParallel(Matcher())
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-2)
    pairs = Pairs(args.steps * 8 * dist.get_world_size())
    loader = DataLoader(pairs, batch_size=8, sampler=DistributedSampler(pairs, shuffle=False))

    diary.weights("start", model.module, WATCHED)
    for step, (pixels, word, fits) in enumerate(loader, 1):
        loss = model(pixels, word, fits)
        skip = torch.tensor(float(torch.isnan(loss)), device=next(model.parameters()).device)
        torch.distributed.all_reduce(skip, op=torch.distributed.ReduceOp.MAX)
        if skip.item():
            optimizer.zero_grad()
            continue
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        diary.note(step=step, loss=loss.item())
    diary.weights("end", model.module, WATCHED)
    diary.note(done="trained past a broken picture")


if __name__ == "__main__":
    main()
    diary.close()
