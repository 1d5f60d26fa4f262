"""How a scalar is written in YAML so that PyYAML's SafeLoader reads it back."""

from __future__ import annotations

import json
import re
from typing import Any

from mmcodemod.facts.node import NodeScalar
from mmcodemod.model.pattern import regex

_PLAIN = regex(r"(?!\.\.\.)[A-Za-z0-9_./][A-Za-z0-9_./+@%-]*")
# What a double-quoted scalar may not hold, and what ends a line in YAML but not in JSON; compiled when it is
# asked for, which takes 4 ms.
_ESCAPED = "[^\t\n\r\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"


def written(value: NodeScalar, style: str = "") -> str:
    """The text of a scalar; `style` is the quote that a string has, or "" where it needs none."""
    if isinstance(value, str):
        return _string(value, style)
    if isinstance(value, float):
        number = repr(value)
        return number if "." in number else number.replace("e", ".0e")  # `1e-05` is a string in YAML 1.1
    return json.dumps(value)


def _string(value: str, style: str) -> str:
    if style == "'" and value.isprintable():
        return "'" + value.replace("'", "''") + "'"
    if not style and _PLAIN.fullmatch(value) and is_string(value):
        return value
    quoted = json.dumps(value, ensure_ascii=False)
    return re.sub(_ESCAPED, lambda found: f"\\u{ord(found.group()):04x}", quoted)


def is_string(plain: str) -> bool:
    """Is a plain scalar text, and not a number, a truth value or such?"""
    import yaml  # slow to import

    resolver: Any = yaml.resolver.Resolver()
    return bool(resolver.resolve(yaml.ScalarNode, plain, (True, False)) == "tag:yaml.org,2002:str")
