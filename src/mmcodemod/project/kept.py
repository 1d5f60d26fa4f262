"""Which expressions a value comes from, also out of dicts and lists: `loaders["train"]`,
`loaders.get("train")`, `for loader in loaders.values()`. May-analysis; a dict or a list that does not show
whole ends the chain."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.facts.body import Via
from mmcodemod.facts.nodes import NodeSource
from mmcodemod.model.frozen import frozen
from mmcodemod.project.looped import looped, picked
from mmcodemod.project.model import Project
from mmcodemod.project.origins import Origin, Tracing
from mmcodemod.project.values import Key

Entry = tuple[ast.expr, str]  # a value, and the function that evaluates it


class _Open(Exception):
    """The dict or the list may hold what is not written down."""


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


class Kept(Tracing):
    """Origins that look into dicts and lists. Use through `project.get(Kept)`: what was found for one is
    known to the next."""

    def __init__(self, project: Project) -> None:
        super().__init__(project)
        self._looking: set[tuple[int, str]] = set()
        self._cut = 0  # how often something was being looked for already
        # Keeps the expressions, so that no id is used again.
        self._known: dict[object, tuple[ast.expr, ast.expr, list[Entry]]] = {}

    def _follow(self, expr: ast.expr, function: str, seen: set[tuple[int, str]]) -> Iterator[Origin]:
        entries = self._looked_up(expr, function)
        for value, where in entries:
            yield from self._follow(value, where, seen)
        if not entries:
            yield from super()._follow(expr, function, seen)

    def _source(
        self, source: NodeSource, name: ast.expr, function: str, seen: set[tuple[int, str]]
    ) -> Iterator[Origin]:
        entries = self._each(source, name, function)
        for value, where in entries:
            yield from self._follow(value, where, seen)
        if not entries and not self._fills(source, name, function):
            yield from super()._source(source, name, function, seen)

    def _fills(self, source: NodeSource, name: ast.expr, function: str) -> bool:
        """Is it put into a list that shows, among whose parts it is found?"""
        named = self.project.resolver.body(function).names
        others = named.get(name.id, ()) if isinstance(name, ast.Name) else ()
        return source.via is Via.INTO and any(other.via is Via.VALUE for other in others)

    def _looked_up(self, expr: ast.expr, function: str) -> list[Entry]:
        match expr:
            case ast.Subscript(value=held, slice=key):
                return self._entries(expr, held, _Slot(key, function))
            case ast.Call(func=ast.Attribute(value=held, attr="get"), args=[key, *rest], keywords=[]):
                found = self._entries(expr, held, _Slot(key, function))
                return [*found, *((other, function) for other in rest[:1])] if found else []
        return []

    def _each(self, source: NodeSource, name: ast.expr, function: str) -> list[Entry]:
        """What a loop gives a name, as far as it gets to where the name is read."""
        found = looped(self.project, function, source)
        key = picked(self.project, function, found, name) if found is not None else None
        if found is None or key is None:
            return []
        slot = _Slot(key if isinstance(key, ast.Constant) else None, function)
        return self._entries(name, found.held, slot, dict if found.by_key else list)

    def _entries(
        self, looked: ast.expr, held: ast.expr, slot: _Slot, kind: type | None = None
    ) -> list[Entry]:
        """What may stand there; empty where it does not show, and where it is being looked for. `kind`: only
        in dicts, or in lists."""
        key = (id(looked), slot.function)
        if key in self._looking:
            self._cut += 1
            return []
        place = (*key, id(held), kind)
        if place not in self._known:
            self._looking.add(key)
            before = self._cut
            try:
                found = self._found(held, slot, kind)
            finally:
                self._looking.discard(key)
            if self._cut != before:
                return found
            self._known[place] = looked, held, found
        return self._known[place][2]

    def _found(self, held: ast.expr, slot: _Slot, kind: type | None) -> list[Entry]:
        try:
            asked, holders = slot.names(self.project), self.of(held, slot.function)
            if kind is not None and any(_is_list(o.expr) is not (kind is list) for o in holders):
                return []
            return list(dict.fromkeys(e for origin in holders for e in self._held(origin, asked)))
        except _Open:
            return []

    def _held(self, origin: Origin, asked: frozenset[Key]) -> Iterator[Entry]:
        """What a dict or a list holds under keys that may be asked for."""
        for slot, value in (*_written(origin), *_put(self.project, origin)):
            names = slot.names(self.project)
            if names & asked or None in names | asked:
                yield value, slot.function


def _written(origin: Origin) -> Iterator[tuple[_Slot, ast.expr]]:
    """What stands in the display."""
    made, where = origin.expr, origin.function
    if isinstance(made, ast.DictComp):
        yield _Slot(made.key, where), made.value
    elif isinstance(made, (ast.List, ast.Tuple)) and not any(isinstance(e, ast.Starred) for e in made.elts):
        places = (_constant(number, value) for number, value in enumerate(made.elts))
        yield from ((_Slot(place, where), value) for place, value in zip(places, made.elts))
    elif isinstance(made, ast.Dict) and None not in made.keys:
        yield from ((_Slot(key, where), value) for key, value in zip(made.keys, made.values))
    elif isinstance(made, ast.Call) and _is_dict(made):
        yield from ((_Slot(_constant(k.arg, k), where), k.value) for k in made.keywords)
    else:
        raise _Open


def _constant(value: str | int | None, at: ast.expr | ast.keyword) -> ast.Constant:
    return ast.copy_location(ast.Constant(value), at)


def _is_list(made: ast.expr) -> bool:
    return isinstance(made, (ast.List, ast.Tuple))


def _is_dict(call: ast.Call) -> bool:
    """`dict(train=loader)`"""
    named = isinstance(call.func, ast.Name) and call.func.id == "dict"
    return named and not call.args and all(k.arg is not None for k in call.keywords)


def _put(project: Project, origin: Origin) -> Iterator[tuple[_Slot, ast.expr]]:
    """What any code puts there later."""
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
