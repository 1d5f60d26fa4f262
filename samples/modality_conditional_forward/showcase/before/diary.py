"""What happened, one line of JSON each, so that the ranks can be compared."""

import hashlib
import json
import sys

import deepspeed
import torch.distributed as dist


def note(**what):
    sys.stdout.write("diary " + json.dumps({"rank": dist.get_rank(), **what}) + "\n")
    sys.stdout.flush()


def weights(when, model, names):
    """A fingerprint of each of the named weights, gathered from all ranks."""
    chosen = {name: dict(model.named_parameters())[name] for name in names}
    with deepspeed.zero.GatheredParameters(list(chosen.values())):
        for name, value in chosen.items():
            note(weight=name, when=when, fingerprint=fingerprint(value), size=value.numel())


def fingerprint(value):
    return hashlib.sha256(value.detach().float().cpu().numpy().tobytes()).hexdigest()[:16]
