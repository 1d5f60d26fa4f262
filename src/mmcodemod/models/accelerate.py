"""accelerate: an Accelerator gives back what it prepares, in order; the rest is called on every rank.

Source: https://huggingface.co/docs/accelerate/package_reference/accelerator
"""

from mmcodemod_intrinsics import collective

VERSIONS = "accelerate>=0.20,<2"
HOMES = ("accelerate.*",)


class Accelerator:
    def __init__(self, *args, **kwargs):
        pass

    def prepare(self, *args, device_placement=None):
        return args[0] if len(args) == 1 else args

    def prepare_model(self, model, *args, **kwargs):
        return model

    def prepare_data_loader(self, data_loader, *args, **kwargs):
        return data_loader

    def prepare_optimizer(self, optimizer, *args, **kwargs):
        return optimizer

    def prepare_scheduler(self, scheduler):
        return scheduler

    def unwrap_model(self, model, *args, **kwargs):
        return model

    def skip_first_batches(self, dataloader, num_batches=0):
        return dataloader

    def on_main_process(self, function=None):
        return function

    def on_local_main_process(self, function=None):
        return function

    def on_last_process(self, function):
        return function

    def wait_for_everyone(self):
        collective("wait_for_everyone")

    def main_process_first(self):
        collective("main_process_first")

    def local_main_process_first(self):
        collective("local_main_process_first")

    def gather(self, tensor):
        collective("gather")

    def gather_for_metrics(self, input_data, *args, **kwargs):
        collective("gather_for_metrics")

    def reduce(self, tensor, reduction="sum", scale=1.0):
        collective("reduce")

    def pad_across_processes(self, tensor, dim=0, pad_index=0, pad_first=False):
        collective("pad_across_processes")

    def clip_grad_norm_(self, parameters, max_norm, norm_type=2):
        collective("clip_grad_norm_")

    def get_state_dict(self, model, unwrap=True):
        collective("get_state_dict")

    def save_state(self, output_dir=None, *args, **kwargs):
        collective("save_state")
        for hook in self._save_hooks:
            hook([], [], output_dir)

    def load_state(self, input_dir=None, *args, **kwargs):
        collective("load_state")
        for hook in self._load_hooks:
            hook([], input_dir)

    def register_save_state_pre_hook(self, hook):
        self._save_hooks = [hook]

    def register_load_state_pre_hook(self, hook):
        self._load_hooks = [hook]

    def save_model(self, model, save_directory, *args, **kwargs):
        collective("save_model")
