"""Trains on two ranks; DDP looks for the parameters that a step leaves out."""

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
    model = DistributedDataParallel(Answerer(), find_unused_parameters=True)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    questions = Questions(args.steps * 8 * dist.get_world_size())
    loader = DataLoader(questions, batch_size=8, sampler=DistributedSampler(questions, shuffle=False))

    diary.weights("start", model.module, WATCHED)
    for step, (pixels, words, answer) in enumerate(loader, 1):
        loss = model(pixels, words, answer)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        diary.note(step=step, loss=loss.item())
    diary.weights("end", model.module, WATCHED)
    diary.note(done="trained, with checkpointed layers")


if __name__ == "__main__":
    main()
    diary.close()
