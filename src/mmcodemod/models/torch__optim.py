"""torch.optim: a step may run a closure; a schedule may run a function of the step number.

Source: https://docs.pytorch.org/docs/stable/optim.html
"""

VERSIONS = "torch>=1.13,<3"
HOMES = ("torch.optim.optimizer",)


class Optimizer:
    def step(self, closure=None):
        closure()
