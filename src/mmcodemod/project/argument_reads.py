"""What a program surely reads of the object that holds its arguments, such as the namespace that its parser
makes, from its start up to its training. Must-analysis: the walk ends where anything is open, and what stands
under a test comes with that test. Of a loop that trains the first round counts; of other loops nothing does,
and of what a `try` may leave only what its handlers read again."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import field

from mmcodemod.facts.body import own_nodes
from mmcodemod.facts.outline import MAIN, MODULE
from mmcodemod.facts.syntax import SCOPES, is_main_guard, unparse
from mmcodemod.model.frozen import frozen, mutable
from mmcodemod.project.argument_names import Names, bound_in, names_in, own_nodes_of
from mmcodemod.project.callgraph import Edge
from mmcodemod.project.flow import LOOPS, leaves, raises
from mmcodemod.project.made_objects import Made
from mmcodemod.project.model import Project
from mmcodemod.project.stubs import is_stub
from mmcodemod.project.sure_syntax import bound, evaluated, jumps, touches_self
from mmcodemod.project.training_calls import TrainingCalls, is_step

Condition = tuple[str, ast.expr, bool]
"""A function, a test in it, and the outcome that leads to a place."""

MAX_DEPTH, MAX_CALLS = 8, 200
_SWALLOWS = ("suppress", "raises")  # context managers that exceptions do not pass
_LOOKS = ("vars", "str", "repr", "len", "dict", "bool", "isinstance", "hasattr", "getattr", "type", "format")
_TELLS = (
    "print",
    "pprint",
    "info",
    "debug",
    "warning",
    "log",
    "dump",
    "dumps",
    "write",
    "add_text",
    "update",
)
_STARTS = ("init", "initialize", "save_hyperparameters", "copy", "deepcopy")
_KEEPS = frozenset((*_LOOKS, *_TELLS, *_STARTS))  # calls that put nothing into a namespace


@frozen()
class Read:
    """An attribute that is read of the namespace, under tests."""

    function: str
    node: ast.Attribute
    conditions: tuple[Condition, ...]


@frozen()
class NameRead:
    """Another name that is read on the way, under tests."""

    function: str
    node: ast.Name
    conditions: tuple[Condition, ...]


@mutable()
class _Path:
    """Where the walk is. `held`: the local names that hold the namespace, or not; `alone`: nothing else that
    trains may stand in for what does here; `over`: the end."""

    function: str
    held: dict[str, bool]
    conditions: tuple[Condition, ...] = ()
    depth: int = 0
    alone: bool = True
    over: bool = False
    returned: list[bool] = field(default_factory=list)

    def under(self, test: ast.expr, outcome: bool) -> _Path:
        """The way on one side of a test."""
        conditions = (*self.conditions, (self.function, test, outcome))
        held = dict(self.held)
        return _Path(self.function, held, conditions, self.depth, self.alone, returned=self.returned)


class ArgumentReads:
    """`reads`, and the `names` read on the way, in their order; `trained`: did the walk come to the
    training?"""

    def __init__(self, project: Project, entry: str, made: Made) -> None:
        self._project, self._made = project, made
        self._training = project.get(TrainingCalls)
        self._names = Names(project, entry, made)
        self._calls = 0
        self._lost = False  # may something else put attributes into it now?
        self.reads: list[Read] = []
        self.names: list[NameRead] = []
        self.trained = False
        start = _Path(f"{entry}::{MODULE}", self._names.module)
        self._block(project.index.files[entry].tree.body, start)

    # -- statements ---------------------------------------------------------------------------------

    def _block(self, body: Sequence[ast.stmt], path: _Path) -> None:
        path.alone &= sum(self._trains(path, statement) for statement in body) < 2
        for statement in body:
            if path.over:
                return
            self._statement(statement, path)

    def _trains(self, path: _Path, statement: ast.stmt) -> bool:
        return not isinstance(statement, SCOPES) and self._training.holds(path.function, statement)

    def _statement(self, statement: ast.stmt, path: _Path) -> None:
        if path.function.endswith(f"::{MODULE}") and is_main_guard(statement):
            self._main(statement, path)
            return
        trains = self._trains(path, statement)
        self.trained |= trains
        if isinstance(statement, ast.If):
            self._if(statement, path)
        elif isinstance(statement, LOOPS):
            self._loop(statement, path, trains)
        elif isinstance(statement, (ast.With, ast.AsyncWith)):
            self._with(statement, path)
        elif isinstance(statement, ast.Try):
            self._try(statement, path)
        elif hasattr(statement, "body") or isinstance(statement, ast.Match):
            self._skip(statement, path)
        else:
            self._simple(statement, path)
        path.over |= trains and not self._is_step(statement)

    def _is_step(self, statement: ast.stmt) -> bool:
        """Is `loss.backward()` all that trains there? What follows belongs to the first round, too."""
        value = getattr(statement, "value", None)
        return isinstance(statement, ast.Expr) and isinstance(value, ast.Call) and is_step(value)

    def _main(self, guard: ast.stmt, path: _Path) -> None:
        """`if __name__ == "__main__"`, whose names are the module's."""
        inner = _Path(f"{path.function.partition('::')[0]}::{MAIN}", path.held)
        self._block(guard.body, inner)  # type: ignore[attr-defined]
        path.over = inner.over

    def _if(self, statement: ast.If, path: _Path) -> None:
        self._value(statement.test, path)
        ends = []
        for body, outcome in ((statement.body, True), (statement.orelse, False)):
            arm = path.under(statement.test, outcome)
            self._block(body, arm)
            if leaves(body):
                if any(jumps(body)):
                    path.conditions = (*path.conditions, (path.function, statement.test, not outcome))
                continue
            path.over |= any(jumps(body))
            ends.append(arm.held)
        for name in bound_in([statement]):
            path.held[name] = bool(ends) and all(end.get(name, False) for end in ends)
        path.over |= not ends

    def _loop(self, loop: ast.For | ast.AsyncFor | ast.While, path: _Path, trains: bool) -> None:
        self._value(loop.test if isinstance(loop, ast.While) else loop.iter, path)
        if not trains or not path.alone or not self._training.shows(path.function, loop):
            self._skip(loop, path)
            return
        for name in bound_in([loop.target] if not isinstance(loop, ast.While) else []):
            path.held[name] = False
        self._block(loop.body, path)

    def _with(self, statement: ast.With | ast.AsyncWith, path: _Path) -> None:
        for item in statement.items:
            self._value(item.context_expr, path)
            if any(word in unparse(item.context_expr) for word in _SWALLOWS):
                self._skip(statement, path)
                return
            for name in bound_in([item.optional_vars] if item.optional_vars else []):
                path.held[name] = False
        self._block(statement.body, path)

    def _try(self, statement: ast.Try, path: _Path) -> None:
        """What a handler may catch is not sure; a user's `KeyboardInterrupt` is nothing of the kind."""
        caught = [unparse(h.type) if h.type else "" for h in statement.handlers]
        if any(c != "KeyboardInterrupt" for c in caught) or any(jumps(statement.finalbody)):
            self.reads += self._repeated(statement, path)
            self._skip(statement, path)
            return
        self._block([*statement.body, *statement.orelse, *statement.finalbody], path)

    def _repeated(self, statement: ast.Try, path: _Path) -> list[Read]:
        """What each handler reads again: whatever fails in the body, the handler comes to the same read."""
        found = self._apart(statement.body, path)
        for handler in statement.handlers if found else ():
            again = {id(r.node): r.conditions for r in self._apart(handler.body, path)}
            both = (r for r in found if id(r.node) in again)
            found = [Read(r.function, r.node, (*r.conditions, *again[id(r.node)])) for r in both]
        return found

    def _apart(self, body: Sequence[ast.stmt], path: _Path) -> list[Read]:
        """What a block reads that may run or not."""
        before, self.reads = self.reads, []
        self._block(body, _Path(path.function, dict(path.held), path.conditions, path.depth, path.alone))
        found, self.reads = self.reads, before
        return found

    def _simple(self, statement: ast.stmt, path: _Path) -> None:
        if isinstance(statement, ast.Return):
            path.returned.append(statement.value is not None and self._value(statement.value, path))
        elif isinstance(statement, ast.Assign):
            self._assign(statement.targets, self._value(statement.value, path), path)
            for name in filter(None, map(names_in, self._made.targets(statement))):
                path.held[name] = self._names.may_hold(path.function, name)
        elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
            self._assign([statement.target], self._value(statement.value, path), path)
        elif isinstance(statement, ast.Assert):
            self._value(statement.test, path)
        else:
            for part in ast.iter_child_nodes(statement):
                if isinstance(part, ast.expr):
                    self._value(part, path)
            for name in bound_in([statement]):
                path.held[name] = self._names.imported_by(path.function, statement, name)
        path.over |= isinstance(statement, (ast.Return, ast.Raise, ast.Continue, ast.Break))

    def _assign(self, targets: Sequence[ast.expr], holds: bool, path: _Path) -> None:
        for target in targets:
            own = names_in(target)
            if own:
                path.held[own] = holds and self._names.may_hold(path.function, own)
                continue
            for name in bound_in([target]):
                path.held[name] = False
            for part in ast.iter_child_nodes(target):
                if isinstance(part, ast.expr) and not isinstance(target, (ast.Tuple, ast.List)):
                    self._value(part, path)

    # -- expressions --------------------------------------------------------------------------------

    def _value(self, expr: ast.expr, path: _Path) -> bool:
        """Is an expression the namespace? Notes what is read of it on the way."""
        if isinstance(expr, ast.Name):
            return self._name(expr, path)
        if isinstance(expr, ast.Attribute):
            return self._attribute(expr, path)
        if isinstance(expr, ast.Call):
            return self._call(expr, path)
        if isinstance(expr, ast.BoolOp):
            return self._joined(expr, path)
        if isinstance(expr, ast.IfExp):
            self._value(expr.test, path)
            arms = [(expr.body, True), (expr.orelse, False)]
            holding = [self._value(arm, path.under(expr.test, outcome)) for arm, outcome in arms]
            return all(holding)
        if isinstance(expr, ast.NamedExpr):
            path.held[expr.target.id] = False
        for part in evaluated(expr):
            self._value(part, path)
        return self._made.is_made(expr)

    def _name(self, expr: ast.Name, path: _Path) -> bool:
        if self._names.holds(path.function, expr.id, path.held):
            return True
        self.names.append(NameRead(path.function, expr, path.conditions))
        return False

    def _attribute(self, expr: ast.Attribute, path: _Path) -> bool:
        own = names_in(expr)
        if own and path.held.get(own, False):
            return True
        if self._value(expr.value, path) and isinstance(expr.ctx, ast.Load) and not self._lost:
            self.reads.append(Read(path.function, expr, path.conditions))
        return False

    def _joined(self, expr: ast.BoolOp, path: _Path) -> bool:
        way = path
        for value in expr.values:
            self._value(value, way)
            way = way.under(value, isinstance(expr.op, ast.And))
        return False

    def _call(self, call: ast.Call, path: _Path) -> bool:
        self._value(call.func, path)
        given = [a.value if isinstance(a, ast.Starred) else a for a in call.args]
        given += [k.value for k in call.keywords]
        holding = [self._value(value, path) for value in given]
        if self._made.is_made(call):
            return True
        if touches_self(call):
            path.held.update((name, False) for name in path.held if name.startswith("self."))
        there = self._hand(call, any(holding), path)
        edge = self._training.only(path.function, call) if there else None
        worth = [*holding, *(self._is_read(value, path) for value in given)]
        if edge is not None and self._is_worth(path, call, edge.callee.function, worth):
            return self._enter(edge, call, dict(zip(map(id, given), holding)), path)
        return False

    def _is_read(self, value: ast.expr, path: _Path) -> bool:
        """Is an argument itself read off the namespace?"""
        owner = value.value if isinstance(value, ast.Attribute) else None
        return isinstance(owner, ast.Name) and self._names.holds(path.function, owner.id, path.held)

    def _is_there(self, function: str) -> bool:
        return self._names.is_there(function.partition("::")[0])

    def _is_worth(self, path: _Path, call: ast.Call, callee: str, holding: list[bool]) -> bool:
        """Is there anything to see in the function?"""
        outer = path.held if self._names.closes_over(callee, path.function) else {}
        wanted = any(holding) or self._training.trains(path.function, call) or self._names.says(callee, outer)
        self._calls += wanted
        return wanted and path.depth < MAX_DEPTH and self._calls <= MAX_CALLS

    def _enter(self, edge: Edge, call: ast.Call, holding: dict[int, bool], path: _Path) -> bool:
        """Walk through the function; is what it returns the namespace?"""
        callee, skip = edge.callee.function, edge.skip or 0
        node = self._project.index.function(callee).node
        outer = path.held if self._names.closes_over(callee, path.function) else {}
        held = {**outer, **dict.fromkeys(self._names.local(callee), False)}
        held |= {name: holding.get(id(value), False) for name, value in bound(node.args, call, skip)}  # type: ignore[union-attr]
        inner = _Path(callee, held, path.conditions, path.depth + 1, path.alone)
        self._block(node.body, inner)
        every = [n for n in own_nodes(node) if isinstance(n, ast.Return)]
        always = leaves(node.body) and not raises(node.body)
        return always and all(inner.returned) and len(inner.returned) == len(every)

    def _skip(self, statement: ast.stmt, path: _Path) -> None:
        """Pass over what may run or not; what it may do to the namespace counts."""
        for call in (n for n in own_nodes_of(statement) if isinstance(n, ast.Call)):
            given = (*call.args, *(k.value for k in call.keywords))
            names = [g.id for g in given if isinstance(g, ast.Name)]
            self._hand(call, any(self._names.holds(path.function, n, path.held) for n in names), path)
        for name in bound_in([statement]):
            path.held[name] = False
        path.over |= any(jumps([statement]))

    def _hand(self, call: ast.Call, holding: bool, path: _Path) -> bool:
        """Is it surely known what a call may do? What is not, and gets the namespace, may add to it."""
        edges = self._training.edges(path.function, call)
        there = all(is_stub(e.callee.function) or self._is_there(e.callee.function) for e in edges)
        if holding and not (edges and there):
            self._lost |= _last(call.func) not in _KEEPS
        return there


def _last(func: ast.expr) -> str:
    return func.attr if isinstance(func, ast.Attribute) else func.id if isinstance(func, ast.Name) else ""


def walked(project: Project, entry: str, made: Made) -> ArgumentReads:
    """What the program in a file reads of an object, worked out once for all who ask."""
    return project.once(_walk, entry, made)


def _walk(project: Project, entry: str, made: Made) -> ArgumentReads:
    return ArgumentReads(project, entry, made)
