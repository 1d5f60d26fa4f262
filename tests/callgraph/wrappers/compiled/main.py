"""`get_peft_model` and `torch.compile` keep the model's forward."""

import torch
from peft import LoraConfig, get_peft_model
from torch import nn


class Net(nn.Module):
    def forward(self, x):
        return self.encode(x)

    def encode(self, x):
        return x


model = get_peft_model(Net(), LoraConfig())
compiled = torch.compile(model)
compiled(1)
