"""Takes the "scheduler" out of a DeepSpeed configuration; everything else of the file stays.

before: {"scheduler": {"type": "WarmupLR"}, "train_batch_size": "auto"}
after:  {"train_batch_size": "auto"}
"""

from __future__ import annotations

from mmcodemod.api import Edit, edit_json


def without(text: str, path: str, key: str) -> tuple[Edit, ...] | None:
    """The edits that take the member `key` out of the document; None when that is in doubt."""
    return edit_json.remove(text, path, (key,))
