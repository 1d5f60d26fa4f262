"""Methods of texts that settings are asked with: `args.model.lower().startswith("opt")`, and the parts of
texts: `args.model.split("/")[-1]`."""

from __future__ import annotations

import ast
from typing import Any

from mmcodemod.model.option import UNKNOWN

_CHANGES = ("lower", "upper", "strip")
_ASKS = ("startswith", "endswith")


def asks_text(node: ast.AST) -> bool:
    """`text.startswith("opt")`, with what it asks for written out."""
    return _method(node) in _ASKS and _asked(node) is not None


def changes_text(node: ast.AST) -> bool:
    """`text.lower()`"""
    return _method(node) in _CHANGES and isinstance(node, ast.Call) and not (node.args or node.keywords)


def splits_text(node: ast.AST) -> bool:
    """`text.split("/")[-1]`, with the separator and the index written out."""
    call = node.value if isinstance(node, ast.Subscript) else None
    return _method(call) == "split" and isinstance(_asked(call), str) and _index(node) is not None


def part(node: ast.Subscript, value: Any) -> Any:
    """What is at the index once a text is split; UNKNOWN for anything else, and where nothing is."""
    separator, index = _asked(node.value), _index(node)
    splits = isinstance(value, str) and isinstance(separator, str) and separator
    parts = value.split(separator) if splits else []
    return parts[index] if index is not None and -len(parts) <= index < len(parts) else UNKNOWN


def _index(node: ast.AST) -> int | None:
    found = node.slice if isinstance(node, ast.Subscript) else None
    back = isinstance(found, ast.UnaryOp) and isinstance(found.op, ast.USub)
    found = found.operand if isinstance(found, ast.UnaryOp) and back else found
    value = found.value if isinstance(found, ast.Constant) else None
    return (-value if back else value) if type(value) is int else None


def applied(node: ast.Call, value: Any) -> Any:
    """What the method makes of a text; UNKNOWN for anything else."""
    assert isinstance(node.func, ast.Attribute)
    if not isinstance(value, str):
        return UNKNOWN
    method = getattr(value, node.func.attr)
    return method(_asked(node)) if asks_text(node) else method()


def _method(node: ast.AST | None) -> str:
    return node.func.attr if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else ""


def _asked(node: ast.AST | None) -> str | tuple[str, ...] | None:
    given = node.args if isinstance(node, ast.Call) and not node.keywords else []
    if len(given) != 1:
        return None
    several = isinstance(given[0], ast.Tuple)
    parts = given[0].elts if isinstance(given[0], ast.Tuple) else [given[0]]
    texts = tuple(p.value for p in parts if isinstance(p, ast.Constant) and isinstance(p.value, str))
    if len(texts) != len(parts):
        return None
    return texts if several else texts[0]
