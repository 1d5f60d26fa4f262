"""Makes what is trained on of what was collected. It takes its time, so one rank does it for all."""

from functools import partial

import torch.distributed as dist
from datasets import DatasetDict

from lantern.registry import BUILDER

from .map_fns import encode


def process(dataset, tokenizer, max_length, map_fn=None, split="train", map_num_proc=32):
    """The rows of a split: turns, without those that say nothing, as numbers."""
    if isinstance(dataset, DatasetDict):
        dataset = dataset[split]
    if map_fn is not None:
        dataset = dataset.map(map_fn, num_proc=map_num_proc)
    dataset = dataset.filter(lambda row: len(row["output"]) > 0, num_proc=map_num_proc)
    if isinstance(tokenizer, dict):
        tokenizer = BUILDER.build(tokenizer)
    return dataset.map(partial(encode, tokenizer=tokenizer, max_length=max_length), num_proc=map_num_proc)


def process_for_all(*args, **kwargs):
    if not (dist.is_available() and dist.is_initialized()):
        return process(*args, **kwargs)

    if dist.get_rank() == 0:
        objects = [process(*args, **kwargs)]
    else:
        objects = [None]
    dist.broadcast_object_list(objects, src=0)
    return objects[0]
