"""What runs while a Hugging Face factory builds a model (`X.from_pretrained` -> `X.__init__` -> ...), with
the constants that are passed along: `delay_load=True` switches a loader off. May-analysis: tests that no
constant decides leave both sides open."""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import field

from mmcodemod.facts.syntax import unparse
from mmcodemod.model.context import Context
from mmcodemod.model.finding import Note
from mmcodemod.model.frozen import frozen, mutable
from mmcodemod.model.place import Place
from mmcodemod.project.callgraph import Edge
from mmcodemod.project.flow import flow_of
from mmcodemod.project.infer import Frame
from mmcodemod.project.model import Project
from mmcodemod.project.passes import Seen
from mmcodemod.project.reach import roots
from mmcodemod.project.signatures import bound_first
from mmcodemod.project.zero_init import config_order

MAX_VISITS = 3_000


@frozen(slots=True)
class Known:
    """A constant and the line that passes it."""

    value: object
    at: Place


Constants = Mapping[str, Known]


@frozen()
class Visit:
    """One way in which a frame runs while a model is built. `open` are tests that nothing decides."""

    frame: Frame
    constants: Constants
    load: Edge
    open: tuple[Note, ...] = ()


@mutable()
class Building:
    """`visits` by function; `blocked`: the constant that keeps a frame from being run."""

    visits: dict[str, list[Visit]] = field(default_factory=dict)
    blocked: dict[Frame, Note] = field(default_factory=dict)
    early: list[Edge] = field(default_factory=list)  # loads that no known configuration precedes
    complete: bool = True


def building(project: Project, context: Context) -> Building:
    """What runs while models are built in one context."""
    known = project.get(_memo)
    if context.entry not in known:
        known[context.entry] = _Explorer(project, context).run()
    return known[context.entry]


def _memo(project: Project) -> dict[object, Building]:
    return {}


class _Explorer:
    """Breadth first from every factory call that runs in zero.Init."""

    def __init__(self, project: Project, context: Context) -> None:
        self._project = project
        self._context = context
        self._found = Building()
        self._todo: deque[Visit] = deque()
        self._seen: set[tuple[Frame, frozenset[tuple[str, object]]]] = set()

    def run(self) -> Building:
        """All visits."""
        for edge in self._loads():
            constants = self._passed(edge, {}, positional=False)
            self._push(Visit(edge.callee, constants, edge))
        while self._todo:
            self._visit(self._todo.popleft())
        return self._found

    def _loads(self) -> Iterator[Edge]:
        assert self._context.entry is not None
        reach = self._project.reach(self._context.entry)
        starts = roots(self._project.index, self._context.entry)
        order = config_order(self._project, self._context)
        for frame in dict.fromkeys([*starts, *(f for n in sorted(reach.functions) for f in reach.frames(n))]):
            for edge in self._project.graph.edges.get(frame, ()):
                if edge.builds and edge.site is not None:
                    state = order.before(frame.function, edge.call)
                    if state is not None and state.seen is not Seen.ALWAYS and state.at <= order.open:
                        self._found.early.append(edge)
                    else:
                        yield edge

    def _push(self, visit: Visit) -> None:
        key = (visit.frame, frozenset((n, repr(k.value)) for n, k in visit.constants.items()))
        if key in self._seen:
            return
        if len(self._seen) >= MAX_VISITS:
            self._found.complete = False
            return
        self._seen.add(key)
        self._found.visits.setdefault(visit.frame.function, []).append(visit)
        self._todo.append(visit)

    def _visit(self, visit: Visit) -> None:
        for edge in self._project.graph.edges.get(visit.frame, ()):
            if edge.site is None:
                continue
            dead, undecided = tests(self._project, visit, edge.call)
            if dead is not None:
                self._found.blocked.setdefault(edge.callee, dead)
            else:
                constants = self._passed(edge, visit.constants, positional=not edge.builds)
                self._push(Visit(edge.callee, constants, visit.load, (*visit.open, *undecided)))

    # -- constants ----------------------------------------------------------------------------------

    def _passed(self, edge: Edge, known: Constants, positional: bool) -> dict[str, Known]:
        """The constants that the callee's parameters have; what is not known is left out."""
        node = self._project.index.function(edge.callee.function).node
        if isinstance(node, ast.Module) or edge.site is None:
            return {}
        facts = self._project.index.function(edge.callee.function)
        path = edge.caller.function.partition("::")[0]
        names = [a.arg for a in (*node.args.posonlyargs, *node.args.args)][bound_first(facts) :]
        given: dict[str, Known | None] = {}
        hidden = any(isinstance(a, ast.Starred) for a in edge.call.args)
        if positional:
            given.update((n, self._constant(e, known, path)) for n, e in zip(names, edge.call.args))
        rest: dict[str, Known | None] = {}
        for keyword in edge.call.keywords:
            if keyword.arg is not None:
                rest[keyword.arg] = self._constant(keyword.value, known, path)
            elif isinstance(keyword.value, ast.Name) and f"**{keyword.value.id}" in known:
                rest.update(_unpacked(known, keyword.value.id))
            else:
                hidden = True
        names += [a.arg for a in node.args.kwonlyargs]
        given.update((n, v) for n, v in rest.items() if n in names)
        if not hidden:
            for name, default in self._defaults(node, facts.path):
                given.setdefault(name, default)
        found = {n: v for n, v in given.items() if v is not None}
        if node.args.kwarg is not None and not hidden:
            found |= _packed(
                node.args.kwarg.arg, {n: v for n, v in rest.items() if n not in names}, edge, path
            )
        assigned = self._project.resolver.body(facts.id).names
        return {n: v for n, v in found.items() if n not in assigned}

    def _defaults(
        self, node: ast.FunctionDef | ast.AsyncFunctionDef, path: str
    ) -> Iterator[tuple[str, Known | None]]:
        args = node.args
        positional = [*args.posonlyargs, *args.args]
        pairs = [*zip(reversed(positional), reversed(args.defaults)), *zip(args.kwonlyargs, args.kw_defaults)]
        for arg, default in pairs:
            if default is not None:
                yield arg.arg, self._constant(default, {}, path)

    def _constant(self, expr: ast.expr, known: Constants, path: str) -> Known | None:
        if isinstance(expr, ast.Constant):
            return Known(expr.value, self._project.place(path, expr))
        return known.get(expr.id) if isinstance(expr, ast.Name) else None


def _packed(kwarg: str, extra: dict[str, Known | None], edge: Edge, path: str) -> dict[str, Known]:
    """`**kwargs` of the callee as constants of their own: "**kwargs" says that all their names are known."""
    found = {f"**{kwarg}": Known(tuple(sorted(extra)), Place(path, edge.line))}
    return found | {f"**{kwarg}.{n}": v for n, v in extra.items() if v is not None}


def _unpacked(known: Constants, name: str) -> dict[str, Known | None]:
    keys = known[f"**{name}"].value
    assert isinstance(keys, tuple)
    return {key: known.get(f"**{name}.{key}") for key in keys}


def tests(project: Project, visit: Visit, node: ast.AST) -> tuple[Note | None, tuple[Note, ...]]:
    """(the constant that keeps `node` from running, else None; the tests around it that stay open)."""
    facts = project.index.function(visit.frame.function)
    undecided: list[Note] = []
    for statement, side in flow_of(project, facts.id).tests(node):
        truth, by = decided(statement.test, visit.constants)
        if truth is None:
            at = project.place(facts.path, statement.test)
            undecided.append(Note(at, _shown(statement.test, side)))
        elif truth is not side and by is not None:
            return Note(by.at, project.line(by.at.path, by.at.line)), ()
    return None, tuple(undecided)


def _shown(test: ast.expr, side: bool) -> str:
    """A test, or its negation, as text."""
    text = unparse(test)
    if side:
        return text
    return f"not {text}" if isinstance(test, (ast.Name, ast.Attribute, ast.Call)) else f"not ({text})"


def decided(test: ast.expr, known: Constants) -> tuple[bool | None, Known | None]:
    """(what a test gives under some constants, None when they do not decide it; the constant that does)."""
    if isinstance(test, ast.Name):
        found = known.get(test.id)
        return (None, None) if found is None else (bool(found.value), found)
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        truth, by = decided(test.operand, known)
        return (None if truth is None else not truth), by
    if isinstance(test, ast.BoolOp):
        return _combined(test, known)
    if isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.left, ast.Name):
        return _compared(test, known)
    return None, None


def _combined(test: ast.BoolOp, known: Constants) -> tuple[bool | None, Known | None]:
    deciding = isinstance(test.op, ast.Or)
    parts = [decided(value, known) for value in test.values]
    for truth, by in parts:
        if truth is deciding:
            return truth, by
    return (None, None) if any(t is None for t, _ in parts) else (not deciding, parts[-1][1])


def _compared(test: ast.Compare, known: Constants) -> tuple[bool | None, Known | None]:
    found = known.get(test.left.id) if isinstance(test.left, ast.Name) else None
    other = test.comparators[0]
    if found is None or not isinstance(other, ast.Constant):
        return None, None
    same = found.value == other.value
    if isinstance(test.ops[0], (ast.Is, ast.Eq)):
        return same, found
    return (not same, found) if isinstance(test.ops[0], (ast.IsNot, ast.NotEq)) else (None, None)
