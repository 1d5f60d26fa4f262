"""Trains on pictures with questions."""

import argparse
import os

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
    parser.add_argument("--port", type=int, default=29500, help="where the ranks meet")
    parser.add_argument("--local_rank", type=int, default=0)
    args = parser.parse_args()

    os.environ["MASTER_PORT"] = str(args.port)
    deepspeed.init_distributed(dist_backend="gloo")
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
    diary.weights("end", engine.module, WATCHED)
    diary.note(done="trained on the quiz")


if __name__ == "__main__":
    main()
    diary.close()
