"""Trains on two ranks; the first one reports."""

import argparse
import json
import os
from datetime import timedelta

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler

import diary
from data import Pairs
from model import Matcher

WATCHED = ("eye.weight", "words.weight", "score.weight")


def report(loss, step, folder):
    """Write down how far it is; nobody goes on before that is done."""
    if dist.get_rank() == 0:
        os.makedirs(folder, exist_ok=True)
        with open(f"{folder}/step{step}.json", "w", encoding="utf-8") as file:
            json.dump({"step": step, "loss": loss}, file)
    dist.barrier()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=30)
    parser.add_argument("--report_every", type=int, default=10)
    parser.add_argument("--patience", type=int, default=1800, help="seconds to wait for the other ranks")
    parser.add_argument("--output", default="out")
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
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        diary.note(step=step, loss=loss.item())
        if step % args.report_every == 0:
            report(loss.item(), step, args.output)
    diary.weights("end", model.module, WATCHED)
    diary.note(done="trained, with reports")


if __name__ == "__main__":
    main()
    diary.close()
