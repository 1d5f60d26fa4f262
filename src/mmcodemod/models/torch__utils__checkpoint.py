"""torch.utils.checkpoint: runs the function that it is given, again in the backward pass.

Source: https://docs.pytorch.org/docs/stable/checkpoint.html
"""

VERSIONS = "torch>=1.13,<3"


def checkpoint(function, *args, **kwargs):
    return function(*args)


def checkpoint_sequential(functions, segments, input, **kwargs):
    for function in functions:
        input = function(input)
    return input
