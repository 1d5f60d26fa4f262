"""deepspeed.zero: blocks that partition parameters as they are made, or gather them.

Source: https://deepspeed.readthedocs.io/en/latest/zero3.html
"""

from mmcodemod_intrinsics import collective

VERSIONS = "deepspeed>=0.9,<1"
HOMES = ("deepspeed.runtime.zero", "deepspeed.runtime.zero.partition_parameters")


class Init:
    def __init__(self, module=None, *args, **kwargs):
        pass

    def __enter__(self):
        collective("zero.Init")

    def __exit__(self, *args):
        pass


class GatheredParameters:
    def __init__(self, params, modifier_rank=None, *args, **kwargs):
        pass

    def __enter__(self, *args):
        collective("zero.GatheredParameters")

    def __exit__(self, *args):
        collective("zero.GatheredParameters")
