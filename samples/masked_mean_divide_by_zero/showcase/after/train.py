"""Trains a model that tells the shade of a picture when it has been told of it."""

import argparse
from datetime import timedelta

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler

import diary
from data import IGNORE_INDEX, Conversations, collate
from model import Speaker

WATCHED = ("words.weight", "memory.weight_hh_l0", "head.weight")


def answer_loss(scores, labels):
    """The mean over the answer of each conversation, so that a long one counts as a short one."""
    mask = labels != IGNORE_INDEX
    chosen = labels.masked_fill(~mask, 0).unsqueeze(-1)
    each = -scores.log_softmax(-1).gather(-1, chosen).squeeze(-1)
    return ((each * mask).sum(-1) / mask.sum(-1).clamp(min=1)).mean()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=640)
    parser.add_argument("--epochs", type=int, default=1)
    args = parser.parse_args()

    dist.init_process_group("gloo", timeout=timedelta(seconds=120))
    torch.manual_seed(0)
    model = DistributedDataParallel(Speaker())
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    rows = Conversations(args.rows)
    sampler = DistributedSampler(rows)
    loader = DataLoader(rows, batch_size=8, sampler=sampler, collate_fn=collate)

    diary.weights("start", model.module, WATCHED)
    step = 0
    for epoch in range(args.epochs):
        sampler.set_epoch(epoch)
        for batch in loader:
            step += 1
            loss = answer_loss(model(batch["input_ids"])[:, :-1], batch["labels"][:, 1:])
            if step > 1 and not torch.isfinite(model.module.head.weight).all():
                raise FloatingPointError(f"the weights are NaN before step {step}, and the loss is {loss.item()}")
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad()
            diary.note(step=step, loss=loss.item())
    diary.weights("end", model.module, WATCHED)
    diary.note(done="trained on long conversations, too")


if __name__ == "__main__":
    main()
    diary.close()
