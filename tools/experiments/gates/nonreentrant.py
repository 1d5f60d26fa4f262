# mypy: ignore-errors
"""Does ZeRO-3 train a frozen base with adapters under checkpointing that is not reentrant? Two ranks."""

import deepspeed
import torch
import torch.distributed as dist
from deepspeed.ops import __compatible_ops__ as OPERATORS
from torch import nn
from torch.utils.checkpoint import checkpoint

WIDTH = 32
CONFIG = {
    "train_micro_batch_size_per_gpu": 4,
    "zero_optimization": {"stage": 3, "stage3_param_persistence_threshold": 0},
    "optimizer": {"type": "Adam", "params": {"lr": 1e-2, "torch_adam": True}},
}


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.up, self.down = nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, WIDTH)
        self.a, self.b = nn.Linear(WIDTH, 4, bias=False), nn.Linear(4, WIDTH, bias=False)

    def forward(self, x):
        return x + self.down(torch.relu(self.up(x) + self.b(self.a(x))))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList(Block() for _ in range(3))
        self.head = nn.Linear(WIDTH, 1)

    def forward(self, x, y):
        x.requires_grad_(True)
        for block in self.blocks:
            x = checkpoint(block, x, use_reentrant=False)
        return ((self.head(x) - y) ** 2).mean()


OPERATORS.update(dict.fromkeys(OPERATORS, False))  # compile none
deepspeed.init_distributed(dist_backend="gloo")
torch.manual_seed(0)
with deepspeed.zero.Init(config_dict_or_path=CONFIG):
    net = Net()
for name, parameter in net.named_parameters():
    parameter.requires_grad_(".a." in name or ".b." in name)
trained = [p for p in net.parameters() if p.requires_grad]
engine, *_ = deepspeed.initialize(model=net, config=CONFIG, model_parameters=trained)
x, y, losses = torch.randn(4, WIDTH), torch.randn(4, 1), []
for _ in range(4):
    loss = engine(x.clone(), y)
    engine.backward(loss)
    engine.step()
    losses.append(loss.item())
assert losses[-1] < losses[0], losses
print("trains")
dist.barrier()
dist.destroy_process_group()
