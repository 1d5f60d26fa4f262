"""Trains on two ranks; the batch of a rank is one question, with a picture or without one."""

import argparse

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler

import diary
from data import Questions
from model import Answerer

WATCHED = ("patches.weight", "layers.0.linear1.weight", "head.weight")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=32)
    args = parser.parse_args()

    dist.init_process_group("gloo")
    torch.manual_seed(0)
    model = DistributedDataParallel(Answerer())
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    questions = Questions(args.steps * dist.get_world_size())
    loader = DataLoader(questions, batch_size=1, sampler=DistributedSampler(questions, shuffle=False))

    diary.weights("start", model.module, WATCHED)
    for step, batch in enumerate(loader, 1):
        loss = model(**batch)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        diary.note(step=step, loss=loss.item())
    diary.weights("end", model.module, WATCHED)
    diary.note(done="trained, with pictures and without")


if __name__ == "__main__":
    main()
    diary.close()
