"""Trains on captions with pictures; the first rank fetches the pictures for all."""

import argparse
from datetime import timedelta

import deepspeed
import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, DistributedSampler

import diary
from data import collate, pictures
from model import Namer

WATCHED = ("eye.weight", "words.weight")


def prepared(captions):
    """One rank fetches, and the others read what it has kept."""
    if dist.get_rank() == 0:
        pictures(captions)
    dist.barrier()
    return pictures(captions)


def main():
    parser = deepspeed.add_config_arguments(argparse.ArgumentParser())
    parser.add_argument("--captions", default="captions.jsonl")
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--local_rank", type=int, default=0)
    args = parser.parse_args()

    deepspeed.init_distributed(dist_backend="gloo", timeout=timedelta(hours=2))
    rows = prepared(args.captions)
    torch.manual_seed(0)
    model = Namer()
    engine, _, _, _ = deepspeed.initialize(args=args, model=model, model_parameters=model.parameters())
    size = engine.train_micro_batch_size_per_gpu()
    loader = DataLoader(
        rows, batch_size=size, sampler=DistributedSampler(rows, shuffle=False), collate_fn=collate
    )

    diary.weights("start", engine.module, WATCHED)
    for epoch in range(args.epochs):
        for step, batch in enumerate(loader):
            loss = engine(**batch)
            engine.backward(loss)
            engine.step()
            diary.note(epoch=epoch, step=step, loss=loss.item())
    diary.weights("end", engine.module, WATCHED)
    diary.note(done="trained on what one rank has fetched")


if __name__ == "__main__":
    main()
    diary.close()
