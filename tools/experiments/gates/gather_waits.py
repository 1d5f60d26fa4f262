# mypy: ignore-errors
"""Is a large ZeRO-3 parameter whole when a gather of it and of a small one comes back? Two ranks on a CPU."""

import deepspeed
import torch
import torch.distributed as dist
from deepspeed.ops import __compatible_ops__ as OPERATORS
from torch import nn

LARGE, TIMES = 16_000_000, 20
CONFIG = {
    "train_micro_batch_size_per_gpu": 1,
    "zero_optimization": {"stage": 3, "stage3_param_persistence_threshold": 0},
}

OPERATORS.update(dict.fromkeys(OPERATORS, False))  # compile none
deepspeed.init_distributed(dist_backend="gloo")
with deepspeed.zero.Init(config_dict_or_path=CONFIG):
    both = list(nn.ParameterList([nn.Parameter(torch.ones(LARGE)), nn.Parameter(torch.ones(8))]))
early = 0
for _ in range(TIMES):
    both[0].all_gather(both)
    early += not bool((both[0].data == 1).all())
    both[0].partition(both)
if dist.get_rank() == 0:
    print(f"read before it was whole: {early} of {TIMES} times" if early else "waits for every gather")
dist.barrier()
dist.destroy_process_group()
