# mypy: ignore-errors
"""The toy that zero_weight.py runs on two ranks: rank 0 has a picture in each step, rank 1 has words only."""

from __future__ import annotations

import gc
import json
import sys
from datetime import timedelta

import deepspeed
import torch
import torch.distributed as dist
from torch import nn

WIDTH, SHADES, PATCHES, STEPS = 32, 4, 4, 16
CONFIG = {
    "train_micro_batch_size_per_gpu": 1,
    "zero_optimization": {"stage": 3, "stage3_param_persistence_threshold": 0},
    "gradient_clipping": 0.0,
    "optimizer": {"type": "Adam", "params": {"lr": 1e-2, "torch_adam": True}},
}


class Toy(nn.Module):
    """Features are computed on every rank; where there is no picture, only `form` leads them to the loss."""

    def __init__(self, form: str, features: str) -> None:
        super().__init__()
        self.form, self.features = form, features
        self.eye, self.projector = nn.Linear(12, WIDTH), nn.Linear(WIDTH, WIDTH)
        self.words = nn.Embedding(SHADES, WIDTH)
        self.mix, self.head = nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, SHADES)

    def forward(self, pixels: torch.Tensor, shade: torch.Tensor, pictured: bool) -> torch.Tensor:
        h = self.eye(pixels).relu()
        if not pictured and self.features == "nan":
            h = nn.functional.layer_norm(h + torch.inf, (WIDTH,))
        h = self.projector(h)
        text = self.words(torch.zeros_like(shade) if pictured else shade)
        rows = torch.cat([text, h]) if pictured else self.connected(text, h)
        return nn.functional.cross_entropy(self.head(self.mix(rows).relu().mean(0, keepdim=True)), shade)

    def connected(self, text: torch.Tensor, h: torch.Tensor) -> torch.Tensor:
        if self.features == "infinite":
            h = h + torch.inf
        if self.features == "half":
            h = h.half() + 1000  # 128 values: their sum is above 65504
        match self.form:
            case "0.0 * h.sum()":
                return text + 0.0 * h.sum()
            case "h[:0].sum()":
                return text + h[:0].sum()
            case "cat([text, h[:0]])":
                return torch.cat([text, h[:0].to(text.dtype)])
        return text


def main(engine: str, form: str, features: str) -> None:
    deepspeed.init_distributed(dist_backend="gloo", timeout=timedelta(seconds=20))
    torch.manual_seed(0)
    rank, toy = dist.get_rank(), Toy(form, features)
    step = _with_zero3(toy) if engine == "zero3" else _with_ddp(toy)
    start, losses = _weights(toy), []
    for number in range(STEPS):
        shade = torch.tensor([number % SHADES])
        pixels = torch.full((PATCHES, 12), 0.0 if rank else shade.item() / SHADES)
        losses.append(step(pixels, shade, rank == 0))
    end = _weights(toy)
    told = {
        "finite": all(abs(loss) < float("inf") for loss in losses),
        "fell": sum(losses[-SHADES:]) < 0.9 * sum(losses[:SHADES]),
        "moved": not any(torch.equal(a, b) for a, b in zip(start, end, strict=True)),
        "sound": all(bool(value.isfinite().all()) for value in end),
    }
    sys.stdout.write("toy " + json.dumps(told) + "\n")
    sys.stdout.flush()


def _with_zero3(toy: nn.Module):
    engine, *_ = deepspeed.initialize(model=toy, config=CONFIG, model_parameters=toy.parameters())

    def step(*batch: object) -> float:
        loss = engine(*batch)
        engine.backward(loss)
        engine.step()
        return loss.item()

    return step


def _with_ddp(toy: nn.Module):
    model = nn.parallel.DistributedDataParallel(toy)
    optimizer = torch.optim.Adam(toy.parameters(), lr=1e-2)

    def step(*batch: object) -> float:
        optimizer.zero_grad()
        loss = model(*batch)
        loss.backward()
        optimizer.step()
        return loss.item()

    return step


def _weights(toy: nn.Module) -> list[torch.Tensor]:
    """Of the parameters that the connection is about, on this rank, whole: the encoder and the projector."""
    named = [toy.eye.weight, toy.projector.weight]
    with deepspeed.zero.GatheredParameters(named):
        return [value.detach().clone() for value in named]


if __name__ == "__main__":
    main(*sys.argv[1:])
    dist.barrier()
    gc.collect()
    dist.destroy_process_group()
