"""Prepares a large text file before a run, on a machine that does nothing else: `python lantern/tools/pack.py IN OUT`."""

import sys

from datasets import load_dataset


def packed(path, map_num_proc=32):
    rows = load_dataset("text", data_files=path, split="train")
    return rows.map(lambda row: {"words": row["text"].split()}, num_proc=map_num_proc)


if __name__ == "__main__":
    packed(sys.argv[1]).save_to_disk(sys.argv[2])
