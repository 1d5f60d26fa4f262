"""Packages that import their parts late: a table `_import_structure` of submodules and their names."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.facts.body import Body
from mmcodemod.facts.python import FileFacts

LAZY = "_import_structure"


def lazy_submodules(file: FileFacts, body: Body, name: str) -> Iterator[str]:
    """The submodules that the table says `name` comes from."""
    for key, value in (*_displayed(file), *_put(body)):
        if isinstance(key, ast.Constant) and isinstance(key.value, str) and _holds(value, name):
            yield key.value


def _displayed(file: FileFacts) -> Iterator[tuple[ast.expr | None, ast.expr]]:
    for table in file.bindings.get(LAZY, ()):
        if isinstance(table, ast.Dict):
            yield from zip(table.keys, table.values)


def _put(body: Body) -> Iterator[tuple[ast.expr | None, ast.expr]]:
    """`_import_structure["part"] = [...]`, and `.append` or `.extend` on such an entry."""
    for put in body.puts:
        entry = put.base
        base = entry.value if isinstance(entry, ast.Subscript) else entry
        key = entry.slice if isinstance(entry, ast.Subscript) else put.key
        if isinstance(base, ast.Name) and base.id == LAZY:
            yield key, put.value.expr


def _holds(value: ast.expr, name: str) -> bool:
    parts = value.elts if isinstance(value, (ast.List, ast.Tuple)) else [value]
    return any(isinstance(p, ast.Constant) and p.value == name for p in parts)
