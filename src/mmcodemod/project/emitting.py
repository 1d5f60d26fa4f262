"""Does one function that makes samples or batches set a key in each of them? A must-analysis: "always" is
claimed only when every path of it sets the key."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from enum import Enum

from mmcodemod.facts.decided import decided
from mmcodemod.facts.python import FunctionFacts
from mmcodemod.facts.syntax import unparse, walk
from mmcodemod.model.frozen import frozen
from mmcodemod.project.arguments import optional
from mmcodemod.project.emptied import Emptied, emptied
from mmcodemod.project.modality import (
    Kind,
    Scope,
    asked_keys,
    atoms,
    data_roots,
    means_present,
    members_asked,
    scope_of,
)
from mmcodemod.project.model import Project
from mmcodemod.project.row_columns import column_of
from mmcodemod.project.sure_samples import gives_up, settled


class Emits(Enum):
    """ALWAYS on every path; CONDITIONAL on some; NEVER in this function."""

    ALWAYS = "always"
    CONDITIONAL = "conditional"
    NEVER = "never"


@frozen()
class Emission:
    """Whether one function sets `key`. `lines` set it; `test` is the deciding test when conditional;
    `needs` are the keys that the test itself asks for; `left_to_callers` when it asks for nothing but
    parameters that are None by default; `empty` when a line sets an empty list or dict; `cleared` is the line
    that puts None there because nothing was gathered, 0 when none does."""

    function: FunctionFacts
    emits: Emits
    lines: tuple[int, ...] = ()
    test: ast.expr | None = None
    needs: frozenset[str] = frozenset()
    key: str = ""
    left_to_callers: bool = False
    empty: bool = False
    cleared: int = 0


def emission_of(project: Project, facts: FunctionFacts, key: str) -> Emission:
    scope = scope_of(facts, project.resolver.body(facts.id))
    return _read(project, _Reader(facts, scope, key))


def key_emission_of(project: Project, facts: FunctionFacts, key: str) -> Emission:
    """The same where the key counts as set that is there with None."""
    scope = scope_of(facts, project.resolver.body(facts.id))
    return _read(project, _KeyReader(facts, scope, key))


def _read(project: Project, reader: _Reader) -> Emission:
    reader.settled = settled(project, reader.facts)
    return reader.read()


class _Reader:
    """Walks the statements of one producer; `try` bodies and loops are taken to run."""

    def __init__(self, facts: FunctionFacts, scope: Scope, key: str) -> None:
        self.facts, self.scope, self.key = facts, scope, key
        self.lines: list[int] = []
        self.tests: list[ast.expr] = []
        self.early: list[ast.expr] = []
        self.sides: set[bool] = set()  # set where the modality is there, set where it is not
        self.empty = False
        self.settled: Mapping[tuple[int, int], bool] = {}  # how tests end

    def read(self) -> Emission:
        emits = self.block(self.facts.node.body, known=False)
        if emits is Emits.CONDITIONAL and len(self.sides) == 2:
            self.tests, emits = [], Emits.ALWAYS
        if self.early and emits is not Emits.NEVER:
            self.tests, emits = [*self.early, *self.tests], Emits.CONDITIONAL
        asking = (asked_keys, members_asked)
        needs = {key for test in self.tests for asks in asking for key in asks(test, self.scope)}
        test = self.tests[0] if self.tests else None
        asked = {root for t in self.tests for root in data_roots(t, self.scope)}
        callers = bool(asked) and asked <= optional(self.facts)
        lines = tuple(sorted(self.lines))
        none = self.emptied() if emits is Emits.ALWAYS else None
        if none is not None:
            emits, needs = Emits.CONDITIONAL, set(none.asked)
        rest = (callers, self.empty, none.line if none else 0)
        return Emission(self.facts, emits, lines, test, frozenset(needs), self.key, *rest)

    def emptied(self) -> Emptied | None:
        """Where it puts None under the key because nothing was gathered."""
        return emptied(self.facts, self.scope, self.key)

    def gives(self, value: ast.expr) -> bool:
        """Does a value that is put under the key count?"""
        return not _is_none(value)

    def block(self, body: list[ast.stmt], known: bool) -> Emits:
        """`known`: the key is set before the block."""
        found = Emits.NEVER
        for statement in body:
            here = self.statement(statement, known or found is Emits.ALWAYS)
            found = here if found is not Emits.ALWAYS and here is not Emits.NEVER else found
        return found

    def statement(self, statement: ast.stmt, known: bool) -> Emits:
        if isinstance(statement, ast.If):
            only = self.settled.get((statement.lineno, statement.col_offset), decided(statement.test))
            if only is not None:
                return self.block(statement.body if only else statement.orelse, known)
            if self.fills(statement):
                return self.block(statement.body, known)
            if self.changes(statement):
                return Emits.NEVER
            if not known and self.gives_up(statement):
                self.early.append(statement.test)
            return self.either(statement, known)
        if isinstance(statement, (ast.With, ast.AsyncWith, ast.For, ast.AsyncFor, ast.While, ast.Try)):
            return self.block(statement.body, known)
        inline = self.inline(statement)
        if inline is not None:
            return self.statement(inline, known)
        if _adds(statement, self.key):
            self.lines.append(statement.lineno)
            return Emits.ALWAYS
        if self.sets(statement):
            self.lines.append(statement.lineno)
            self.empty |= isinstance(statement, ast.Assign) and _is_empty(statement.value)
            self.empty |= any(defaults(n, self.key) and _is_empty(n.args[1]) for n in _calls(statement))
            return Emits.ALWAYS
        return Emits.NEVER

    def inline(self, statement: ast.stmt) -> ast.If | None:
        """`x["key"] = y if test else None` and `x.update({"key": y} if test else {})` as an `if`."""
        for node in walk(statement):
            if isinstance(node, ast.IfExp):
                sides = [self._side(statement, node, arm) for arm in (node.body, node.orelse)]
                if self.sets(sides[0]) is not self.sets(sides[1]):
                    made = ast.If(node.test, [sides[0]], [sides[1]])
                    return ast.copy_location(made, node)
        return None

    @staticmethod
    def _side(statement: ast.stmt, node: ast.IfExp, arm: ast.expr) -> ast.stmt:
        """What runs where an arm is chosen, as far as it says what is set."""
        under = _under(statement, node)
        if under is not None:
            return ast.copy_location(ast.Expr(ast.Dict([under], [arm])), statement)
        whole = isinstance(statement, ast.Assign) and statement.value is node
        made = ast.Assign(statement.targets, arm) if whole else ast.Expr(arm)  # type: ignore[attr-defined]
        return ast.copy_location(made, statement)

    def either(self, statement: ast.If, known: bool) -> Emits:
        true, false = (self.block(side, known) for side in (statement.body, statement.orelse))
        if true is false is Emits.NEVER:
            return Emits.NEVER
        if true is Emits.ALWAYS and (false is Emits.ALWAYS or gives_up(statement.orelse)):
            return Emits.ALWAYS
        if gives_up(statement.body) and false is Emits.ALWAYS:
            return Emits.ALWAYS
        if true is Emits.ALWAYS and self.asks_for_number(statement.test):
            return Emits.ALWAYS
        asked = list(atoms(statement.test, self.scope))
        kinds = {a.kind for a in asked if a.kind is not Kind.OTHER or data_roots(a.node, self.scope)}
        if Emits.ALWAYS in (true, false) and kinds <= {Kind.CONFIG}:
            return Emits.ALWAYS  # decided by the configuration: the same for every sample
        self.tests.append(statement.test)
        present = Kind.PRESENCE in kinds or bool(members_asked(statement.test, self.scope))
        if present and {true, false} == {Emits.ALWAYS, Emits.NEVER} and not _asks_more(statement.test, kinds):
            self.sides.add(means_present(statement.test) is (true is Emits.ALWAYS))
        return Emits.CONDITIONAL

    def asks_for_number(self, test: ast.expr) -> bool:
        """`isinstance(index, int)`: a loader asks for one sample by its number."""
        if not isinstance(test, ast.Call) or unparse(test.func) != "isinstance" or len(test.args) != 2:
            return False
        asked, kind = map(unparse, test.args)
        return kind == "int" and asked in self.scope.parameters

    def changes(self, statement: ast.If) -> bool:
        """`if "key" in x: x["key"] = f(x["key"])` sets nothing: it changes what is there."""
        stored = {t for node in statement.body for t in owners(node, self.key)}
        return bool(stored) and not statement.orelse and stored <= holders(statement.test, self.key)

    def fills(self, statement: ast.If) -> bool:
        """`if "key" not in x: x["key"] = ...`: then it is there in any case."""
        stored = {t for node in statement.body for t in owners(node, self.key)}
        return bool(stored & lacking_there(statement.test, self.key)) and not statement.orelse

    def gives_up(self, statement: ast.If) -> bool:
        """Does a side that a test on the modality chooses end with a sample that has no such key?"""
        sides = [b for b in (statement.body, statement.orelse) if b and isinstance(b[-1], ast.Return)]
        plain = [b for b in sides if isinstance(b[-1].value, (ast.Name, ast.Dict))]  # type: ignore[attr-defined]
        without = any(not any(self.sets(n) for s in b for n in walk(s)) for b in plain)
        return without and bool(asked_keys(statement.test, self.scope))

    def sets(self, statement: ast.AST) -> bool:
        """`x["key"] = y`, `x = {"key": y}`, `dict(key=y)`, `x.update(key=y)` and `x.setdefault("key", y)`."""
        if isinstance(statement, ast.Assign):
            for target in statement.targets:
                if isinstance(target, ast.Subscript) and _is_key(target.slice, self.key):
                    return self.gives(statement.value)
        return any(self._displays(n) for n in walk(statement) if isinstance(n, (ast.Dict, ast.Call)))

    def _displays(self, node: ast.Dict | ast.Call) -> bool:
        if isinstance(node, ast.Dict):
            pairs = zip(node.keys, node.values)
            return any(k is not None and _is_key(k, self.key) and self.gives(v) for k, v in pairs)
        if defaults(node, self.key):
            return self.gives(node.args[1])
        makes = isinstance(node.func, ast.Name) and node.func.id in ("dict", "BatchFeature", "BatchEncoding")
        updates = isinstance(node.func, ast.Attribute) and node.func.attr == "update"
        return (makes or updates) and any(k.arg == self.key and self.gives(k.value) for k in node.keywords)


class _KeyReader(_Reader):
    """None is a value, too."""

    def emptied(self) -> Emptied | None:
        return None

    def gives(self, value: ast.expr) -> bool:
        return True


def _under(statement: ast.stmt, value: ast.expr) -> ast.expr | None:
    """The key that has a value in a dict of the statement."""
    dicts = (n for n in walk(statement) if isinstance(n, ast.Dict))
    pairs = (pair for d in dicts for pair in zip(d.keys, d.values, strict=True))
    return next((key for key, held in pairs if held is value), None)


def _calls(statement: ast.AST) -> list[ast.Call]:
    return [n for n in walk(statement) if isinstance(n, ast.Call)]


def defaults(call: ast.Call, key: str) -> bool:
    """`x.setdefault("key", value)`: the value is there where no other was."""
    asks = isinstance(call.func, ast.Attribute) and call.func.attr == "setdefault"
    return asks and len(call.args) == 2 and _is_key(call.args[0], key)


def owners(statement: ast.stmt, key: str) -> set[str]:
    """What a statement puts a key into: `x` in `x["key"] = ...` and `x["key"].append(...)`."""
    column = column_of(statement)
    if column is not None:
        return {column.holder} if column.key == key else set()
    assigns = [n for n in walk(statement) if isinstance(n, ast.Assign)]
    targets = [t for n in assigns for t in n.targets if isinstance(t, ast.Subscript)]
    return {unparse(t.value) for t in targets if _is_key(t.slice, key)}


def holders(test: ast.expr, key: str) -> set[str]:
    """What a test asks for a key: `x` in `"key" in x` and `x.get("key")`."""
    found = set()
    for node in walk(test):
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In) and _is_key(node.left, key):
            found.add(unparse(node.comparators[0]))
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "get":
            if node.args and _is_key(node.args[0], key):
                found.add(unparse(node.func.value))
    return found


def _asks_more(test: ast.expr, kinds: set[Kind]) -> bool:
    """Is it the modality and something else of the data that a test asks for?"""
    return isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) and Kind.OTHER in kinds


def lacking_there(test: ast.expr, key: str) -> set[str]:
    """What surely lacks a key, or has None there, where a test fails not: `x` in `"key" not in x`,
    `x.get("key") is None` and an `or` of such."""
    if isinstance(test, ast.BoolOp):
        return (
            set() if isinstance(test.op, ast.And) else {x for v in test.values for x in lacking_there(v, key)}
        )
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return holders(test.operand, key) if not isinstance(test.operand, ast.BoolOp) else set()
    match test:
        case ast.Compare(left=left, ops=[ast.NotIn()], comparators=[holder]) if _is_key(left, key):
            return {unparse(holder)}
        case ast.Compare(left=ast.Call() as asked, ops=[ast.Is()], comparators=[none]) if _is_none(none):
            return holders(asked, key)
    return set()


def _adds(statement: ast.stmt, key: str) -> bool:
    """Does a statement add to the list under a key?"""
    column = column_of(statement)
    return column is not None and column.key == key


def _is_empty(node: ast.expr) -> bool:
    return unparse(node) in ("[]", "{}", "list()", "dict()")


def _is_key(node: ast.expr, key: str) -> bool:
    return isinstance(node, ast.Constant) and node.value == key


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None
