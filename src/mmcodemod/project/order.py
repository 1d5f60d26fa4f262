"""Has something surely happened before a call? Statement order and branches inside functions, call order
across them. Must-analysis on the call graph: ALWAYS means on every path that the graph knows, NEVER on none;
`try` bodies are taken to run to their end, and what an unresolved call does is not seen."""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import Enum

from mmcodemod.facts.body import own_nodes
from mmcodemod.facts.nodes import node_of
from mmcodemod.facts.syntax import is_main_guard
from mmcodemod.facts.terms import Call
from mmcodemod.model.grade import How
from mmcodemod.model.place import Place
from mmcodemod.project.calls import Edge
from mmcodemod.project.flow import Flow, leaves
from mmcodemod.project.infer import Frame
from mmcodemod.project.model import Project


class Seen(Enum):
    """On how many of the paths to a place the event has happened."""

    NEVER = "never"
    MAYBE = "maybe"
    ALWAYS = "always"


class Lasts(Enum):
    """How long an event holds: for the rest of the run, of its function, or of its `with` block."""

    RUN = "run"
    FUNCTION = "function"
    BLOCK = "block"


Event = Callable[[Call, Frame], "Lasts | None"]


@dataclass(frozen=True, slots=True)
class State:
    """What is known at one point; `at` are the lines that make it so."""

    seen: Seen = Seen.NEVER
    at: frozenset[Place] = frozenset()

    def then(self, later: State) -> State:
        """This, followed by what `later` does."""
        if self.seen is Seen.ALWAYS or later.seen is Seen.NEVER:
            return self
        if later.seen is Seen.ALWAYS:
            return later
        return State(Seen.MAYBE, self.at | later.at)

    def either(self, other: State) -> State:
        """One of two paths."""
        return State(self.seen if self.seen is other.seen else Seen.MAYBE, self.at | other.at)


START = State()
_IMPORTS = (ast.Import, ast.ImportFrom)


class Order:
    """`groups`: the frames that a run starts with; those of one group run one after the other."""

    def __init__(self, project: Project, groups: list[list[Frame]], event: Event) -> None:
        self._project = project
        self._event = event
        self._edges = project.graph.edges
        self._reached = self._walk([frame for group in groups for frame in group])
        self._groups = groups
        self._direct = {frame: found for frame in self._reached if (found := self._events_in(frame))}
        self._carriers = self._upwards()
        self._walks: dict[Frame, _Walk] = {}
        self._open: set[Frame] = set()
        self._entry: dict[Frame, State] = {}
        self._propagate()

    def before(self, function: str, call: ast.Call) -> State | None:
        """What has happened when `call` runs; None when no path to it is known."""
        found: State | None = None
        for frame in self._frames(function):
            own = self._at(frame, call)
            if own is not None:
                state = self._entry[frame].then(own)
                found = state if found is None else found.either(state)
        return found

    def after(self, function: str, call: ast.Call) -> list[Place]:
        """Lines of events that may happen after `call`, not on another branch."""
        found: set[Place] = set()
        seen: set[tuple[Frame, int]] = set()
        todo: list[tuple[Frame, ast.AST | None]] = [(frame, call) for frame in self._frames(function)]
        while todo:
            frame, node = todo.pop()
            if (frame, id(node)) in seen:
                continue
            seen.add((frame, id(node)))
            found |= self._later(frame, node)
            todo += [(edge.caller, self._origin(edge)) for edge in self._into(frame)]
        return sorted(found)

    def _origin(self, edge: Edge) -> ast.AST | None:
        """The call or the import statement of an edge; None where nothing can follow in the same frame."""
        if edge.site is not None:
            return edge.call
        if edge.caller not in self._carriers:
            return None
        statements = self.walked(edge.caller).flow.statements
        return next((s for s in statements if s.lineno == edge.line and isinstance(s, _IMPORTS)), None)

    @property
    def places(self) -> list[Place]:
        """All events that the run may reach."""
        return sorted(place for found in self._direct.values() for place, _ in found.values())

    # -- which frames matter ------------------------------------------------------------------------

    def _frames(self, function: str) -> list[Frame]:
        return [f for f in self._project.frames(function) if f in self._entry]

    def _walk(self, starts: list[Frame]) -> dict[Frame, None]:
        found = dict.fromkeys(starts)
        todo = deque(starts)
        while todo:
            for edge in self._edges.get(todo.popleft(), ()):
                if edge.callee not in found and not _own_module(edge):
                    found[edge.callee] = None
                    todo.append(edge.callee)
        return found

    def _events_in(self, frame: Frame) -> dict[int, tuple[Place, Lasts]]:
        path = frame.function.partition("::")[0]
        found = {}
        for site in self._project.index.function(frame.function).body.calls:
            lasts = self._event(site, frame)
            if lasts is not None:
                call = node_of(site)
                found[id(call)] = (self._project.place(path, call), lasts)
        return found

    def _upwards(self) -> set[Frame]:
        """The frames that have an event in them or below them."""
        found = set(self._direct)
        todo = list(found)
        while todo:
            for edge in self._into(todo.pop()):
                if edge.caller not in found:
                    found.add(edge.caller)
                    todo.append(edge.caller)
        return found

    def _into(self, frame: Frame) -> Iterator[Edge]:
        for edge in self._project.callers(frame.function):
            if edge.callee == frame and edge.caller in self._reached and not _own_module(edge):
                yield edge

    # -- states -------------------------------------------------------------------------------------

    def effect(self, frame: Frame) -> State:
        """What running `frame` to its end does."""
        if frame not in self._carriers or frame in self._open:
            return START
        return self.walked(frame).effect

    def walked(self, frame: Frame) -> _Walk:
        """The walk over one frame with an event in it."""
        if frame not in self._walks:
            self._open.add(frame)
            walk = _Walk(self, frame, self._direct.get(frame, {}), self._edges.get(frame, []))
            walk.run(self._project)
            self._open.discard(frame)
            self._walks[frame] = walk
        return self._walks[frame]

    def _at(self, frame: Frame, call: ast.Call) -> State | None:
        return self.walked(frame).calls.get(id(call)) if frame in self._carriers else START

    def _propagate(self) -> None:
        """States at the start of every frame: joined over all calls; a module runs at its first import."""
        todo: deque[Frame] = deque()
        for group in self._groups:
            state = START
            for frame in group:
                self._entry[frame] = state
                state = state.then(self.effect(frame))
                todo.append(frame)
        while todo:
            frame = todo.popleft()
            for edge in self._edges.get(frame, ()):
                if not _own_module(edge) and self._enter(edge):
                    todo.append(edge.callee)

    def _enter(self, edge: Edge) -> bool:
        """Take one edge; did the state at the callee's start change?"""
        own = self._on_edge(edge)
        if own is None:
            return False
        state, old = self._entry[edge.caller].then(own), self._entry.get(edge.callee)
        if old is not None:
            state = old if edge.site is None else old.either(state)
        self._entry[edge.callee] = state
        return state != old

    def _on_edge(self, edge: Edge) -> State | None:
        if edge.caller not in self._carriers:
            return START
        if edge.site is None:
            return self.walked(edge.caller).imports.get(edge.line, START)
        return self.walked(edge.caller).calls.get(id(edge.call))

    # -- what may follow ----------------------------------------------------------------------------

    def _later(self, frame: Frame, node: ast.AST | None) -> set[Place]:
        """Events in the same frame that may come after `node`, and those of the code that runs next."""
        found: set[Place] = set()
        for group in self._groups:
            if frame in group:
                for following in group[group.index(frame) + 1 :]:
                    found |= self._below(following)
        if frame not in self._carriers or node is None:
            return found
        for call, places in self._happenings(frame):
            if _may_follow(self.walked(frame).flow, node, call):
                found |= places
        return found

    def _happenings(self, frame: Frame) -> Iterator[tuple[ast.Call, set[Place]]]:
        for call in self._project.resolver.body(frame.function).calls:
            direct = self._direct.get(frame, {}).get(id(call))
            if direct is not None and direct[1] is not Lasts.BLOCK:
                yield call, {direct[0]}
        for edge in self._edges.get(frame, ()):
            if edge.site is not None and edge.callee in self._carriers:
                yield edge.call, self._below(edge.callee)

    def _below(self, frame: Frame) -> set[Place]:
        """All events in a frame and below it."""
        found: set[Place] = set()
        todo, seen = [frame], {frame}
        while todo:
            current = todo.pop()
            found |= {p for p, lasts in self._direct.get(current, {}).values() if lasts is not Lasts.BLOCK}
            for edge in self._edges.get(current, ()):
                if edge.callee in self._carriers and edge.callee not in seen and not _own_module(edge):
                    seen.add(edge.callee)
                    todo.append(edge.callee)
        return found


class _Walk:
    """One pass over the statements of a frame: the state before every call, and the effect of it all."""

    def __init__(
        self, order: Order, frame: Frame, direct: dict[int, tuple[Place, Lasts]], edges: list[Edge]
    ) -> None:
        self._order = order
        self._frame = frame
        self._direct = direct
        self._callees: dict[int, list[Edge]] = {}
        self._imported: dict[int, list[Edge]] = {}
        for edge in edges:
            if edge.site is not None:
                self._callees.setdefault(id(edge.call), []).append(edge)
            elif not _own_module(edge):
                self._imported.setdefault(edge.line, []).append(edge)
        self._exits: list[State] = []
        self.calls: dict[int, State] = {}
        self.imports: dict[int, State] = {}
        self.effect = START

    def run(self, project: Project) -> None:
        """Fill `calls`, `imports` and `effect`."""
        node = project.index.function(self._frame.function).node
        self.flow = Flow(node)
        self._names = project.resolver.body(self._frame.function).names
        body = [s for s in node.body if not is_main_guard(s)] if _is_module(self._frame) else node.body
        end = self._block(body, START)
        states = [*self._exits, *([end] if end is not None else [])]
        self.effect = self._leaving(_joined(states)) if states else START

    def _leaving(self, state: State) -> State:
        """What lasts as long as the function ends with it."""
        local = {place for place, lasts in self._direct.values() if lasts is Lasts.FUNCTION}
        if state.seen is Seen.ALWAYS and state.at <= local:
            return State(Seen.MAYBE, state.at)
        return state

    def _block(self, body: Iterable[ast.stmt], state: State | None) -> State | None:
        """The state after a block; None when it always leaves."""
        for statement in body:
            if state is None:
                return None
            state = self._statement(statement, state)
        return state

    def _statement(self, statement: ast.stmt, state: State) -> State | None:
        if isinstance(statement, ast.If):
            state = self._expression(statement.test, state)
            return _either(self._block(statement.body, state), self._block(statement.orelse, state))
        if isinstance(statement, (ast.For, ast.AsyncFor, ast.While)):
            return self._loop(statement, state)
        if isinstance(statement, (ast.With, ast.AsyncWith)):
            return self._with(statement, state)
        if isinstance(statement, ast.Try) or statement.__class__.__name__ == "TryStar":
            return self._try(statement, state)  # type: ignore[arg-type]
        if isinstance(statement, ast.Match):
            return self._match(statement, state)
        if isinstance(statement, _IMPORTS):
            return self._import(statement, state)
        state = self._expression(statement, state)
        if isinstance(statement, ast.Return):
            self._exits.append(state)
        return None if isinstance(statement, (ast.Return, ast.Raise, ast.Continue, ast.Break)) else state

    def _loop(self, statement: ast.For | ast.AsyncFor | ast.While, state: State) -> State | None:
        head = statement.test if isinstance(statement, ast.While) else statement.iter
        state = self._expression(head, state)
        after = _either(state, self._block(statement.body, state))
        return self._block(statement.orelse, after)

    def _with(self, statement: ast.With | ast.AsyncWith, state: State) -> State | None:
        block = None
        for item in statement.items:
            state = self._expression(item.context_expr, state)
            block = block or self._held(item.context_expr)
        if block is None:
            return self._block(statement.body, state)
        inside = self._block(statement.body, State(Seen.ALWAYS, frozenset((block,))))
        return None if inside is None else state

    def _held(self, expr: ast.expr) -> Place | None:
        """The block event that a context manager is, or may be through a variable."""
        exprs = [s.expr for s in self._names.get(expr.id, ())] if isinstance(expr, ast.Name) else [expr]
        for node in (n for e in exprs for n in ast.walk(e)):
            found = self._direct.get(id(node))
            if found and found[1] is Lasts.BLOCK:
                return found[0]
        return None

    def _try(self, statement: ast.Try, state: State) -> State | None:
        after = self._block(statement.orelse, self._block(statement.body, state))
        for handler in statement.handlers:
            after = _either(after, self._block(handler.body, state))
        return self._block(statement.finalbody, after)

    def _match(self, statement: ast.Match, state: State) -> State | None:
        state = self._expression(statement.subject, state)
        after: State | None = state
        for case in statement.cases:
            after = _either(after, self._block(case.body, state))
        return after

    def _import(self, statement: ast.Import | ast.ImportFrom, state: State) -> State:
        self.imports[statement.lineno] = state
        for edge in self._imported.get(statement.lineno, ()):
            state = state.then(self._order.effect(edge.callee))
        return state

    def _expression(self, node: ast.AST, state: State) -> State:
        """The calls of an expression or simple statement, in the order in which they are made."""
        calls = [n for n in own_nodes(node) if isinstance(n, ast.Call)] if _enterable(node) else []
        for call in sorted(calls, key=_made_at):
            self.calls[id(call)] = state
            state = state.then(self._called(call))
        return state

    def _called(self, call: ast.Call) -> State:
        direct = self._direct.get(id(call))
        if direct is not None and direct[1] is not Lasts.BLOCK:
            return State(Seen.ALWAYS, frozenset((direct[0],)))
        effects = [self._through(edge) for edge in self._callees.get(id(call), ())]
        return _joined(effects) if effects else START

    def _through(self, edge: Edge) -> State:
        effect = self._order.effect(edge.callee)
        if edge.how is How.CALLBACK and effect.seen is Seen.ALWAYS:
            return State(Seen.MAYBE, effect.at)
        return effect


def _own_module(edge: Edge) -> bool:
    """The bookkeeping edge from a function to the code of its own module, which ran long before."""
    if edge.site is not None:
        return False
    return edge.caller.function.partition("::")[0] == edge.callee.function.partition("::")[0]


def _is_module(frame: Frame) -> bool:
    return frame.function.endswith("::<module>")


def _enterable(node: ast.AST) -> bool:
    """Function bodies run when they are called, not where they stand."""
    return not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))


def _made_at(call: ast.Call) -> tuple[int, int, int, int]:
    """Arguments are evaluated before the call that takes them: calls are made in the order of their ends."""
    return (call.end_lineno or 0, call.end_col_offset or 0, -call.lineno, -call.col_offset)


def _either(one: State | None, other: State | None) -> State | None:
    if one is None or other is None:
        return other if one is None else one
    return one.either(other)


def _joined(states: list[State]) -> State:
    found = states[0]
    for state in states[1:]:
        found = found.either(state)
    return found


def _may_follow(flow: Flow, node: ast.AST, later: ast.Call) -> bool:
    """May `later` be called after `node` in the same run of the function?"""
    first, second = flow.statement_of(node), flow.statement_of(later)
    if first is None or second is None or node is later:
        return False
    if first is second:
        return isinstance(node, ast.Call) and _made_at(node) < _made_at(later)
    return any(second is s or s in flow.ancestors(second) for s in _behind(flow, first))


def _behind(flow: Flow, statement: ast.stmt) -> list[ast.stmt]:
    """The statements that may run after one, up to the first that always leaves."""
    if isinstance(statement, (ast.Return, ast.Raise)):
        return []
    found: list[ast.stmt] = []
    for following in flow.following(statement):
        found.append(following)
        if isinstance(following, (ast.Continue, ast.Break)):
            break
        if leaves([following]):
            return found
    return [*found, *_around(flow, statement)]


def _around(flow: Flow, statement: ast.stmt) -> list[ast.stmt]:
    """What comes behind the loops that hold a statement."""
    found: list[ast.stmt] = []
    loop = flow.loop_of(statement)
    while loop is not None:
        found += flow.following(loop)
        loop = flow.loop_of(loop)
    return found
