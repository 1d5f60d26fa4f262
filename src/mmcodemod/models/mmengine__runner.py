"""mmengine.runner: what a Runner builds and in which order its loops call hooks, loader and model.

Source: https://mmengine.readthedocs.io/en/latest/api/generated/mmengine.runner.Runner.html (`train`, `loops.py`)
"""

from mmengine.registry import Registry

VERSIONS = "mmengine>=0.7,<1"
HOMES = ("mmengine.runner.*",)


class Runner:
    def __init__(
        self, model, work_dir=None, train_dataloader=None, val_dataloader=None, test_dataloader=None,
        train_cfg=None, val_cfg=None, test_cfg=None, *args, custom_hooks=None, default_hooks=None, **kwargs
    ):
        self.train_dataloader = train_dataloader
        self.val_dataloader = val_dataloader
        self.test_dataloader = test_dataloader
        self._hooks = custom_hooks
        self.register_hooks(default_hooks, custom_hooks)
        self.model = self.build_model(model)
        self.model = self.wrap_model(None, self.model)

    @classmethod
    def from_cfg(cls, cfg):
        return cls(cfg["model"], train_dataloader=cfg["train_dataloader"], custom_hooks=cfg["custom_hooks"])

    def build_model(self, model):
        return model

    def wrap_model(self, model_wrapper_cfg, model):
        return model

    def build_optim_wrapper(self, optim_wrapper):
        return optim_wrapper

    def build_train_loop(self, loop):
        self.build_dataloader(self.train_dataloader)
        return EpochBasedTrainLoop(self, self.train_dataloader)

    @staticmethod
    def build_dataloader(dataloader, *args, **kwargs):
        return dataloader

    def register_hooks(self, default_hooks=None, custom_hooks=None):
        self._hooks = custom_hooks

    def register_hook(self, hook, priority=None):
        self._hooks = [hook]

    def call_hook(self, fn_name, **kwargs):
        for hook in self._hooks:
            getattr(hook, fn_name)(self)
        return None

    def train(self):
        loop = self.build_train_loop(None)
        self.build_optim_wrapper(None)
        self.model.init_weights()
        self.call_hook("before_run")
        self.load_or_resume()
        loop.run()
        self.call_hook("after_run")
        return self.model

    def load_or_resume(self):
        self.call_hook("after_load_checkpoint")

    def val(self):
        self.call_hook("before_val")
        self.call_hook("before_val_epoch")
        self.call_hook("before_val_iter")
        self.model.val_step(None)
        self.call_hook("after_val_iter")
        self.call_hook("after_val_epoch")
        self.call_hook("after_val")

    def test(self):
        self.call_hook("before_test")
        self.model.test_step(None)
        self.call_hook("after_test")

    def save_checkpoint(self, *args, **kwargs):
        self.call_hook("before_save_checkpoint")


class EpochBasedTrainLoop:
    def __init__(self, runner, dataloader, *args, **kwargs):
        self.runner = runner
        self.dataloader = dataloader

    def run(self):
        self.runner.call_hook("before_train")
        self.run_epoch()
        self.runner.val()
        self.runner.call_hook("after_train")

    def run_epoch(self):
        self.runner.call_hook("before_train_epoch")
        self.run_iter(0, None)
        self.runner.call_hook("after_train_epoch")

    def run_iter(self, idx, data_batch):
        self.runner.call_hook("before_train_iter")
        self.runner.model.train_step(data_batch, optim_wrapper=None)
        self.runner.call_hook("after_train_iter")


class IterBasedTrainLoop(EpochBasedTrainLoop):
    pass
