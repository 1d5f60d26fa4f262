"""A stack walker over LibCST's dataclass fields, in source order: no visitor, no metadata."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

import libcst as cst

_SKIPPED = frozenset(
    [
        "leading_lines",
        "trailing_whitespace",
        "lpar",
        "rpar",
        "header",
        "footer",
        "whitespace_before",
        "whitespace_after",
        "comma",
        "semicolon",
        "equal",
        "lines_after_decorators",
        "leading_whitespace",
        "encoding",
        "default_indent",
        "default_newline",
        "has_trailing_newline",
        "lbracket",
        "rbracket",
        "lbrace",
        "rbrace",
        "operator",
        "metadata",
    ]
)
_ORDER: dict[Any, tuple[str, ...]] = {
    cst.FunctionDef: ("decorators", "name", "type_parameters", "params", "returns", "body"),
    cst.ClassDef: ("decorators", "name", "type_parameters", "bases", "keywords", "body"),
    cst.IfExp: ("body", "test", "orelse"),
    cst.MatchCase: ("pattern", "guard", "body"),
    cst.ExceptHandler: ("type", "name", "body"),
    cst.ExceptStarHandler: ("type", "name", "body"),
    cst.Param: ("name", "annotation", "default"),
    cst.Parameters: ("posonly_params", "params", "star_arg", "kwonly_params", "star_kwarg"),
}
_IN_AST = {"BinaryOperation": "BinOp"}
_fields: dict[Any, tuple[str, ...]] = {}


def _reversed_fields(cls: Any) -> tuple[str, ...]:
    found = _fields.get(cls)
    if found is None:
        names = _ORDER.get(cls) or tuple(
            n for n in cls.__dataclass_fields__ if n not in _SKIPPED and not n.startswith("whitespace")
        )
        found = _fields[cls] = tuple(reversed(names))
    return found


def walk(root: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """Every node below `root` in source order, insides of f-strings left out."""
    stack: list[cst.CSTNode] = [root]
    while stack:
        node = stack.pop()
        if node.__class__ is not cst.FormattedString:
            yield node
            stack += _backwards(node)


def _backwards(node: cst.CSTNode) -> list[cst.CSTNode]:
    """The nodes in the fields of a node, the last one first."""
    found: list[cst.CSTNode] = []
    for name in _reversed_fields(node.__class__):
        value = getattr(node, name)
        kind = value.__class__
        if kind is tuple or kind is list:
            found += [v for v in reversed(value) if _is_node(v.__class__)]
        elif _is_node(kind):
            found.append(value)
    return found


@cache
def _is_node(kind: type) -> bool:
    """Asked by class: LibCST's nodes have an abstract base, which is slow to ask each of them for."""
    return issubclass(kind, cst.CSTNode)


def around(root: cst.CSTNode, nodes: Iterable[cst.CSTNode]) -> frozenset[cst.CSTNode]:
    """Some nodes below `root`, and all that hold one of them."""
    holders: dict[cst.CSTNode, cst.CSTNode] = {}
    stack = [root]
    while stack:
        node = stack.pop()
        inner = _backwards(node) if node.__class__ is not cst.FormattedString else []
        holders.update(dict.fromkeys(inner, node))
        stack += inner
    found = set(nodes)
    for node in nodes:
        while node in holders and holders[node] not in found:
            node = holders[node]
            found.add(node)
    return frozenset(found)


def by_kind(module: cst.Module, kinds: set[str]) -> dict[str, list[cst.CSTNode]]:
    """The nodes of some classes, by their name in `ast`, in source order: one traversal for all."""
    found: dict[str, list[cst.CSTNode]] = {kind: [] for kind in kinds}
    for node in walk(module):
        name = _IN_AST.get(node.__class__.__name__, node.__class__.__name__)
        if name in found and not _is_async(node):
            found[name].append(node)
    return found


def _is_async(node: cst.CSTNode) -> bool:
    """`ast` has classes of their own for async statements."""
    return getattr(node, "asynchronous", None) is not None and not isinstance(node, cst.CompFor)
