"""mmengine.registry: a registry builds what was registered, by name.

Source: https://mmengine.readthedocs.io/en/latest/advanced_tutorials/registry.html
"""

from mmcodemod_intrinsics import opaque

VERSIONS = "mmengine>=0.7,<1"
HOMES = ("mmengine.registry.*",)


class Registry:
    def __init__(self, name, *args, **kwargs):
        self.registered = []

    def register_module(self, name=None, force=False, module=None):
        self.registered = [module]

        def register(module):
            self.registered = [module]
            return module

        return module or register

    def build(self, cfg, *args, **kwargs):
        for registered in self.registered:
            return registered()
        return opaque()

    def get(self, key):
        for registered in self.registered:
            return registered
        return opaque()


HOOKS = Registry("hook")
LOOPS = Registry("loop")
DATASETS = Registry("dataset")
DATA_SAMPLERS = Registry("data sampler")
TRANSFORMS = Registry("transform")
MODELS = Registry("model")
MODEL_WRAPPERS = Registry("model_wrapper")
OPTIM_WRAPPERS = Registry("optim_wrapper")
METRICS = Registry("metric")
FUNCTIONS = Registry("function")
