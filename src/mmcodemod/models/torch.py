"""torch: callables that give back, or call, what they are given.

Source: https://docs.pytorch.org/docs/stable/torch.html
"""

VERSIONS = "torch>=1.13,<3"


def compile(model=None, **kwargs):
    return model
