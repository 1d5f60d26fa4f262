"""Statements of code in their order, with what they give to names and do to dictionaries. Must-analysis: what
a branch, a loop or another function may change is UNKNOWN."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import field

from mmcodemod.facts.definitions import bare_name
from mmcodemod.facts.syntax import FunctionNode, unparse, walk
from mmcodemod.model.frozen import mutable
from mmcodemod.model.option import UNKNOWN, Special
from mmcodemod.model.place import Place
from mmcodemod.project.code_changes import HARMLESS, READS, may_change, own_expressions, passed_by
from mmcodemod.project.config_values import ModuleValues, Settings, Value
from mmcodemod.project.dictionaries import Without, item, put, take_out, within
from mmcodemod.project.python_config import Reading

Keys = list[str | None]


def _nothing(node: ast.Import | ast.ImportFrom) -> Settings:
    return {}


@mutable()
class StraightCode(Reading):
    """`taken` gives what an import from another file of the tree brings, by the names that it gets here.
    `kept`: the dictionaries that objects hold which are not followed, by how the code spells the place."""

    taken: Callable[[ast.Import | ast.ImportFrom], Settings] = _nothing
    kept: dict[str, Value] = field(default_factory=dict)

    def statement(self, node: ast.stmt) -> None:
        self._before(node)
        match node:
            case ast.AugAssign():
                self._added(node)
            case ast.Delete(targets=targets):
                for target in targets:
                    self._deleted(target, node)
            case ast.Import() | ast.ImportFrom():
                super().statement(node)
                self.known.update(self.taken(node))
            case ast.Expr():
                pass
            case _:
                super().statement(node)

    def _before(self, node: ast.stmt) -> None:
        """What the expressions of a statement do before it stores something."""
        for inner in own_expressions(node):
            if isinstance(inner, ast.Call):
                self._called(inner)
            elif isinstance(inner, ast.NamedExpr) or (passed_by(inner) and may_change(inner)):
                self._let_go_of_names(inner)
            elif isinstance(inner, (ast.Attribute, ast.Subscript)):
                self._looked_up(inner)

    def entered(self, node: ast.stmt) -> None:
        """What a loop goes over is open; so is what context managers give, but for `with open(path) as f`."""
        if isinstance(node, (ast.For, ast.AsyncFor)):
            self.lose(self.names.value(node.iter), self.names.at(node))
            for name in bound_names(node.target):
                self.known[name] = Value(UNKNOWN, self.names.at(node))
        for entry in node.items if isinstance(node, (ast.With, ast.AsyncWith)) else ():
            opens = unparse(entry.context_expr).startswith("open(")
            given = self.names.value(entry.context_expr) if opens else Value(UNKNOWN, self.names.at(node))
            if entry.optional_vars is not None:
                self._assign(entry.optional_vars, given)

    def passed_over(self, node: ast.stmt) -> None:
        """What may run or not may give names something, and change what they hold."""
        if may_change(node):
            self._let_go_of_names(node)
        for inner in walk(node):
            if isinstance(inner, ast.Call):
                self._handed_out(inner)
            elif isinstance(inner, (ast.Assign, ast.AnnAssign, ast.NamedExpr)) and inner.value is not None:
                self.lose(self.names.value(inner.value), self.names.at(node))  # it may have one more name
        for name in bound_names(node):
            self.known[name] = Value(UNKNOWN, self.names.at(node))

    # -- what is not followed ------------------------------------------------------------------------

    def lose(self, value: Value, at: Place) -> None:
        """Somebody may change all that a value holds."""
        lost = within(value)
        rest = Without(lost, at)
        for name in self.known if lost else ():
            self.known[name] = rest.of(self.known[name])

    def forget(self, names: Iterable[str], at: Place) -> None:
        """Functions that are not followed may change what names hold."""
        for name in names:
            if name in self.known:
                self._let_go(name, at)
                self.known[name] = Value(UNKNOWN, at)

    def _let_go_of_names(self, node: ast.AST) -> None:
        for name in {n.id for n in walk(node) if isinstance(n, ast.Name)}:
            self._let_go(name, Place(self.path, getattr(node, "lineno", 1)))

    def _let_go(self, name: str, at: Place) -> None:
        """Anything may happen to what a name holds, and to what hangs below it."""
        held = [value for place, value in self.kept.items() if place.partition(".")[0] == name]
        for value in (*held, *([self.known[name]] if name in self.known else ())):
            self.lose(value, at)

    def _looked_up(self, place: ast.Attribute | ast.Subscript) -> None:
        """Whoever gets a dictionary from an object that is not followed, or by a key that does not show, may
        change it by another name."""
        if not isinstance(place.ctx, ast.Load):
            return
        held = self.kept.get(unparse(place)) if self.kept else None
        if isinstance(place, ast.Subscript) and not isinstance(self.names.value(place.slice).scalar, str):
            held = held or self.names.value(place.value)
        if held is not None:
            self.lose(held, self.names.at(place))

    # -- changes of a dictionary ---------------------------------------------------------------------

    def _assign(self, target: ast.expr, value: Value) -> None:
        """`a, b = one, other` gives each its own."""
        if not isinstance(target, (ast.Tuple, ast.List)):
            super()._assign(target, value)
            return
        parts = value.content if isinstance(value.content, tuple) else ()
        alike = len(parts) == len(target.elts) and not any(isinstance(e, ast.Starred) for e in target.elts)
        if not alike:
            self.lose(value, value.at)
        for number, one in enumerate(target.elts):
            self._assign(one, parts[number] if alike else Value(UNKNOWN, value.at))

    def _store(self, target: ast.expr, value: Value) -> None:
        """`model["a"]["b"] = x` and `model.a = x`"""
        root, keys = self._way(target)
        known = self.known.get(root)
        if known is None or isinstance(known.content, Special):
            self.kept[unparse(target)] = value
        elif None in keys or not put(known, shown(keys), value):
            self.lose(known, value.at)

    def _way(self, target: ast.expr) -> tuple[str, Keys]:
        """The name that a chain of keys begins with, and the keys; None for one that does not show."""
        keys: Keys = []
        while isinstance(target, (ast.Subscript, ast.Attribute)):
            key = target.attr if isinstance(target, ast.Attribute) else self.names.value(target.slice).scalar
            keys.insert(0, key if isinstance(key, str) else None)
            target = target.value
        return (target.id if isinstance(target, ast.Name) else ""), keys

    def _added(self, node: ast.AugAssign) -> None:
        """`settings |= more` changes the object; any other `+=` gives the place something new."""
        held, more = self.names.value(node.target), self.names.value(node.value)
        joins = isinstance(node.op, ast.BitOr)
        if joins and isinstance(held.content, dict) and isinstance(more.content, dict):
            held.content.update(more.content)
            return
        self.lose(held, self.names.at(node))
        self._assign(node.target, Value(UNKNOWN, self.names.at(node)))

    def _deleted(self, target: ast.expr, node: ast.stmt) -> None:
        root, keys = self._way(target)
        if not keys:
            self.known.pop(root, None)
        elif root in self.known and None not in keys:
            take_out(self.known[root], shown(keys))
        else:
            self._let_go(root, self.names.at(node))

    # -- calls ---------------------------------------------------------------------------------------

    def _called(self, call: ast.Call) -> None:
        if not isinstance(call.func, ast.Attribute):
            self._handed_out(call)
            return
        root, keys = self._way(call.func.value)
        known = self.known.get(root)
        held = None if known is None or None in keys else item(known, shown(keys))
        module = held is not None and isinstance(held.content, ModuleValues)
        if held is not None and isinstance(held.content, dict) and not module:
            self._by_method(held, call.func.attr, call)
            return
        self._handed_out(call)
        if call.func.attr not in READS and not module:
            self._let_go(root, self.names.at(call))

    def _by_method(self, held: Value, method: str, call: ast.Call) -> None:
        """`settings.update(a=1)`, `settings.pop("a")`; a method that is not known may do anything."""
        assert isinstance(held.content, dict)
        given = [*map(self.names.value, call.args), self.names.settings(call.keywords, call)]
        more = [v.content for v in given if isinstance(v.content, dict)]
        key = given[0].scalar if call.args else None
        if method == "update" and len(more) == len(given):
            for entries in more:
                held.content.update(entries)
        elif method == "pop" and isinstance(key, str):
            held.content.pop(key, None)
        elif method == "setdefault" and isinstance(key, str) and len(call.args) > 1:
            held.content.setdefault(key, given[1])
        elif method not in READS or (method == "get" and not isinstance(key, str)):
            self.lose(held, self.names.at(call))

    def _handed_out(self, call: ast.Call) -> None:
        """A function may change what it is given."""
        if bare_name(call.func) not in HARMLESS:
            for given in (*call.args, *(k.value for k in call.keywords if k.arg is not None)):
                inner = given.value if isinstance(given, ast.Starred) else given
                self.lose(self.names.value(inner), self.names.at(call))


def shown(keys: Sequence[str | None]) -> list[str]:
    """Keys that all show."""
    return [key or "" for key in keys]


def bound_names(node: ast.AST) -> Iterator[str]:
    """The names that a branch or a loop may give something."""
    for inner in walk(node):
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, (ast.Store, ast.Del)):
            yield inner.id
        elif isinstance(inner, ast.alias):
            yield inner.asname or inner.name.partition(".")[0]


def parameters(function: FunctionNode) -> Iterator[str]:
    """The names of what a function is given."""
    if not isinstance(function, ast.Module):
        yield from (node.arg for node in walk(function.args) if isinstance(node, ast.arg))
