# mypy: ignore-errors
"""What does ZeRO-3 do where all ranks leave out an encoder that they used the step before? Two ranks."""

import deepspeed
import torch
import torch.distributed as dist
from deepspeed.ops import __compatible_ops__ as OPERATORS
from torch import nn

CONFIG = {
    "train_micro_batch_size_per_gpu": 1,
    "zero_optimization": {"stage": 3, "stage3_param_persistence_threshold": 0},
    "optimizer": {"type": "Adam", "params": {"lr": 1e-2, "torch_adam": True}},
}


class Toy(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.eye = nn.Linear(16, 16), nn.Linear(16, 16)
        self.mix, self.head = nn.Linear(16, 16), nn.Linear(16, 1)

    def forward(self, x, pictured):
        h = self.words(x)
        h = h + self.eye(x) if pictured else h
        return ((self.head(self.mix(h).relu()) - 1) ** 2).mean()


OPERATORS.update(dict.fromkeys(OPERATORS, False))  # compile none
deepspeed.init_distributed(dist_backend="gloo")
torch.manual_seed(0)
toy = Toy()
engine, *_ = deepspeed.initialize(model=toy, config=CONFIG, model_parameters=toy.parameters())
x, losses = torch.randn(4, 16), []
for step in range(12):
    loss = engine(x, step < 4 or step % 3 == 0)
    engine.backward(loss)
    engine.step()
    losses.append(loss.item())
assert losses[-1] < losses[0], losses
print("trains")
dist.barrier()
dist.destroy_process_group()
