"""torch.distributed.fsdp: the wrapper runs the module that it was given, and looks like it.

Source: https://docs.pytorch.org/docs/stable/fsdp.html
"""

from torch.nn import Module

VERSIONS = "torch>=1.13,<3"
HOMES = ("torch.distributed.fsdp.fully_sharded_data_parallel",)


class FullyShardedDataParallel(Module):
    def __init__(self, module, *args, **kwargs):
        self.module = module

    def forward(self, *args, **kwargs):
        return self.module(*args, **kwargs)

    def __getattr__(self, name):
        return getattr(self.module, name)


def fully_shard(module, **kwargs):
    return module
