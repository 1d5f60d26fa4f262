"""What a program surely reads, by constant keys, of a configuration that it loads as a plain mapping, from
its start up to its training. Must-analysis: the walk ends where the mapping goes anywhere that does not show,
or where the program may end before."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence

from mmcodemod.facts.body import own_nodes
from mmcodemod.facts.definitions import bare_name, last_name
from mmcodemod.facts.outline import MAIN, MODULE
from mmcodemod.facts.syntax import SCOPES, is_main_guard, walk
from mmcodemod.model.frozen import frozen
from mmcodemod.project.callgraph import Edge
from mmcodemod.project.model import Project
from mmcodemod.project.sure_syntax import bound
from mmcodemod.project.training_calls import TrainingCalls

Keys = tuple[str, ...]
Held = dict[str, Keys]
"""The names that hold the mapping, or a part of it, with the keys that lead to the part."""

MAX_DEPTH = 6
_ENDS = frozenset(("exit", "_exit", "quit", "abort", "skip"))
_OPENS = frozenset(
    ("open", "no_grad", "device", "init_empty_weights")
)  # context managers that swallow nothing
_LOOKS = frozenset(("get", "items", "keys", "values", "copy"))
_CHANGES = frozenset(("update", "setdefault", "pop", "popitem", "clear", "__setitem__"))
_HARMLESS = frozenset(
    (
        "print",
        "pprint",
        "info",
        "debug",
        "init",
        "dump",
        "dumps",
        "safe_dump",
        "deepcopy",
        "str",
        "len",
        "pformat",
    )
)


@frozen()
class MappingRead:
    """A subscript that surely runs, and the keys that it asks for, from the whole mapping on."""

    function: str
    node: ast.Subscript
    keys: Keys


class _Lost(Exception):
    """The mapping may be changed, or the program may be over, from here on."""


class MappingReads:
    """`load` says whether an expression in a function loads the mapping, with the files that are open.
    `reads` come in their order, those of keys that the program itself may set left out."""

    def __init__(
        self, project: Project, entry: str, load: Callable[[ast.expr, str, dict[str, ast.expr]], bool]
    ) -> None:
        self._project, self._load = project, load
        self._training = project.get(TrainingCalls)
        self._set: set[Keys] = set()
        self._seen: set[str] = set()
        self.reads: list[MappingRead] = []
        try:
            self._module(entry, {}, {})
        except _Lost:
            return

    def _module(self, entry: str, held: Held, files: dict[str, ast.expr]) -> None:
        """The code of the program's file, with what stands under its main guard."""
        for statement in self._project.index.files[entry].tree.body:
            if is_main_guard(statement):
                self._block(statement.body, f"{entry}::{MAIN}", held, files, 0)  # type: ignore[attr-defined]
            else:
                self._block([statement], f"{entry}::{MODULE}", held, files, 0)

    # -- statements ---------------------------------------------------------------------------------

    def _block(
        self, body: Sequence[ast.stmt], function: str, held: Held, files: dict[str, ast.expr], depth: int
    ) -> None:
        for statement in body:
            if isinstance(statement, (*SCOPES, ast.Import, ast.ImportFrom)):
                self._aside(statement, held)
            elif isinstance(statement, ast.With) and _opens(statement):
                for item in statement.items:
                    self._value(item.context_expr, function, held, depth)
                    if isinstance(item.optional_vars, ast.Name):
                        files[item.optional_vars.id] = item.context_expr
                self._block(statement.body, function, held, files, depth)
            else:
                self._statement(statement, function, held, files, depth)

    def _statement(
        self, statement: ast.stmt, function: str, held: Held, files: dict[str, ast.expr], depth: int
    ) -> None:
        if isinstance(statement, (ast.If, ast.While, ast.For)):
            self._value(
                statement.iter if isinstance(statement, ast.For) else statement.test, function, held, depth
            )
            self._maybe(statement, function, held)
        elif isinstance(statement, ast.Assign) and len(statement.targets) == 1:
            self._assign(statement.targets[0], statement.value, function, held, files, depth)
        elif isinstance(statement, (ast.Expr, ast.Return)):
            if statement.value is not None:
                self._value(statement.value, function, held, depth)
            if isinstance(statement, ast.Return):
                return
        else:
            self._maybe(statement, function, held)
        if self._training.holds(function, statement) or isinstance(statement, ast.Raise):
            raise _Lost

    def _assign(
        self,
        target: ast.expr,
        value: ast.expr,
        function: str,
        held: Held,
        files: dict[str, ast.expr],
        depth: int,
    ) -> None:
        if isinstance(target, ast.Name) and self._load(value, function, files):
            if held or self._is_changed_elsewhere(function, target.id):
                raise _Lost
            held[target.id] = ()
            return
        keys = _keys(value, held)
        if keys is None or not isinstance(target, ast.Name):
            self._value(value, function, held, depth)
            self._bind(target, held)
        else:
            self._read(value, function, keys)
            self._bind(target, held)
            held[target.id] = keys

    def _is_changed_elsewhere(self, function: str, name: str) -> bool:
        """May a function of the file change what the name holds there, by keys that do not show?"""
        held: Held = {name: ()}
        for node in walk(self._project.index.files[function.partition("::")[0]].tree):
            if isinstance(node, ast.Call) and _changes(node, held):
                return True
            if isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
                if _keys(node.value, held) is not None and _keys(node, held) is None:
                    return True
        return False

    def _bind(self, target: ast.expr, held: Held) -> None:
        for node in walk(target):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                held.pop(node.id, None)
        self._aside(target, held)

    # -- expressions --------------------------------------------------------------------------------

    def _value(self, expr: ast.expr, function: str, held: Held, depth: int) -> None:
        keys = _keys(expr, held)
        if keys is not None:
            if isinstance(expr, ast.Name):
                raise _Lost  # it gets another name, somewhere
            self._read(expr, function, keys)
        elif isinstance(expr, ast.Call):
            self._call(expr, function, held, depth)
        elif isinstance(expr, (ast.Attribute, ast.Starred, ast.UnaryOp, ast.keyword)):
            self._value(getattr(expr, "value", None) or expr.operand, function, held, depth)  # type: ignore[union-attr]
        elif isinstance(expr, (ast.BinOp, ast.Compare)):
            right = expr.right if isinstance(expr, ast.BinOp) else expr.comparators[0]
            for part in (expr.left, right):
                if not isinstance(part, ast.Name):
                    self._value(part, function, held, depth)
            self._aside(expr, held)
        elif isinstance(expr, (ast.Tuple, ast.List)):
            for part in expr.elts:
                self._value(part, function, held, depth)
        else:
            self._aside(expr, held)

    def _read(self, expr: ast.expr, function: str, keys: Keys) -> None:
        """Notes a subscript, the shortest first: what lacks the first key says so."""
        if isinstance(expr, ast.Subscript):
            self._read(expr.value, function, keys[:-1])
            if not any(keys[: len(made)] == made for made in self._set):
                self.reads.append(MappingRead(function, expr, keys))

    def _call(self, call: ast.Call, function: str, held: Held, depth: int) -> None:
        if bare_name(call.func) in _ENDS or _changes(call, held):
            raise _Lost
        if not _looks(call, held):
            self._value(call.func, function, held, depth)
        given = [*call.args, *(k.value for k in call.keywords)]
        handed = [v for v in given if isinstance(v, ast.Name) and v.id in held]
        for value in given:
            if value not in handed:
                self._value(value, function, held, depth)
        if not handed and not self._training.trains(function, call):
            return
        edge = self._training.only(function, call)
        if edge is not None and depth < MAX_DEPTH and edge.callee.function not in self._seen:
            self._enter(edge, call, held, depth)
        elif handed and last_name(call.func) not in _HARMLESS:
            raise _Lost

    def _enter(self, edge: Edge, call: ast.Call, held: Held, depth: int) -> None:
        callee = edge.callee.function
        self._seen.add(callee)
        node = self._project.index.function(callee).node
        given = bound(node.args, call, edge.skip or 0)  # type: ignore[union-attr]
        inner = {name: keys for name, value in given if (keys := _keys(value, held)) is not None}
        if any(isinstance(n, ast.Return) for n in _early(node.body)):
            raise _Lost
        self._block(node.body, callee, inner, {}, depth + 1)

    # -- what may run or not ------------------------------------------------------------------------

    def _maybe(self, statement: ast.stmt, function: str, held: Held) -> None:
        """Passes over what may run or not; what may end the program, or train, ends the walk."""
        inside = [n for n in own_nodes(statement) if isinstance(n, ast.Call)]
        ends = any(bare_name(call.func) in _ENDS for call in inside)
        if ends or any(isinstance(n, ast.Return) for n in own_nodes(statement)):
            raise _Lost
        self._aside(statement, held)

    def _aside(self, node: ast.AST, held: Held) -> None:
        """Notes which keys the code there may set; lost where it may do more."""
        allowed = set(_allowed(node, held))
        for inner in walk(node):
            if isinstance(inner, ast.Name) and inner.id in held and id(inner) not in allowed:
                raise _Lost
            if isinstance(inner, ast.Call) and _changes(inner, held):
                raise _Lost
            if isinstance(inner, ast.Subscript) and not isinstance(inner.ctx, ast.Load):
                keys = _keys(inner, held)
                self._set |= {keys} if keys else set()


def _keys(expr: ast.expr, held: Held) -> Keys | None:
    """The constant keys by which an expression reads what a name holds."""
    if isinstance(expr, ast.Name):
        return held.get(expr.id)
    if not isinstance(expr, ast.Subscript) or not isinstance(expr.slice, ast.Constant):
        return None
    outer = _keys(expr.value, held)
    return None if outer is None or not isinstance(expr.slice.value, str) else (*outer, expr.slice.value)


def _allowed(node: ast.AST, held: Held) -> Iterator[int]:
    """The names in some code that it uses to look keys up, or hands to what changes nothing."""
    for inner in walk(node):
        if isinstance(inner, ast.Subscript) and _keys(inner, held) is not None:
            yield id(inner.value)
        elif isinstance(inner, ast.Compare) and isinstance(inner.ops[0], (ast.In, ast.NotIn)):
            yield id(inner.comparators[0])
        elif isinstance(inner, ast.Call):
            harmless = last_name(inner.func) in _HARMLESS
            yield from (id(v) for v in (*inner.args, *(k.value for k in inner.keywords)) if harmless)
            if _looks(inner, held):
                yield id(inner.func.value)  # type: ignore[attr-defined]


def _looks(call: ast.Call, held: Held) -> bool:
    """`config.get(...)`, `config["data"].items()`?"""
    func = call.func
    return isinstance(func, ast.Attribute) and func.attr in _LOOKS and _keys(func.value, held) is not None


def _changes(call: ast.Call, held: Held) -> bool:
    """`config["data"].update(...)`?"""
    func = call.func
    return isinstance(func, ast.Attribute) and func.attr in _CHANGES and _keys(func.value, held) is not None


def _opens(statement: ast.With) -> bool:
    return all(last_name(item.context_expr) in _OPENS for item in statement.items)


def _early(body: Sequence[ast.stmt]) -> Iterator[ast.AST]:
    """What stands in a function, less its last statement: what returns there ends it early."""
    for statement in body[:-1]:
        yield statement
        if not isinstance(statement, SCOPES):
            yield from own_nodes(statement)
