"""lightning: the order in which Trainer.fit calls the hooks of modules, data modules and callbacks; Fabric gives
back what it sets up.

Source: https://lightning.ai/docs/pytorch/stable/common/lightning_module.html#hooks
"""

from mmcodemod_intrinsics import collective
from torch.nn import Module

VERSIONS = "lightning>=2,<3"
HOMES = ("lightning.*",)


class LightningModule(Module):
    def training_step(self, *args, **kwargs):
        pass

    def configure_optimizers(self):
        pass

    def manual_backward(self, loss, *args, **kwargs):
        pass

    def all_gather(self, data, group=None, sync_grads=False):
        collective("all_gather")

    @classmethod
    def load_from_checkpoint(cls, checkpoint_path, *args, **kwargs):
        return cls()


class LightningDataModule:
    pass


class Callback:
    pass


class Trainer:
    def __init__(self, *, callbacks=None, **kwargs):
        self.callbacks = callbacks

    def _call(self, hook, *args):
        for callback in self.callbacks:
            getattr(callback, hook)(self, self.lightning_module, *args)
        return getattr(self.lightning_module, hook)(*args)

    def fit(self, model, train_dataloaders=None, val_dataloaders=None, datamodule=None, ckpt_path=None, **kwargs):
        self.lightning_module = model
        self._prepare(model, datamodule, "fit")
        self._prepare(model, train_dataloaders, "fit")
        model.configure_optimizers()
        self._call("on_fit_start")
        self._loaders(model, train_dataloaders, datamodule)
        self.validate(model, val_dataloaders)
        self._call("on_train_start")
        self._call("on_train_epoch_start")
        self._transfer(model)
        self._call("on_train_batch_start", None, 0)
        model.training_step(None, 0)
        self._call("on_before_zero_grad", None)
        model.optimizer_zero_grad(0, 0, None)
        self._call("on_before_backward", None)
        model.backward(None)
        self._call("on_after_backward")
        self._call("on_before_optimizer_step", None)
        model.configure_gradient_clipping(None)
        model.optimizer_step(0, 0, None)
        self._call("on_train_batch_end", None, None, 0)
        model.lr_scheduler_step(None, None)
        self._call("on_train_epoch_end")
        self._call("on_save_checkpoint", {})
        self._call("on_train_end")
        self._call("on_fit_end")
        model.teardown("fit")
        datamodule.teardown("fit")

    def _prepare(self, model, datamodule, stage):
        datamodule.prepare_data()
        model.prepare_data()
        datamodule.setup(stage)
        model.setup(stage)
        model.configure_model()
        model.configure_sharded_model()

    def _loaders(self, model, loaders, datamodule):
        loaders.train_dataloader()
        datamodule.train_dataloader()
        model.train_dataloader()
        datamodule.val_dataloader()
        model.val_dataloader()

    def _transfer(self, model):
        model.on_before_batch_transfer(None, 0)
        model.transfer_batch_to_device(None, None, 0)
        model.on_after_batch_transfer(None, 0)

    def validate(self, model=None, dataloaders=None, *args, **kwargs):
        self.lightning_module = model
        self._call("on_validation_start")
        self._call("on_validation_epoch_start")
        self._transfer(model)
        self._call("on_validation_batch_start", None, 0)
        model.validation_step(None, 0)
        self._call("on_validation_batch_end", None, None, 0)
        self._call("on_validation_epoch_end")
        self._call("on_validation_end")

    def test(self, model=None, dataloaders=None, *args, **kwargs):
        self.lightning_module = model
        self._call("on_test_start")
        self._call("on_test_epoch_start")
        model.test_step(None, 0)
        self._call("on_test_epoch_end")
        self._call("on_test_end")

    def save_checkpoint(self, filepath, *args, **kwargs):
        collective("save_checkpoint")


class Fabric:
    def setup(self, module, *optimizers, **kwargs):
        return (module, *optimizers) if optimizers else module

    def setup_module(self, module, *args, **kwargs):
        return module

    def setup_optimizers(self, *optimizers):
        return optimizers[0] if len(optimizers) == 1 else optimizers

    def setup_dataloaders(self, *dataloaders, **kwargs):
        return dataloaders[0] if len(dataloaders) == 1 else dataloaders

    def launch(self, function=None, *args, **kwargs):
        return function(self)

    def barrier(self, name=None):
        collective("barrier")

    def broadcast(self, obj, src=0):
        collective("broadcast")

    def all_gather(self, data, group=None, sync_grads=False):
        collective("all_gather")

    def all_reduce(self, data, group=None, reduce_op="mean"):
        collective("all_reduce")

    def save(self, path, state, filter=None):
        collective("save")
