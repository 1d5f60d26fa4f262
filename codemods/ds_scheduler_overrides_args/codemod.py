"""Takes the "scheduler" out of a DeepSpeed configuration; everything else of the file stays.

before: {"scheduler": {"type": "WarmupLR"}, "train_batch_size": "auto"}
after:  {"train_batch_size": "auto"}
"""

from __future__ import annotations

from mmcodemod.api import Edit, JsonNode, remove_member


def without(text: str, path: str, root: JsonNode, key: str) -> tuple[Edit, ...]:
    """The edits that take the member `key` out of `root`."""
    return tuple(Edit(path, *edit) for edit in remove_member(text, root, key))
