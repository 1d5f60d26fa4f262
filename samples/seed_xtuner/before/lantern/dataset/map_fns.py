"""What rows are made of."""

import os
import time

SHADES = ["black", "dark", "light", "bright"]
SIDE = 8  # pixels


def opened(name):
    """The pixels of a picture. (Its name is its shade: nothing is read here but the clock.)"""
    time.sleep(float(os.environ.get("LANTERN_DISK_SECONDS", 0)))
    return [SHADES.index(name) / len(SHADES)] * (3 * SIDE * SIDE)


def question_map_fn(row):
    """The two turns of a row, its picture opened."""
    shade = row["image"] or row["said"]
    asked = ["<image>", "shade"] if row["image"] else ["said", row["said"]]
    return {"input": asked, "output": [shade], "pixels": opened(row["image"]) if row["image"] else []}


def encode(row, tokenizer, max_length):
    words = [*row["input"], *row["output"]]
    labels = [-100] * len(row["input"]) + [tokenizer(word) for word in row["output"]]
    return {"input_ids": [tokenizer(word) for word in words][:max_length], "labels": labels[:max_length]}
