"""Trains on pictures with questions, and keeps checkpoints."""

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
    parser.add_argument("--output", default="out")
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
                print(f"step {step}: a checkpoint goes to {args.output}", flush=True)
            engine.save_checkpoint(args.output, tag=f"step{step}")
    diary.weights("end", engine.module, WATCHED)
    diary.note(done="trained, with checkpoints of all shards")


if __name__ == "__main__":
    main()
    diary.close()
