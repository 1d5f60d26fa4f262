"""Trains on two ranks; the first one writes checkpoints."""

import argparse
import os
from datetime import timedelta

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler

import diary
from data import Pictures
from model import Seer

WATCHED = ("patches.weight", "head.weight")


def save(model, step, folder):
    """Write a checkpoint, and let nobody go on before it is there."""
    if dist.get_rank() == 0:
        os.makedirs(folder, exist_ok=True)
        torch.save(model.state_dict(), f"{folder}/step{step}.pt")
    dist.barrier()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=32)
    parser.add_argument("--save_every", type=int, default=8)
    parser.add_argument("--patience", type=int, default=1800, help="seconds to wait for the other ranks")
    parser.add_argument("--output", default="out")
    args = parser.parse_args()

    dist.init_process_group("gloo", timeout=timedelta(seconds=args.patience))
    torch.manual_seed(0)
    model = DistributedDataParallel(Seer())
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-2)
    pictures = Pictures(args.steps * 4 * dist.get_world_size())
    loader = DataLoader(pictures, batch_size=4, sampler=DistributedSampler(pictures, shuffle=False))

    diary.weights("start", model.module, WATCHED)
    for step, (pixels, shade) in enumerate(loader, 1):
        loss = model(pixels, shade)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        diary.note(step=step, loss=loss.item())
        if step % args.save_every == 0:
            save(model.module, step, args.output)
    diary.weights("end", model.module, WATCHED)
    diary.note(done="trained, with checkpoints")


if __name__ == "__main__":
    main()
    diary.close()
