"""deepspeed: the engine runs the module that it wraps, and looks like it.

Source: https://deepspeed.readthedocs.io/en/latest/initialize.html
"""

from mmcodemod_intrinsics import collective
from torch.nn import Module
from torch.utils.data import DataLoader

VERSIONS = "deepspeed>=0.9,<1"
HOMES = ("deepspeed.runtime.engine", "deepspeed.inference.engine")


class DeepSpeedEngine(Module):
    def __init__(self, args, model, *others, **kwargs):
        self.module = model

    def forward(self, *inputs, **kwargs):
        return self.module(*inputs, **kwargs)

    def __getattr__(self, name):
        return getattr(self.module, name)

    def backward(self, loss, *args, **kwargs):
        collective("backward")

    def step(self, lr_kwargs=None):
        collective("step")

    def save_checkpoint(self, save_dir, *args, **kwargs):
        collective("save_checkpoint")

    def load_checkpoint(self, load_dir, *args, **kwargs):
        collective("load_checkpoint")

    def save_16bit_model(self, save_dir, *args, **kwargs):
        collective("save_16bit_model")

    def _zero3_consolidated_16bit_state_dict(self, *args, **kwargs):
        collective("_zero3_consolidated_16bit_state_dict")


class InferenceEngine(Module):
    def __init__(self, model, config=None):
        self.module = model

    def forward(self, *inputs, **kwargs):
        return self.module(*inputs, **kwargs)

    def __getattr__(self, name):
        return getattr(self.module, name)


def initialize(
    args=None, model=None, optimizer=None, model_parameters=None, training_data=None, lr_scheduler=None,
    *others, collate_fn=None, **kwargs
):
    collective("initialize")
    engine = DeepSpeedEngine(args, model)
    loader = DataLoader(training_data, collate_fn=collate_fn)
    return engine, optimizer, loader, lr_scheduler


def init_inference(model, config=None, **kwargs):
    return InferenceEngine(model)


def init_distributed(*args, **kwargs):
    collective("init_distributed")
