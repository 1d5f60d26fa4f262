"""Where code stops because several things hold at once: `if args.x: if is_y(): raise ...`."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from mmcodemod.model.context import Entry
from mmcodemod.model.place import Place
from mmcodemod.project.model import Project


def refused(project: Project, entry: Entry, names: frozenset[str]) -> Place | None:
    """The first `raise` that a run reaches as soon as everything named holds: attributes, variables, or
    functions that are called. Further tests around it do not count: then other things must hold, too."""
    reach = project.reach(entry)
    found = [
        project.place(facts.path, node)
        for facts in project.mentioning(*sorted(names))
        if facts.id in reach
        for node in _raised(getattr(facts.node, "body", ()), frozenset(), names)
    ]
    return min(found, default=None)


def _raised(body: Sequence[ast.stmt], held: frozenset[str], names: frozenset[str]) -> Iterator[ast.Raise]:
    for statement in body:
        if isinstance(statement, ast.Raise) and held == names:
            yield statement
        elif isinstance(statement, ast.If):
            asked = _asked(statement.test)
            if asked is not None and asked <= names:
                yield from _raised(statement.body, held | asked, names)
            yield from _raised(statement.orelse, held, names)
        elif isinstance(statement, ast.With):
            yield from _raised(statement.body, held, names)


def _asked(test: ast.expr) -> frozenset[str] | None:
    """What holds where a test does; None when it is more than names joined by `and`."""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        parts = [_asked(value) for value in test.values]
        return None if None in parts else frozenset().union(*(p for p in parts if p))
    match test:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return frozenset((name,))
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=[]):
            return frozenset((name,))
    return None
