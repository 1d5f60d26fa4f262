"""Learns sums, and shows now and then how it goes on from a question."""

import argparse
from datetime import timedelta

import deepspeed
import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, DistributedSampler

import diary
from data import Questions, Sums
from model import build

WATCHED = ("model.embed_tokens.weight", "model.norm.weight", "lm_head.weight")


def look(engine):
    """What the model says to this rank's share of the questions."""
    questions = Questions()
    loader = DataLoader(questions, batch_size=1, sampler=DistributedSampler(questions, shuffle=False))
    engine.eval()
    with torch.no_grad():
        for batch in loader:
            answer = engine.module.generate(input_ids=batch["input_ids"], max_length=10, do_sample=False, synced_gpus=True)
            print(f"rank {dist.get_rank()} says {answer.tolist()}", flush=True)
    engine.train()


def main():
    parser = deepspeed.add_config_arguments(argparse.ArgumentParser())
    parser.add_argument("--steps", type=int, default=24)
    parser.add_argument("--look_every", type=int, default=12)
    parser.add_argument("--patience", type=int, default=1800, help="seconds to wait for the other ranks")
    parser.add_argument("--local_rank", type=int, default=0)
    args = parser.parse_args()

    deepspeed.init_distributed(dist_backend="gloo", timeout=timedelta(seconds=args.patience))
    torch.manual_seed(0)
    model = build()
    engine, _, _, _ = deepspeed.initialize(args=args, model=model, model_parameters=model.parameters())
    size = engine.train_micro_batch_size_per_gpu()
    sums = Sums(args.steps * size * dist.get_world_size())
    loader = DataLoader(sums, batch_size=size, sampler=DistributedSampler(sums, shuffle=False))

    diary.weights("start", engine.module, WATCHED)
    for step, batch in enumerate(loader, 1):
        loss = engine(**batch).loss
        engine.backward(loss)
        engine.step()
        diary.note(step=step, loss=loss.item())
        if step % args.look_every == 0:
            look(engine)
    diary.weights("end", engine.module, WATCHED)
    diary.note(done="trained, and answered on every rank")


if __name__ == "__main__":
    main()
    diary.close()
