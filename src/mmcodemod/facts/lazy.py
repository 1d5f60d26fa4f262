"""Packages that import their parts late: a table `_import_structure` of submodules and their names."""

from __future__ import annotations

from collections.abc import Iterator

from mmcodemod.facts.body import Body
from mmcodemod.facts.python import FileFacts
from mmcodemod.facts.terms import Call, Constant, Dict, List, Name, Subscript, Term, Tuple

LAZY = "_import_structure"


def lazy_submodules(file: FileFacts, body: Body[Term, Call], name: str) -> Iterator[str]:
    """The submodules that the table says `name` comes from."""
    for key, value in (*_displayed(file), *_put(body)):
        if isinstance(key, Constant) and isinstance(key.value, str) and _holds(value, name):
            yield key.value


def _displayed(file: FileFacts) -> Iterator[tuple[Term | None, Term]]:
    for table in file.bindings.get(LAZY, ()):
        if isinstance(table, Dict):
            yield from zip(table.keys, table.values)


def _put(body: Body[Term, Call]) -> Iterator[tuple[Term | None, Term]]:
    """`_import_structure["part"] = [...]`, and `.append` or `.extend` on such an entry."""
    for put in body.puts:
        entry = put.base
        base = entry.value if isinstance(entry, Subscript) else entry
        key = entry.slice if isinstance(entry, Subscript) else put.key
        if isinstance(base, Name) and base.id == LAZY:
            yield key, put.value.expr


def _holds(value: Term, name: str) -> bool:
    parts = value.elts if isinstance(value, (List, Tuple)) else [value]
    return any(isinstance(p, Constant) and p.value == name for p in parts)
