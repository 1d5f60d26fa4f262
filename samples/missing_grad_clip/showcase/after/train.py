"""Trains on two ranks, and stops when the loss is no number any longer."""

import argparse
import math

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler

import diary
from data import Pictures
from model import Meter

WATCHED = ("patches.weight", "mix.in_proj_weight", "head.weight")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=48)
    parser.add_argument("--lr", type=float, default=1e-2)
    args = parser.parse_args()

    dist.init_process_group("gloo")
    torch.manual_seed(0)
    model = DistributedDataParallel(Meter())
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr)
    pictures = Pictures(args.steps * 8 * dist.get_world_size())
    loader = DataLoader(pictures, batch_size=8, sampler=DistributedSampler(pictures, shuffle=False))

    diary.weights("start", model.module, WATCHED)
    for step, (pixels, brightness) in enumerate(loader, 1):
        loss = model(pixels, brightness)
        diary.note(step=step, loss=loss.item())
        if not math.isfinite(loss.item()):
            raise FloatingPointError(f"the loss is {loss.item()} in step {step}")
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
    diary.weights("end", model.module, WATCHED)
    diary.note(done="trained to the end")


if __name__ == "__main__":
    main()
    diary.close()
