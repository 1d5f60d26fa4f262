"""Adds a member to a JSON object; comments, order, number literals and line ends stay.

before: {"train_batch_size": "auto"}
after:  {"train_batch_size": "auto", "gradient_clipping": "auto"}
"""

from __future__ import annotations

from mmcodemod.api import Edit, edit_json


def added(text: str, path: str, key: str, value: str | float) -> tuple[Edit, ...] | None:
    """The edit that adds `"key": value` at the end of the object; None when that is in doubt."""
    return edit_json.set_value(text, path, (key,), value)
