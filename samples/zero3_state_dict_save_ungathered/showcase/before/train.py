"""Trains on leaves, writes the weights, and tests what was written on leaves it has not seen."""

import argparse

import torch
from accelerate import Accelerator, InitProcessGroupKwargs
from torch.nn.functional import cross_entropy
from torch.utils.data import DataLoader

import diary
from data import Leaves
from model import Botanist

WATCHED = ("patches.weight", "words.weight", "head.weight")


def test(file):
    """How many of 32 answers are right, with the weights of a file."""
    model = Botanist()
    model.load_state_dict(torch.load(file, map_location="cpu"))
    pixels, ids, answers = next(iter(DataLoader(Leaves(32), batch_size=32)))
    return (model(pixels, ids).argmax(dim=-1) == answers).sum().item()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=32)
    args = parser.parse_args()

    accelerator = Accelerator(kwargs_handlers=[InitProcessGroupKwargs(backend="gloo")])
    torch.manual_seed(0)
    model = Botanist()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    loader = DataLoader(Leaves(args.steps * 8), batch_size=4, shuffle=True)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)

    diary.weights("start", model.module, WATCHED)
    for step, (pixels, ids, answers) in enumerate(loader):
        loss = cross_entropy(model(pixels, ids), answers)
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
        diary.note(step=step, loss=loss.item())
    diary.weights("end", model.module, WATCHED)

    unwrapped = accelerator.unwrap_model(model)
    torch.save(unwrapped.state_dict(), "botanist.pt")
    accelerator.wait_for_everyone()
    print("right answers of the saved weights:", test("botanist.pt"))
    diary.note(done="trained, written and read again")


if __name__ == "__main__":
    main()
    diary.close()
