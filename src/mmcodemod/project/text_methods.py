"""Methods of texts that settings are asked with: `args.model.lower().startswith("opt")`."""

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


def applied(node: ast.Call, value: Any) -> Any:
    """What the method makes of a text; UNKNOWN for anything else."""
    assert isinstance(node.func, ast.Attribute)
    if not isinstance(value, str):
        return UNKNOWN
    method = getattr(value, node.func.attr)
    return method(_asked(node)) if asks_text(node) else method()


def _method(node: ast.AST) -> str:
    return node.func.attr if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else ""


def _asked(node: ast.AST) -> str | tuple[str, ...] | None:
    given = node.args if isinstance(node, ast.Call) and not node.keywords else []
    if len(given) != 1:
        return None
    several = isinstance(given[0], ast.Tuple)
    parts = given[0].elts if isinstance(given[0], ast.Tuple) else [given[0]]
    texts = tuple(p.value for p in parts if isinstance(p, ast.Constant) and isinstance(p.value, str))
    if len(texts) != len(parts):
        return None
    return texts if several else texts[0]
