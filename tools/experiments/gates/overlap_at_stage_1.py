# mypy: ignore-errors
"""Does ZeRO-1 overlap the reduction of gradients when it is asked to? One process."""

import os

import deepspeed
from deepspeed.ops import __compatible_ops__ as OPERATORS
from torch import nn

os.environ.update(RANK="0", LOCAL_RANK="0", WORLD_SIZE="1", MASTER_ADDR="127.0.0.1")
OPERATORS.update(dict.fromkeys(OPERATORS, False))  # compile none
deepspeed.init_distributed(dist_backend="gloo")
config = {
    "train_micro_batch_size_per_gpu": 1,
    "zero_optimization": {"stage": 1, "overlap_comm": True},
    "optimizer": {"type": "Adam", "params": {"lr": 1e-3, "torch_adam": True}},
}
model = nn.Linear(2, 2)
engine, *_ = deepspeed.initialize(model=model, config=config, model_parameters=model.parameters())
print("overlaps:", engine.optimizer.overlap_comm)
