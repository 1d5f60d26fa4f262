"""Classes that code looks up in tables which are written out, `MODELS[args.kind](...)`: which of them a run
may take. May-analysis."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.facts.syntax import unparse
from mmcodemod.model.frozen import frozen
from mmcodemod.model.option import UNKNOWN
from mmcodemod.project.model import Project
from mmcodemod.project.origins import Origin
from mmcodemod.project.settings import Settings
from mmcodemod.project.values import ClassRef, ordered


@frozen()
class LookedUp:
    """A look-up by the text of its key; `named`: the classes of all entries, `taken`: of those that the run
    may take."""

    key: str
    named: frozenset[str]
    taken: frozenset[str]


def looked_up(project: Project, settings: Settings, made: Origin) -> Iterator[LookedUp]:
    """The look-ups that give what a call runs."""
    func = made.expr.func if isinstance(made.expr, ast.Call) else None
    for origin in settings.origins(func, made.function) if func is not None else ():
        at = _at(origin.expr)
        if at is not None:
            yield from _in_tables(project, settings, at, origin.function)


def _at(expr: ast.expr) -> tuple[ast.expr, ast.expr] | None:
    """The table and the key of `TABLE[key]` and `TABLE.get(key)`."""
    if isinstance(expr, ast.Subscript):
        return expr.value, expr.slice
    func = expr.func if isinstance(expr, ast.Call) else None
    got = isinstance(func, ast.Attribute) and func.attr == "get" and bool(expr.args)  # type: ignore[attr-defined]
    return (func.value, expr.args[0]) if got else None  # type: ignore[union-attr,attr-defined]


def _in_tables(
    project: Project, settings: Settings, at: tuple[ast.expr, ast.expr], function: str
) -> Iterator[LookedUp]:
    table, key = at
    keys = {s.value for s in settings.of(key, function)}
    for origin in settings.origins(table, function):
        if isinstance(origin.expr, ast.Dict):
            classes = list(_classes(project, origin.expr, origin.function))
            named = frozenset(cls for _, cls in classes)
            taken = frozenset(cls for name, cls in classes if name in keys)
            yield LookedUp(unparse(key), named, named if UNKNOWN in keys or not taken else taken)


def _classes(project: Project, table: ast.Dict, function: str) -> Iterator[tuple[object, str]]:
    """The key and the class of each entry."""
    for key, value in zip(table.keys, table.values, strict=True):
        for found in ordered(project.values(value, function)):
            if isinstance(found, ClassRef):
                yield (key.value if isinstance(key, ast.Constant) else UNKNOWN), found.cls
