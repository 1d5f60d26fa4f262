"""What objects are that a run chooses by name, and what tests of them come to: `lib.talk = TALKS[args.name]`
in one place, `if lib.talk.version == "v1"` in another. May-analysis: UNKNOWN is all that does not show."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from itertools import product
from typing import Any

from mmcodemod.facts.body import Via
from mmcodemod.facts.nodes import NodeSource
from mmcodemod.model.context import Context, Origin
from mmcodemod.model.frozen import frozen
from mmcodemod.model.option import UNKNOWN, Special
from mmcodemod.model.verdict import Fatal
from mmcodemod.project.comes_by import comes_by
from mmcodemod.project.fields import default_of
from mmcodemod.project.flow import flow_of, raises
from mmcodemod.project.model import Project
from mmcodemod.project.module_variables import Stores, Variable, stores_to, variable
from mmcodemod.project.origins import BOTH
from mmcodemod.project.setting import OBJECT, outcomes
from mmcodemod.project.settings import Settings
from mmcodemod.project.values import ClassRef, Instance

COPIES = ("copy", "deepcopy")
ENUMS = {"enum.Enum", "enum.IntEnum", "enum.StrEnum"}


@frozen()
class Plain:
    """A text, a number, a tuple of them, None."""

    value: Any


@frozen()
class Member:
    """A member of an enumeration of the tree."""

    cls: str
    name: str


@frozen()
class Object:
    """What one call makes of a class of the tree; `function` evaluates the arguments."""

    cls: str
    call: ast.Call
    function: str


@frozen()
class Table:
    """A dictionary that is written out."""

    node: ast.Dict
    function: str


Value = Plain | Member | Object | Table | Special
Values = frozenset[Value]
OPEN: Values = frozenset((UNKNOWN,))


class Chosen:
    """Values and tests in one launched run; elsewhere no flag shows."""

    def __init__(self, project: Project, context: Context) -> None:
        self._project = project
        self._context = context
        self._settings = Settings(project, context)
        self._open: set[object] = set()

    def of(self, expr: ast.expr, function: str) -> Values:
        """What `expr` may be in `function`."""
        key = (id(expr), function)
        if key in self._open:
            return OPEN
        self._open.add(key)
        try:
            return self._of(expr, function) or OPEN
        finally:
            self._open.discard(key)

    def _of(self, expr: ast.expr, function: str) -> Values:
        held = variable(self._project, expr, function)
        if held is not None:
            return self._held(held)
        if isinstance(expr, ast.Dict):
            return frozenset((Table(expr, function),))
        if isinstance(expr, ast.Subscript):
            return self._entries(expr, function)
        if isinstance(expr, ast.Attribute):
            return self._attribute(expr, function)
        if isinstance(expr, ast.Call):
            return self._called(expr, function)
        if isinstance(expr, ast.Name):
            sources = self._project.resolver.body(function).names.get(expr.id, ())
            if sources and expr.id not in self._project.index.function(function).parameters.names:
                return self._joined(sources, function)
        return self._set(expr, function)

    def _set(self, expr: ast.expr, function: str) -> Values:
        """What settings say. A run that nothing launches may be given any flag."""
        told = self._context.origin is Origin.LAUNCHED
        found = self._settings.of(expr, function)
        return frozenset(
            UNKNOWN if s.value in (UNKNOWN, OBJECT) or (s.flag and not told) else Plain(s.value)
            for s in found
        )

    def _joined(self, sources: Iterable[NodeSource], function: str) -> Values:
        return frozenset(v for source in sources for v in self._source(source, function))

    def _source(self, source: NodeSource, function: str) -> Values:
        plain = source.via is Via.VALUE and source.index < 0
        return self.of(source.expr, function) if plain else OPEN

    # -- variables of modules -----------------------------------------------------------------------

    def _held(self, held: Variable) -> Values:
        """The value that the module gives it, and those that the run stores there instead."""
        stores = stores_to(self._project, held)
        if held in self._open or stores.changed:
            return OPEN
        self._open.add(held)
        try:
            found, replaced = Values(), False
            for function, source in self._reached(stores):
                ways = self._ways(source.expr, function)
                if False not in ways:
                    found |= self._source(source, function)
                    replaced = replaced or (not ways and self._runs(function, source.expr))
            module = f"{held.path}::<module>"
            first = () if replaced else self._project.resolver.body(module).names.get(held.name, ())
            return found | self._joined(first, module)
        finally:
            self._open.discard(held)

    def _reached(self, stores: Stores) -> list[tuple[str, NodeSource]]:
        reach = self._project.reach(self._context.entry) if self._context.entry else ()
        return [(function, source) for function, source in stores.found if function in reach]

    def _ways(self, node: ast.AST, function: str) -> set[bool]:
        """Of the tests around a place: False where one keeps the run out, True where one stays open. The open
        test whose other side raises is decided in every run that goes on."""
        tests = flow_of(self._project, function).tests(node)
        truths = [(asked, outcome, self.truths(asked.test, function)) for asked, outcome in tests]
        left = [(outcome, t) for asked, outcome, t in truths if t != BOTH or not _stops(asked, not outcome)]
        return {outcome in t for outcome, t in left if t != {outcome}}

    def _runs(self, function: str, node: ast.AST) -> bool:
        """Does the run surely come to the function, whose tests around the place are decided?"""
        tests = frozenset(flow_of(self._project, function).tests(node))
        came = comes_by(self._project, self._context, function, node, settled=tests)
        return isinstance(came, Fatal)

    # -- parts of values ------------------------------------------------------------------------------

    def _entries(self, expr: ast.Subscript, function: str) -> Values:
        keys = self.of(expr.slice, function)
        found: set[Value] = set()
        for table in self.of(expr.value, function):
            if not isinstance(table, Table) or not all(isinstance(k, ast.Constant) for k in table.node.keys):
                return OPEN
            for key, value in zip(table.node.keys, table.node.values):
                assert isinstance(key, ast.Constant)
                if UNKNOWN in keys or Plain(key.value) in keys:
                    found |= self.of(value, table.function)
        return frozenset(found)

    def _attribute(self, expr: ast.Attribute, function: str) -> Values:
        bases = self._project.values(expr.value, function)
        members = {Member(v.cls, expr.attr) for v in bases if isinstance(v, ClassRef) and self._lists(v.cls)}
        if members:
            return frozenset(members)
        objects = self.of(expr.value, function)
        if all(isinstance(o, Object) for o in objects):
            return frozenset(v for o in objects if isinstance(o, Object) for v in self._field(o, expr.attr))
        other = any(isinstance(v, Instance) for v in bases) and _rooted(self._project, expr, function)
        return OPEN if other else self._set(expr, function)  # no field of what a launch fills

    def _lists(self, cls: str) -> bool:
        """Is it an enumeration?"""
        bases = (
            (b, f"{facts.path}::{facts.scope}") for facts in self._project.bases(cls) for b in facts.bases
        )
        return any(self._project.names(base, scope) & ENUMS for base, scope in bases)

    def _field(self, made: Object, name: str) -> Values:
        """A field of an object of a dataclass: what the call passes, else the default."""
        facts = self._project.index.cls(made.cls)
        methods = [self._project.index.function(f"{facts.path}::{m}").body for m in facts.methods.values()]
        stored = any(store.attr == name for body in methods for store in body.stores)
        if "dataclass" not in facts.decorators or name not in facts.fields or stored or facts.bases:
            return OPEN
        passed: dict[str | None, ast.expr] = dict(zip(facts.fields, made.call.args))
        passed |= {k.arg: k.value for k in made.call.keywords}
        if None in passed or any(isinstance(a, ast.Starred) for a in made.call.args):
            return OPEN
        if name in passed:
            return self.of(passed[name], made.function)
        written = facts.defined.attributes.get(name, [])
        default = default_of(written[-1]) if written else None
        return self.of(default, f"{facts.path}::{facts.scope}") if default is not None else OPEN

    def _called(self, expr: ast.Call, function: str) -> Values:
        if isinstance(expr.func, ast.Attribute) and expr.func.attr in COPIES:
            of = self.of(expr.args[0] if expr.args else expr.func.value, function)
            return of if all(isinstance(v, Object) for v in of) else OPEN
        made = self._project.values(expr.func, function)
        if made and all(isinstance(v, ClassRef) for v in made):
            return frozenset(Object(v.cls, expr, function) for v in made if isinstance(v, ClassRef))
        return self._set(expr, function)

    # -- tests ----------------------------------------------------------------------------------------

    def truths(self, test: ast.expr, function: str) -> frozenset[bool]:
        """The outcomes that a test may have in the run."""
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            return frozenset(not t for t in self.truths(test.operand, function))
        if isinstance(test, ast.BoolOp):
            parts = [self.truths(v, function) for v in test.values]
            absorbing = isinstance(test.op, ast.Or)
            if {absorbing} in parts:
                return frozenset((absorbing,))
            return frozenset((not absorbing,)) if all(p == {not absorbing} for p in parts) else BOTH
        if isinstance(test, ast.Compare) and len(test.ops) == 1:
            sides = self.of(test.left, function), self.of(test.comparators[0], function)
            return frozenset(t for a, b in product(*sides) for t in _compared(test.ops[0], a, b))
        if isinstance(test, ast.Call) and isinstance(test.func, ast.Attribute) and len(test.args) == 1:
            sides = self.of(test.func.value, function), self.of(test.args[0], function)
            return frozenset(t for a, b in product(*sides) for t in _asked(test.func.attr, a, b))
        return frozenset(t for v in self.of(test, function) for t in _truth(v))


def _stops(asked: ast.If, outcome: bool) -> bool:
    """Does this side of a test raise?"""
    return raises(asked.body if outcome else asked.orelse)


def _rooted(project: Project, expr: ast.expr, function: str) -> bool:
    """Does `a.b[c].d` begin with a variable of a module?"""
    while isinstance(expr, (ast.Attribute, ast.Subscript)):
        expr = expr.value
        if variable(project, expr, function) is not None:
            return True
    return False


def _truth(value: Value) -> frozenset[bool]:
    if isinstance(value, Plain):
        return frozenset((bool(value.value),))
    return BOTH if isinstance(value, (Special, Table)) else frozenset((True,))


def _compared(operator: ast.cmpop, left: Value, right: Value) -> frozenset[bool]:
    if isinstance(right, Table):
        keys = right.node.keys
        if not all(isinstance(k, ast.Constant) for k in keys):
            return BOTH
        right = Plain(tuple(k.value for k in keys if isinstance(k, ast.Constant)))
    if isinstance(left, Plain) and isinstance(right, Plain):
        return outcomes(operator, left.value, right.value)
    if isinstance(left, Member) and isinstance(right, Member) and left.cls == right.cls:
        if isinstance(operator, (ast.Eq, ast.Is, ast.NotEq, ast.IsNot)):
            return frozenset(((left == right) is isinstance(operator, (ast.Eq, ast.Is)),))
    return BOTH


def _asked(method: str, text: Value, part: Value) -> frozenset[bool]:
    """`text.startswith(part)` and the like."""
    texts = isinstance(text, Plain) and isinstance(text.value, str) and isinstance(part, Plain)
    if not texts or method not in ("startswith", "endswith"):
        return BOTH
    assert isinstance(text, Plain) and isinstance(part, Plain)
    try:
        return frozenset((getattr(text.value, method)(part.value),))
    except TypeError:
        return BOTH
