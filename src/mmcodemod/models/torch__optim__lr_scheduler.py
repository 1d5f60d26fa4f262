"""torch.optim.lr_scheduler: a schedule runs its function of the step number.

Source: https://docs.pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate
"""

VERSIONS = "torch>=1.13,<3"


class LRScheduler:
    def step(self, epoch=None):
        self.get_lr()

    def get_lr(self):
        pass


class LambdaLR(LRScheduler):
    def __init__(self, optimizer, lr_lambda, *args, **kwargs):
        self.lr_lambda = lr_lambda
        self.get_lr()

    def get_lr(self):
        self.lr_lambda(0)
        for function in self.lr_lambda:
            function(0)
