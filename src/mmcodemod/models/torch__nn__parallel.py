"""torch.nn.parallel: wrappers that run the module that they were given.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.parallel.DistributedDataParallel.html
"""

from torch.nn import Module

VERSIONS = "torch>=1.13,<3"
HOMES = ("torch.nn.parallel.*",)


class DistributedDataParallel(Module):
    def __init__(self, module, *args, **kwargs):
        self.module = module

    def forward(self, *inputs, **kwargs):
        return self.module(*inputs, **kwargs)


class DataParallel(Module):
    def __init__(self, module, *args, **kwargs):
        self.module = module

    def forward(self, *inputs, **kwargs):
        return self.module(*inputs, **kwargs)
