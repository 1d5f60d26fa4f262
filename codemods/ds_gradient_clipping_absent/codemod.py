"""Adds a member to a JSON object; comments, order, number literals and line ends stay.

before: {"train_batch_size": "auto"}
after:  {"train_batch_size": "auto", "gradient_clipping": "auto"}
"""

from __future__ import annotations

from mmcodemod.api import Edit, JsonNode, insert_member


def added(text: str, path: str, root: JsonNode, key: str, value: str) -> tuple[Edit, ...]:
    """The edit that adds `"key": value` at the end of the object."""
    start, end, new = insert_member(text, root, key, value)
    return (Edit(path, start, end, new),)
