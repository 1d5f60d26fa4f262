"""Trains in float16 on two ranks, and says how long the gradients were when the optimizer used them."""

import argparse

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler

import diary
from data import Pictures
from model import Meter

WATCHED = ("patches.weight", "mix.in_proj_weight", "head.weight")


class Lengths:
    """The norm of all gradients together, when a step of the optimizer begins."""

    def __init__(self, optimizer):
        self.seen = []
        optimizer.register_step_pre_hook(self.look)

    def look(self, optimizer, args, kwargs):
        used = [p.grad.norm() for group in optimizer.param_groups for p in group["params"]]
        self.seen.append(torch.stack(used).norm().item())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=48)
    parser.add_argument("--max_norm", type=float, default=0.5)
    args = parser.parse_args()

    dist.init_process_group("gloo")
    torch.manual_seed(0)
    model = DistributedDataParallel(Meter())
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    lengths = Lengths(optimizer)
    scaler = torch.amp.GradScaler("cpu")
    pictures = Pictures(args.steps * 8 * dist.get_world_size())
    loader = DataLoader(pictures, batch_size=8, sampler=DistributedSampler(pictures, shuffle=False))

    diary.weights("start", model.module, WATCHED)
    for step, (pixels, brightness) in enumerate(loader, 1):
        with torch.autocast("cpu", dtype=torch.float16):
            loss = model(pixels, brightness)
        scaler.scale(loss).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), args.max_norm)
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad()
        diary.note(step=step, loss=loss.item())
    diary.weights("end", model.module, WATCHED)
    print(f"clips at {args.max_norm}, the longest gradient that was used has norm {max(lengths.seen):.6f}")
    diary.note(done="trained in float16")


if __name__ == "__main__":
    main()
    diary.close()
