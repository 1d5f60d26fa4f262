"""The call graph over frames, built on the fly from given roots. May-analysis: every edge says how it
was resolved, and calls that resolve to nothing are kept with what they were called."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator

from mmcodemod.facts.outline import MAIN
from mmcodemod.facts.terms import Attribute, Call, Lambda, Name, plain_name
from mmcodemod.facts.tests import NEVER
from mmcodemod.knowledge.wrappers import FACTORY_METHODS, HANDS_ON
from mmcodemod.model.grade import How
from mmcodemod.project.assigning import Assigning
from mmcodemod.project.binding import Binder
from mmcodemod.project.callgraph import CallGraph, Edge, Outside, Unresolved
from mmcodemod.project.configured import Configured, builds
from mmcodemod.project.fitting import fits
from mmcodemod.project.implicit import Implicit
from mmcodemod.project.infer import INSTANCES, Frame, Resolver
from mmcodemod.project.isolation import isolated
from mmcodemod.project.library import library_name
from mmcodemod.project.narrowing import Narrowing
from mmcodemod.project.registry_calls import RegistryCalls
from mmcodemod.project.stubs import allocated, class_of, is_stub
from mmcodemod.project.values import (
    Bound,
    ClassRef,
    External,
    FunctionRef,
    Instance,
    Items,
    Made,
    Mapping,
    ModuleRef,
    Super,
    Text,
    Value,
    Values,
    flattened,
    ordered,
)

MAX_ROUNDS = 6
LARGE = 500  # edges from which a graph may count as settled while values still grow
VERY_LARGE = 4_000  # frames from which a graph counts as settled when no more of them come
SPREAD = 50  # a round, after the second, that changes the number of frames by less than one in so many
SETTLED = 25  # a round that changes fewer than one edge in so many is the last
MAX_TARGETS = 16  # a call that may mean more says nothing about any one of them
MAX_FRAMES = 40_000
_BUILTIN = "<builtin>."
_CALLING = ("importlib.import_module", "functools.partial")
_INSTANCES = External(INSTANCES)
_OF_TREE = frozenset((Instance, ClassRef, Super, ModuleRef))


class Builder:
    """Walks from the roots; rounds repeat until no parameter and no stored
    attribute grows, or the graph stays the same."""

    def __init__(self, resolver: Resolver, configured: Configured | None = None) -> None:
        self.resolver = resolver
        self.graph = CallGraph()
        self.settled = False  # did the last build end because nothing new came?
        self._narrowing = Narrowing(resolver)
        self._binder = Binder(resolver, self._narrowing)
        self._handing: tuple[Call, Frame] | None = None  # the call whose arguments stubs hand on
        self._through: set[Value] = set()  # what they were handed on to
        self._modules: dict[str, tuple[tuple[Frame, int], ...]] = {}
        self._assigning = Assigning(resolver)
        self._registries = RegistryCalls(resolver, configured or Configured(resolver))
        self._implicit: Implicit = resolver.implicit or Implicit(resolver)
        resolver.implicit = self._implicit

    def build(self, roots: Iterable[Frame], rounds: int = MAX_ROUNDS) -> CallGraph:
        """The graph of everything that the roots may reach, in at most `rounds` rounds."""
        roots = sorted(set(roots))
        self.settled = False
        for number in range(rounds):
            before, frames = self._size, len(self.graph.edges)
            self.resolver.grew = False
            self.resolver.begin_round()
            self._narrowing.forget()
            for root in roots:
                self._binder.open(root)
            self._round(roots)
            if not self.resolver.grew or self._settled(before) or (number > 1 and self._spread(frames)):
                self.settled = True
                break
        self.resolver.end_rounds()  # rules ask for a small part of it
        return self.graph

    def _settled(self, before: int) -> bool:
        """Of a large graph: values may still grow, but lead nowhere new."""
        return before >= LARGE and abs(self._size - before) * SETTLED <= before

    def _spread(self, before: int) -> bool:
        """Of a very large graph: nothing new runs, only more of the same objects go to the same places."""
        return before >= VERY_LARGE and abs(len(self.graph.edges) - before) * SPREAD <= before

    @property
    def _size(self) -> int:
        """Edges inside the tree."""
        return sum(len(found) for found in self.graph.edges.values())

    def _round(self, roots: list[Frame]) -> None:
        self.graph = CallGraph()
        todo, seen = deque(roots), set(roots)
        while todo and len(seen) < MAX_FRAMES:
            frame = todo.popleft()
            for edge in self._frame(frame):
                if edge.callee not in seen:
                    seen.add(edge.callee)
                    todo.append(edge.callee)

    def _frame(self, frame: Frame) -> list[Edge]:
        """The edges of one frame, isolated: what crashes here leaves out the rest of one function."""
        edges = self.graph.edges.setdefault(frame, [])

        def left_out(error: Exception) -> None:
            self.resolver.index.leave_out(frame.function, error)
            for call in self.resolver.body(frame.function).calls:
                self._unresolved(call, frame)

        isolated(lambda: self._follow(frame, edges), left_out)
        return edges

    def _follow(self, frame: Frame, edges: list[Edge]) -> None:
        body = self.resolver.body(frame.function)
        inner = self.resolver.handed_on(frame.function) if is_stub(frame.function) else ()
        self._handing = None
        for call in body.calls:
            if call in inner:  # the caller has these edges
                continue
            edges.extend(self._call(call, frame))
        for call in self._implicit.calls(frame.function):
            edges.extend(self._implied(call, frame))
        for call in self._implicit.raised(frame.function):
            edges.extend(self._raised(call, frame))
        for read in self._implicit.reads(frame.function):
            edges.extend(self._read(read, frame))
        edges.extend(self._imports(frame))
        edges.extend(self._registries.built(frame, self.graph))
        self._assigning.take(frame, body)

    def _imports(self, frame: Frame) -> Iterator[Edge]:
        """Importing a module of the tree runs its code, which may fill registries."""
        if frame.function not in self._modules:
            self._modules[frame.function] = tuple(self._imported(frame.function))
        for to, line in self._modules[frame.function]:
            yield Edge(frame, to, None, How.DIRECT, line)

    def _imported(self, function: str) -> Iterator[tuple[Frame, int]]:
        """The modules that running a function runs, its own among them, and the lines."""
        index = self.resolver.index
        facts = index.function(function)
        file = index.files[facts.path]
        items = [*file.imports, *file.stars] if facts.qualname == "<module>" else facts.imports
        if facts.qualname not in ("<module>", MAIN):
            yield Frame(f"{facts.path}::<module>"), facts.line
        for item in items:
            target = index.modules.absolute(item.module, item.level, facts.path)
            for dotted in (target, f"{target}.{item.name}"):
                path = index.modules.find(dotted, facts.path)
                if path is not None and path != facts.path:
                    yield Frame(f"{path}::<module>"), item.line

    # -- one call ---------------------------------------------------------------------------------

    def _call(self, call: Call, frame: Frame) -> Iterator[Edge]:
        callees = self._callees(call, frame)
        if callees is None:
            return
        func = call.func
        if isinstance(func, Attribute) and func.attr == "backward":
            self.graph.backward.add(frame.function)
        makes = isinstance(func, Attribute) and func.attr in FACTORY_METHODS
        built = list(self._factory(call, func, frame)) if makes else []  # type: ignore[arg-type]
        yield from built
        resolved = bool(built)
        external = False
        many = len(callees) > MAX_TARGETS
        for callee in _told_apart(callees):
            outside = isinstance(callee, External)
            if not outside and self._refuses(callee, call):
                continue
            edges = list(self._to(callee, call, frame)) if not outside or callee == _INSTANCES else []
            if many:
                edges = [edge._replace(how=How.NAME_ONLY) for edge in edges]
            resolved = resolved or bool(edges) or not isinstance(callee, Made)
            external = external or outside
            name = self._library_name(callee, frame)
            if name:
                self.graph.external.setdefault(frame, []).append(Outside(name, call))
                if name.startswith(_BUILTIN) or name in _CALLING:
                    yield from self._library(name, call, frame)
                if builds(name):
                    yield from self._registries.build(name, call, frame, self.graph)
            yield from edges
        if not resolved and self._on_display(call, frame):
            resolved = True
        elif not resolved:
            self._unresolved(call, frame)
        if (external or not resolved) and not self._registries.is_loaded(frame):
            yield from self._callbacks(call, frame)

    def _callees(self, call: Call, frame: Frame) -> Values | None:
        """What may be called; None where the tests around the call allow none of it."""
        guards = self.resolver.body(frame.function).behind.get(id(call))
        if not guards:
            return self.resolver.infer(call.func, frame)
        if NEVER in guards:
            return None
        func = call.func
        if not isinstance(func, Attribute) or not isinstance(func.value, Name):
            return self.resolver.infer(func, frame)
        owners = self.resolver.infer(func.value, frame)
        kept = self._narrowing.kept(owners, tuple(g for g in guards if g[0] == func.value.id))
        if kept == owners:
            return self.resolver.infer(func, frame)
        found = frozenset(v for owner in kept for v in self.resolver.member(owner, func.attr))
        return found if kept else None

    def _library_name(self, callee: Value, frame: Frame) -> str:
        """The library's name for what is called; a stub that calls a stub is no use of the library."""
        if not isinstance(callee, External) and is_stub(frame.function):
            return ""
        return library_name(self.resolver.index.modules, callee)

    def _on_display(self, call: Call, frame: Frame) -> bool:
        """Is it a method of a list or a dict, which keeps what it is given?"""
        if not isinstance(call.func, Attribute) or call.func.attr == "sort":
            return False
        bases = self.resolver.infer(call.func.value, frame)
        return bool(bases) and all(isinstance(v, (Items, Mapping, Text)) for v in bases)

    def _implied(self, call: Call, frame: Frame) -> Iterator[Edge]:
        """A call that the language makes; it is nothing when no object of the tree takes part."""
        if isinstance(call.func, Attribute) and call.func.attr.startswith("__"):
            bases = self.resolver.infer(call.func.value, frame)
            if _OF_TREE.isdisjoint(map(type, bases)):
                return
        for callee in _told_apart(self.resolver.infer(call.func, frame)):
            yield from self._to(callee, call, frame)

    def _raised(self, call: Call, frame: Frame) -> Iterator[Edge]:
        """Raising a class makes an object of it."""
        for callee in ordered(self.resolver.infer(call.func, frame)):
            if isinstance(callee, ClassRef):
                yield from self._to(callee, call, frame)
            elif isinstance(callee, External):
                self.graph.external.setdefault(frame, []).append(Outside(callee.name, call))

    def _read(self, call: Call, frame: Frame) -> Iterator[Edge]:
        """Reading or setting a property runs it."""
        func = call.func
        assert isinstance(func, Attribute)
        for value in ordered(self.resolver.infer(func.value, frame)):
            for method, receiver in self.resolver.accessed(value, func):
                yield self._edge(call, frame, Frame(method, receiver), self._how(call, How.POINTS_TO), 1)

    def _unresolved(self, call: Call, frame: Frame) -> None:
        self.graph.unresolved.append(Unresolved(frame, call, plain_name(call.func)))

    def _factory(self, call: Call, func: Attribute, frame: Frame) -> Iterator[Edge]:
        for value in ordered(self.resolver.infer(func.value, frame)):
            for cls in self.resolver.builds(value, func.attr):
                init = self.resolver.classes.find(cls, "__init__")
                if init:
                    yield Edge(frame, Frame(init, cls), call, How.FACTORY, call.lineno, builds=True)

    def _to(self, callee: Value, call: Call, frame: Frame) -> Iterator[Edge]:
        if isinstance(callee, External) and callee.name != INSTANCES:
            return
        callee = self.resolver.applied(callee, call, frame)
        how = self._label(callee, call, frame)
        if isinstance(callee, (FunctionRef, Bound)) and is_stub(callee.function):
            yield from self._enter(callee.function, callee.receiver, call, frame, how)
        elif isinstance(callee, FunctionRef):
            unbound = self.resolver.unbound(callee, call, frame)
            for to in unbound or [callee.frame]:
                yield self._edge(call, frame, to, how, callee.given)
        elif isinstance(callee, Bound):
            skip = self._binder.bind_method(call, frame, callee)
            yield Edge(frame, callee.frame, call, how, call.lineno, skip=skip)
        elif isinstance(callee, ClassRef):
            yield from self._construct(callee.cls, call, frame, how)
        elif isinstance(callee, Instance):
            method = self.resolver.call_method(callee.cls)
            if method and is_stub(method):
                yield from self._enter(method, callee.cls, call, frame, How.FRAMEWORK)
            elif method:
                yield self._edge(call, frame, Frame(method, callee.cls), How.FRAMEWORK, 1)
        elif isinstance(callee, External):
            for value in flattened(self.resolver.infer(call, frame)):
                if isinstance(value, Instance):
                    yield from self._made(value.cls, call, frame)

    def _refuses(self, callee: Value, call: Call) -> bool:
        """Would a call that is written in the tree raise TypeError, because it cannot be bound?"""
        function, skip = self._target(callee)
        if call.owner is None or not function or is_stub(call.owner.path) or is_stub(function):
            return False
        partial = function in self.resolver.partial
        return not fits(self.resolver.index.function(function), call, skip, partial)

    def _target(self, callee: Value) -> tuple[str, int]:
        """The function that calling a value runs, and how many of its parameters are bound before."""
        if isinstance(callee, FunctionRef):
            return callee.function, callee.given
        if isinstance(callee, Bound):
            return callee.function, 1 + callee.given
        if isinstance(callee, ClassRef) and not self.resolver.classes.find(callee.cls, "__new__"):
            return self.resolver.classes.find(callee.cls, "__init__") or "", 1
        return (self.resolver.call_method(callee.cls) or "", 1) if isinstance(callee, Instance) else ("", 0)

    def _enter(self, function: str, receiver: str, call: Call, frame: Frame, how: How) -> Iterator[Edge]:
        """The edge into a function, and what a stub that hands on all its arguments leads to."""
        to = self.resolver.enter(function, receiver, call, frame)
        inner = self.resolver.handed_on(function) if is_stub(function) else ()
        if not inner or self._runs_more(to, inner):
            yield Edge(frame, to, call, how, call.lineno)
        if inner:
            yield from self._handed_on(inner, to, call, frame)

    def _handed_on(self, inner: tuple[Call, ...], to: Frame, call: Call, frame: Frame) -> Iterator[Edge]:
        """What a stub leads to that hands on all its arguments. Each is gone through once for one call, as
        `model = DDP(model)` may hold itself, and wrappers that may hold one another would else be gone
        through in every order."""
        if self._handing != (call, frame):
            self._handing, self._through = (call, frame), set()
        for callees in [self.resolver.infer(c.func, to) for c in inner]:
            how = How.NAME_ONLY if len(callees) > MAX_TARGETS else How.FRAMEWORK
            for callee in _told_apart(callees - self._through):
                self._through.add(callee)
                for edge in self._to(callee, call, frame):
                    yield edge if edge.how is How.NAME_ONLY else edge._replace(how=how)

    def _runs_more(self, to: Frame, inner: tuple[Call, ...]) -> bool:
        """Does a stub that hands on its arguments call something else as well (hooks)?"""
        calls = self.resolver.body(to.function).calls
        return any(self.resolver.infer(c.func, to) for c in calls if c not in inner)

    def _label(self, callee: Value, call: Call, frame: Frame) -> How:
        if callee in self.resolver.looked_up and not isinstance(call.func, Name):
            return How.REGISTRY
        own = isinstance(callee, (FunctionRef, Bound)) and _own_name(callee, call)
        if isinstance(callee, Bound) and own:
            return self._how(call, How.POINTS_TO)
        if isinstance(callee, (FunctionRef, Bound)) and isinstance(call.func, Attribute) and not own:
            if self.resolver.is_patch(callee, call.func, frame):
                return How.PATCHED
        return How.POINTS_TO if isinstance(callee, Bound) else self._how(call, How.DIRECT)

    def _construct(self, cls: str, call: Call, frame: Frame, how: How) -> Iterator[Edge]:
        made = allocated(cls, call, frame)
        init = self.resolver.classes.find(cls, "__init__")
        if init and is_stub(init):
            yield from self._enter(init, made, call, frame, how)
        elif init:
            yield self._edge(call, frame, Frame(init, cls), how, 1)
        else:
            self._fields(cls, call, frame)
            self._library_init(cls, call, frame)
        for name in ("__post_init__", "__new__"):
            method = self.resolver.classes.find(cls, name)
            if method:
                yield Edge(frame, Frame(method, made), call, how, call.lineno)

    def _made(self, cls: str, call: Call, frame: Frame) -> Iterator[Edge]:
        """What runs when a framework makes an object from values that do not show."""
        for name in ("__init__", "__post_init__"):
            method = self.resolver.classes.find(cls, name)
            if method:
                yield Edge(frame, Frame(method, cls), call, How.FRAMEWORK, call.lineno)

    def _library_init(self, cls: str, call: Call, frame: Frame) -> None:
        """A class without a constructor of its own runs that of its library base."""
        bases = [b for b in self.resolver.classes.external_bases(cls) if not b.startswith("<")]
        for base in bases[:1]:
            self.graph.external.setdefault(frame, []).append(Outside(f"{base}.__init__", call))

    def _fields(self, cls: str, call: Call, frame: Frame) -> None:
        """Arguments of a dataclass give its fields values."""
        names = [n for facts in reversed([*self.resolver.classes.own(cls)]) for n in facts.fields]
        passed = [*zip(dict.fromkeys(names), self._binder.positional(call, frame))]
        for name, values in (*passed, *self._binder.keywords(call, frame)):
            for facts in self.resolver.classes.own(cls):
                if name in facts.fields:
                    self._binder.give(Frame(f"{facts.id}.<fields>", cls), name, values)

    def _how(self, call: Call, otherwise: How) -> How:
        func = call.func
        if isinstance(func, Attribute):
            if isinstance(func.value, Name) and func.value.id in ("self", "cls"):
                return How.SELF
            if isinstance(func.value, Call) and isinstance(func.value.func, Name):
                if func.value.func.id == "super":
                    return How.MRO
        return otherwise

    # -- library code that calls back -------------------------------------------------------------

    def _library(self, name: str, call: Call, frame: Frame) -> Iterator[Edge]:
        """Methods of its arguments that a builtin calls, and modules that `import_module` runs."""
        builtin = name.removeprefix(_BUILTIN)
        if name == "importlib.import_module":
            for value in ordered(self.resolver.infer(call, frame)):
                if isinstance(value, ModuleRef) and value.path:
                    yield Edge(frame, Frame(f"{value.path}::<module>"), None, How.DIRECT, call.lineno)
        elif name == "functools.partial":
            self._binder.bind_partial(call, frame)
        elif builtin != name:
            for implied in self._implicit.by_builtin(builtin, call):
                yield from self._implied(implied, frame)

    def _callbacks(self, call: Call, frame: Frame) -> Iterator[Edge]:
        """A function handed to code that we do not see may be called by it."""
        for expr in (*call.args, *[k.value for k in call.keywords]):
            if isinstance(expr, (Name, Attribute, Lambda, Call)):
                found = [v for v in self.resolver.infer(expr, frame) if isinstance(v, (FunctionRef, Bound))]
                for value in ordered(frozenset(found)) if found and not self._hands_on(call, frame) else ():
                    assert isinstance(value, (FunctionRef, Bound))
                    self._binder.bind_callback(call, frame, value)
                    yield Edge(frame, value.frame, call, How.CALLBACK, call.lineno)

    def _hands_on(self, call: Call, frame: Frame) -> bool:
        """Does the call only give back what it is handed?"""
        return any(
            isinstance(v, External) and v.name in HANDS_ON for v in self.resolver.infer(call.func, frame)
        )

    # -- arguments --------------------------------------------------------------------------------

    def _edge(self, call: Call, frame: Frame, to: Frame, how: How, skip: int) -> Edge:
        """An edge with its arguments bound; the first `skip` parameters are bound already."""
        self._binder.bind(call, frame, to, skip)
        return Edge(frame, to, call, how, call.lineno, skip=skip)


def _told_apart(callees: Values) -> list[Value]:
    """What a call may mean, in order; where that is much, objects of one class are one, and so is a function
    that is made in many places."""
    found = ordered(callees)
    return list({_kind(v): v for v in reversed(found)}.values())[::-1] if len(found) > MAX_TARGETS else found


def _kind(callee: Value) -> object:
    if isinstance(callee, (FunctionRef, Bound)):
        return callee.function
    return class_of(callee.cls) if isinstance(callee, (ClassRef, Instance)) else callee


def _own_name(callee: FunctionRef | Bound, call: Call) -> bool:
    """Is a method called by the name under which its class defines it?"""
    name = callee.function.rpartition("::")[2].rpartition(".")[2].rstrip("'")
    return isinstance(call.func, Attribute) and call.func.attr == name
