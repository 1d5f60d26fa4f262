"""Trains on pictures with questions, and keeps the head for a look at it."""

import argparse
from datetime import timedelta

import deepspeed
import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, DistributedSampler

import diary
from data import Quiz
from model import Quizzed

WATCHED = ("eye.weight", "words.weight", "head.weight")


def main():
    parser = deepspeed.add_config_arguments(argparse.ArgumentParser())
    parser.add_argument("--steps", type=int, default=24)
    parser.add_argument("--save_every", type=int, default=12)
    parser.add_argument("--patience", type=int, default=1800, help="seconds to wait for the other ranks")
    parser.add_argument("--local_rank", type=int, default=0)
    args = parser.parse_args()

    deepspeed.init_distributed(dist_backend="gloo", timeout=timedelta(seconds=args.patience))
    torch.manual_seed(0)
    model = Quizzed()
    engine, _, _, _ = deepspeed.initialize(args=args, model=model, model_parameters=model.parameters())
    size = engine.train_micro_batch_size_per_gpu()
    quiz = Quiz(args.steps * size * dist.get_world_size())
    loader = DataLoader(quiz, batch_size=size, sampler=DistributedSampler(quiz, shuffle=False))

    diary.weights("start", engine.module, WATCHED)
    for step, batch in enumerate(loader, 1):
        loss = engine(**batch)
        engine.backward(loss)
        engine.step()
        diary.note(step=step, loss=loss.item())
        if step % args.save_every == 0:
            if dist.get_rank() == 0:
                # the answers are small enough to look at as a whole
                with deepspeed.zero.GatheredParameters([engine.module.head.weight]):
                    torch.save(engine.module.head.weight.detach().clone(), f"head{step}.pt")
    diary.weights("end", engine.module, WATCHED)
    diary.note(done="trained, and kept the head")


if __name__ == "__main__":
    main()
    diary.close()
