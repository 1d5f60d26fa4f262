"""Wrappers of torch hand calls on to what they wrap."""

import torch
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
    net = Net().to("cpu").eval()
    net(1)
    wrapped = nn.DataParallel(net)
    wrapped(torch.ones(1, 1))
    wrapped.module.encode(1)
    nn.Sequential(Net())(1)


run()
