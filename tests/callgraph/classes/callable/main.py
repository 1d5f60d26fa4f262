"""Objects that are called, as attributes and as results."""


class Loss:
    def __init__(self, fn):
        self.fn = fn

    def __call__(self, x):
        return self.fn(x)


def l1(x):
    return x


class Model:
    def __init__(self):
        self.loss = Loss(l1)

    def step(self):
        return self.loss(1)


Model().step()
