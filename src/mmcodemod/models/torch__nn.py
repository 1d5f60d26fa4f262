"""torch.nn: a module's call runs its hooks and `forward`; containers keep their children.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html (`Module._call_impl`)
"""

from torch.nn.parallel import DataParallel

VERSIONS = "torch>=1.13,<3"
HOMES = ("torch.nn.modules.*",)


class Module:
    def __call__(self, *args, **kwargs):
        for hook in self._forward_pre_hooks:
            hook(self, args)
        output = self.forward(*args, **kwargs)
        for hook in self._forward_hooks:
            hook(self, args, output)
        for hook in self._backward_hooks:
            hook(self, args, output)
        return output

    def register_forward_pre_hook(self, hook, **kwargs):
        self._forward_pre_hooks = [hook]

    def register_forward_hook(self, hook, **kwargs):
        self._forward_hooks = [hook]

    def register_full_backward_pre_hook(self, hook, prepend=False):
        self._backward_hooks = [hook]

    def register_full_backward_hook(self, hook, prepend=False):
        self._backward_hooks = [hook]

    def register_backward_hook(self, hook):
        self._backward_hooks = [hook]

    def apply(self, fn):
        fn(self)
        return self


class Sequential(Module):
    def __init__(self, *args):
        self._children = args

    def forward(self, input):
        for module in self._children:
            input = module(input)
        return input

    def __iter__(self):
        return self._children

    def __getitem__(self, idx):
        return self._children[idx]

    def append(self, module):
        self._children = [module]
        return self


class ModuleList(Module):
    def __init__(self, modules=None):
        self._children = modules

    def __iter__(self):
        return self._children

    def __getitem__(self, idx):
        return self._children[idx]

    def append(self, module):
        self._children = [module]
        return self

    def extend(self, modules):
        self._children = modules
        return self

    def insert(self, index, module):
        self._children = [module]


class ModuleDict(Module):
    def __init__(self, modules=None):
        self._children = modules

    def __getitem__(self, key):
        return self._children[key]

    def __setitem__(self, key, module):
        self._children = {key: module}

    def __iter__(self):
        return [key for key in self._children]

    def keys(self):
        return [key for key in self._children]

    def values(self):
        return [self._children[key] for key in self._children]

    def items(self):
        return [(key, self._children[key]) for key in self._children]
