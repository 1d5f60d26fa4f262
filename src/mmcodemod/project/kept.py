"""Which expressions a value comes from, also out of dicts: `loaders["train"]`. May-analysis; a dict that does
not show whole ends the chain."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.facts.body import Via
from mmcodemod.facts.nodes import NodeSource
from mmcodemod.model.frozen import frozen
from mmcodemod.project.model import Project
from mmcodemod.project.origins import Origin, Origins
from mmcodemod.project.values import Key

Entry = tuple[ast.expr, str]  # a value, and the function that evaluates it


class _Open(Exception):
    """The dict may hold what is not written down."""


@frozen()
class _Slot:
    """`base[key]`: a place that is read or filled in a function; `key` None where it does not show."""

    key: ast.expr | None
    function: str

    def names(self, project: Project) -> frozenset[Key]:
        """The keys that may be meant, None among them where one may be any."""
        if self.key is None:
            return frozenset((None,))
        term = project.resolver.term(self.key, self.function)
        return frozenset(
            k for frame in project.frames(self.function) for k in project.solver.keys(term, frame)
        )


class Kept(Origins):
    """Origins that look into dicts."""

    def __init__(self, project: Project) -> None:
        super().__init__(project)
        self._looking: set[tuple[int, str]] = set()

    def _follow(self, expr: ast.expr, function: str, seen: set[tuple[int, str]]) -> Iterator[Origin]:
        entries = self._entries(expr, function) if isinstance(expr, ast.Subscript) else []
        for value, where in entries:
            yield from self._follow(value, where, seen)
        if not entries:
            yield from super()._follow(expr, function, seen)

    def _entries(self, looked: ast.Subscript, function: str) -> list[Entry]:
        """What may stand there; empty where it does not show, and where it is being looked for."""
        key = (id(looked), function)
        if key in self._looking:
            return []
        self._looking.add(key)
        try:
            asked = _Slot(looked.slice, function).names(self.project)
            dicts = self.of(looked.value, function)
            return list(dict.fromkeys(e for origin in dicts for e in self._held(origin, asked)))
        except _Open:
            return []
        finally:
            self._looking.discard(key)

    def _held(self, origin: Origin, asked: frozenset[Key]) -> Iterator[Entry]:
        """What a dict holds under keys that may be asked for."""
        for slot, value in (*_written(origin), *_put(self.project, origin)):
            names = slot.names(self.project)
            if names & asked or None in names | asked:
                yield value, slot.function


def _written(origin: Origin) -> Iterator[tuple[_Slot, ast.expr]]:
    """What stands in the display."""
    made, where = origin.expr, origin.function
    if isinstance(made, ast.DictComp):
        yield _Slot(made.key, where), made.value
    elif isinstance(made, ast.Dict) and None not in made.keys:
        yield from ((_Slot(key, where), value) for key, value in zip(made.keys, made.values))
    elif isinstance(made, ast.Call) and _is_dict(made):
        yield from ((_Slot(ast.copy_location(ast.Constant(k.arg), k), where), k.value) for k in made.keywords)
    else:
        raise _Open


def _is_dict(call: ast.Call) -> bool:
    """`dict(train=loader)`"""
    named = isinstance(call.func, ast.Name) and call.func.id == "dict"
    return named and not call.args and all(k.arg is not None for k in call.keywords)


def _put(project: Project, origin: Origin) -> Iterator[tuple[_Slot, ast.expr]]:
    """What any code puts into the dict later."""
    term = project.resolver.term(origin.expr, origin.function)
    for frame in project.frames(origin.function):
        for put, place in project.solver.filled.get(project.solver.site(term, frame), {}):
            where = place.function
            nodes = zip(project.solver.body(where).puts, project.resolver.body(where).puts)
            yield from ((_Slot(n.key, where), _plain(n.value)) for known, n in nodes if known is put)


def _plain(source: NodeSource) -> ast.expr:
    """The value itself; `update` and the like fill with what does not show."""
    if source.via is not Via.VALUE or source.index >= 0:
        raise _Open
    return source.expr
