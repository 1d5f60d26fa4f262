"""`accelerator.prepare` gives back what it was given, in order."""

import torch
from accelerate import Accelerator
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(1, 1)

    def forward(self, x):
        return self.encode(x)

    def encode(self, x):
        return x


def run():
    accelerator = Accelerator()
    net = Net()
    model, optimizer = accelerator.prepare(net, torch.optim.SGD(net.parameters(), 0.1))
    model(1)
    accelerator.unwrap_model(model).encode(1)


run()
