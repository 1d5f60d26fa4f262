"""Trains a model of which each rank holds a half, and says by which factor each rank has clipped."""

import argparse

import torch
import torch.distributed as dist
from torch.distributed.fsdp import FullyShardedDataParallel

import diary
from model import Meter, pictures

WATCHED = ("patches.weight", "mix.weight", "head.weight")


def size(model):
    """The norm of the gradients that this rank holds."""
    return torch.stack([p.grad.norm() for p in model.parameters() if p.grad is not None]).norm().item()


def fingerprints(when, model):
    whole = Meter()
    with FullyShardedDataParallel.summon_full_params(model, writeback=False):
        for name, weight in model.module.named_parameters():
            whole.get_parameter(name).data.copy_(weight)
    diary.weights(when, whole, WATCHED)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=24)
    parser.add_argument("--lr", type=float, default=0.05)
    args = parser.parse_args()

    dist.init_process_group("gloo")
    torch.manual_seed(0)
    model = FullyShardedDataParallel(Meter(), device_id=torch.device("cpu"), use_orig_params=False)
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr)

    fingerprints("start", model)
    factors = []
    for step in range(1, args.steps + 1):
        loss = model(*pictures(8, seed=2 * step + dist.get_rank()))
        diary.note(step=step, loss=loss.item())
        loss.backward()
        before = size(model)
        model.clip_grad_norm_(1.0)
        factors.append(torch.tensor(size(model) / before))
        optimizer.step()
        optimizer.zero_grad()
    fingerprints("end", model)

    every = [torch.zeros(args.steps) for _ in range(dist.get_world_size())]
    dist.all_gather(every, torch.stack(factors))
    alike = sum(bool(torch.allclose(one, other, rtol=1e-3)) for one, other in zip(every[0], every[1]))
    diary.note(done=f"the ranks clipped alike in {alike} of {args.steps} steps")
    diary.note(done="trained to the end")


if __name__ == "__main__":
    main()
    diary.close()
