"""Trains on questions with and without pictures."""

import argparse
from datetime import timedelta

import deepspeed
import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, DistributedSampler

import diary
from data import Questions
from model import Answerer

WATCHED = ("eye.patches.weight", "projector.weight", "words.weight")


def main():
    parser = deepspeed.add_config_arguments(argparse.ArgumentParser())
    parser.add_argument("--steps", type=int, default=24)
    parser.add_argument("--patience", type=int, default=1800, help="seconds to wait for the other ranks")
    parser.add_argument("--local_rank", type=int, default=0)
    args = parser.parse_args()

    deepspeed.init_distributed(dist_backend="gloo", timeout=timedelta(seconds=args.patience))
    torch.manual_seed(0)
    model = Answerer()
    engine, _, _, _ = deepspeed.initialize(args=args, model=model, model_parameters=model.parameters())
    size = engine.train_micro_batch_size_per_gpu()
    questions = Questions(args.steps * size * dist.get_world_size())
    turns = DistributedSampler(questions, shuffle=False)
    loader = DataLoader(questions, batch_size=size, sampler=turns)

    diary.weights("start", engine.module, WATCHED)
    for step, batch in enumerate(loader):
        loss = engine(**batch)
        engine.backward(loss)
        engine.step()
        diary.note(step=step, loss=loss.item())
    diary.weights("end", engine.module, WATCHED)
    diary.note(done="trained on pictures and words")


if __name__ == "__main__":
    main()
    diary.close()
