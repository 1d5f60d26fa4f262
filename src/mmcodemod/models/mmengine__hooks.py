"""mmengine.hooks: the epoch and iteration hooks of training, validation and test go to three common ones.

Source: https://mmengine.readthedocs.io/en/latest/api/generated/mmengine.hooks.Hook.html
"""

VERSIONS = "mmengine>=0.7,<1"
HOMES = ("mmengine.hooks.*",)


class Hook:
    def before_train_epoch(self, runner):
        self._before_epoch(runner, mode="train")

    def after_train_epoch(self, runner):
        self._after_epoch(runner, mode="train")

    def before_train_iter(self, runner, batch_idx, data_batch=None):
        self._before_iter(runner, batch_idx, data_batch, mode="train")

    def after_train_iter(self, runner, batch_idx, data_batch=None, outputs=None):
        self._after_iter(runner, batch_idx, data_batch, outputs, mode="train")

    def before_val_epoch(self, runner):
        self._before_epoch(runner, mode="val")

    def after_val_epoch(self, runner, metrics=None):
        self._after_epoch(runner, mode="val")

    def before_val_iter(self, runner, batch_idx, data_batch=None):
        self._before_iter(runner, batch_idx, data_batch, mode="val")

    def after_val_iter(self, runner, batch_idx, data_batch=None, outputs=None):
        self._after_iter(runner, batch_idx, data_batch, outputs, mode="val")

    def _before_epoch(self, runner, mode="train"):
        pass

    def _after_epoch(self, runner, mode="train"):
        pass

    def _before_iter(self, runner, batch_idx, data_batch=None, mode="train"):
        pass

    def _after_iter(self, runner, batch_idx, data_batch=None, outputs=None, mode="train"):
        pass
