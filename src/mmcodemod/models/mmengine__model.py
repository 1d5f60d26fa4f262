"""mmengine.model: a training step of a model collates, runs `forward` and sums the losses.

Source: https://mmengine.readthedocs.io/en/latest/api/generated/mmengine.model.BaseModel.html
"""

from torch.nn import Module

VERSIONS = "mmengine>=0.7,<1"
HOMES = ("mmengine.model.*",)


class BaseModule(Module):
    def init_weights(self):
        pass


class BaseModel(BaseModule):
    def __init__(self, data_preprocessor=None, init_cfg=None):
        self.data_preprocessor = data_preprocessor

    def train_step(self, data, optim_wrapper):
        data = self.data_preprocessor(data, True)
        losses = self._run_forward(data, mode="loss")
        self.parse_losses(losses)
        optim_wrapper.update_params(losses)

    def val_step(self, data):
        data = self.data_preprocessor(data, False)
        return self._run_forward(data, mode="predict")

    def test_step(self, data):
        data = self.data_preprocessor(data, False)
        return self._run_forward(data, mode="predict")

    def _run_forward(self, data, mode):
        return self(data)

    def parse_losses(self, losses):
        pass
