"""What happened, one line of JSON each, so that the ranks can be compared."""

import gc
import hashlib
import json
import sys

import deepspeed
import torch.distributed as dist


def note(**what):
    sys.stdout.write("diary " + json.dumps({"rank": dist.get_rank(), **what}) + "\n")
    sys.stdout.flush()


def print_of(when, name, value):
    """A fingerprint of a weight."""
    data = value.detach().float().cpu().numpy().tobytes()
    note(weight=name, when=when, size=value.numel(), fingerprint=hashlib.sha256(data).hexdigest()[:16])


def weights(when, model, names):
    """The fingerprints of the named weights and buffers, gathered from all ranks."""
    known = dict([*model.named_parameters(), *model.named_buffers()])
    for name in names:  # one by one: of several gathers, DeepSpeed before 0.19.8 waits for the last alone
        with deepspeed.zero.GatheredParameters([known[name]]):
            print_of(when, name, known[name])


def close():
    """End together. What still holds the process group at exit makes gloo abort now and then."""
    dist.barrier()
    gc.collect()
    dist.destroy_process_group()
