"""Which frames an entry point reaches, and by which path. Three answers: reached, not found, cannot tell."""

from __future__ import annotations

from collections import deque
from enum import Enum
from functools import cached_property

from mmcodemod.facts.outline import MAIN
from mmcodemod.facts.python import FunctionFacts
from mmcodemod.facts.terms import Call
from mmcodemod.model.context import Entry
from mmcodemod.model.grade import How
from mmcodemod.project.callgraph import CallGraph, Edge, makes
from mmcodemod.project.index import Index
from mmcodemod.project.infer import Frame
from mmcodemod.project.stubs import MODELS, is_stub

_COMMANDS = frozenset(("command", "callback", "default"))


class Reached(Enum):
    """May the entry reach a function?"""

    YES = "reachable"
    NOT_FOUND = "not found"
    CANNOT_TELL = "cannot tell"


def roots(index: Index, entry: Entry) -> list[Frame]:
    """The frames that launching `entry` starts; empty when the file is not in the index."""
    file = index.files.get(entry.path)
    if file is None:
        return []
    names = ["<module>", MAIN if entry.symbol == "<module>" else entry.symbol]
    if entry.symbol == "<module>":
        names += [f.qualname for f in file.functions.values() if not f.owner and is_command(f)]
    return [Frame(f"{entry.path}::{name}") for name in names if name in file.functions]


def is_command(facts: FunctionFacts) -> bool:
    """Does a library's application run the function, as `@app.command()` of click, typer or cyclopts says?"""
    return not _COMMANDS.isdisjoint(facts.decorators)


def path_of(frame: Frame) -> str:
    """The file of its object's class, or of the function itself."""
    return (frame.receiver or frame.function).partition("::")[0]


class Reach:
    """Breadth first from one entry; `inside` marks frames that run while `X.from_pretrained` builds X. What
    registries build of `barred` (ids of functions and classes) is left out: other configurations name it; so
    are the calls of `off`, and every call of `never` (ids, too). What attributes of a class hold, other
    programs of the tree may have stored there: methods of objects run only in files that the entry loads, and
    frameworks call them only for classes that it makes objects of."""

    def __init__(
        self,
        graph: CallGraph,
        starts: list[Frame],
        barred: frozenset[str] = frozenset(),
        off: frozenset[Call] = frozenset(),
        never: frozenset[str] = frozenset(),
    ) -> None:
        self._graph = graph
        self._never = never
        self._barred = barred
        self._off = off
        self._parent: dict[tuple[Frame, bool], tuple[Edge, bool] | None] = {}
        self._by_function: dict[str, list[tuple[Frame, bool]]] = {}
        self._there: set[str] = set()  # paths of loaded files, ids of classes with an object
        self._waiting: dict[str, list[tuple[Edge, bool]]] = {}  # by what they wait for
        self._walk(starts)

    def _walk(self, starts: list[Frame]) -> None:
        todo = deque((frame, False) for frame in starts)
        weak: deque[tuple[Edge, bool]] = deque()  # followed when nothing better is left
        for state in todo:
            self._parent[state] = None
        while todo or weak:
            if not todo:
                self._follow(*weak.popleft(), todo)
                continue
            frame, inside = state = todo.popleft()
            self._by_function.setdefault(frame.function, []).append(state)
            self._arrive(frame, todo)
            for edge in self._graph.edges.get(frame, ()):
                if edge.site in self._off or self._is_barred(edge):
                    continue
                if edge.how is How.NAME_ONLY:
                    weak.append((edge, inside))
                elif missing := self._missing(edge):
                    self._waiting.setdefault(missing, []).append((edge, inside))
                else:
                    self._follow(edge, inside, todo)
        self._waiting.clear()  # in vain

    def _missing(self, edge: Edge) -> str:
        """What must be there before this call of an object's method, or by a framework, can run: the file,
        also that of what a patch puts in a method's place and of a class that is registered with a library,
        and for a framework an object of the class; "" when nothing is missing."""
        given = edge.callee.receiver or is_stub(edge.caller.function)
        path = path_of(edge.callee)
        if edge.how is How.PATCHED and (own := edge.callee.function.partition("::")[0]) not in self._there:
            return "" if is_stub(own) else own
        made = makes(edge.callee) and edge.how is not How.FACTORY
        if edge.site is None or is_stub(path) or not given or made:
            return ""
        if path not in self._there:
            return path
        cls = edge.callee.receiver if is_stub(edge.caller.function) else ""
        return cls if cls in self._graph.made and cls not in self._there else ""

    def _arrive(self, frame: Frame, todo: deque[tuple[Frame, bool]]) -> None:
        """Code of a file runs, perhaps one that makes an object: what waited for it may run, too."""
        for new in (path_of(frame), *([frame.receiver] if makes(frame) else ())):
            self._there.add(new)
            for edge, inside in self._waiting.pop(new, ()):
                missing = self._missing(edge)
                if missing:
                    self._waiting.setdefault(missing, []).append((edge, inside))
                else:
                    self._follow(edge, inside, todo)

    def _follow(self, edge: Edge, inside: bool, todo: deque[tuple[Frame, bool]]) -> None:
        following = (edge.callee, (inside or edge.builds) and edge.site is not None)
        if following not in self._parent:
            self._parent[following] = (edge, inside)
            todo.append(following)

    def _is_barred(self, edge: Edge) -> bool:
        """Does a registry build what only other configurations name, or is it a call of what is never run?"""
        if not self._barred and not self._never:
            return False
        called = edge.callee.receiver or edge.callee.function
        made = edge.how in (How.REGISTRY, How.FRAMEWORK)
        return (made and called in self._barred) or (edge.site is not None and called in self._never)

    def __contains__(self, function: str) -> bool:
        return function in self._by_function

    @property
    def functions(self) -> set[str]:
        """Ids of all functions reached."""
        return set(self._by_function)

    @cached_property
    def files(self) -> frozenset[str]:
        """The files of which something is reached."""
        return frozenset(function.partition("::")[0] for function in self._by_function)

    def frames(self, function: str) -> list[Frame]:
        """The frames of a function that are reached."""
        return list(dict.fromkeys(frame for frame, _ in self._by_function.get(function, ())))

    def built_inside(self, function: str) -> bool:
        """Is it reached while a library factory builds a model?"""
        return any(inside for _, inside in self._by_function.get(function, ()))

    def built_outside(self, function: str) -> bool:
        """Is it also reached otherwise?"""
        return any(not inside for _, inside in self._by_function.get(function, ()))

    def path(self, function: str, inside: bool | None = None) -> list[Edge]:
        """The shortest path from the entry, edge by edge; imports only when nothing else leads there."""
        states = self._by_function.get(function, [])
        chosen = [s for s in states if inside is None or s[1] == inside] or states
        return self._back(chosen[0]) if chosen else []

    def _back(self, state: tuple[Frame, bool]) -> list[Edge]:
        edges: list[Edge] = []
        step = self._parent[state]
        while step is not None:
            edge, inside = step
            edges.append(edge)
            step = self._parent[(edge.caller, inside)]
        return edges[::-1]


# Library calls that build objects of the tree from a configuration: any class may be meant.
_REGISTRY_CALLS = (
    ".from_cfg",
    ".build",
    "build_from_cfg",
    "instantiate_from_config",
    "hydra.utils.instantiate",
)


class Frontier:
    """What unresolved calls could reach if they were resolved by name alone, and what a registry could
    build."""

    def __init__(self, graph: CallGraph, index: Index, reached: set[str]) -> None:
        names = {u.name for u in graph.unresolved if u.name and u.caller.function in reached}
        self._registry = any(
            outside.name.endswith(_REGISTRY_CALLS)
            for frame, calls in graph.external.items()
            if frame.function in reached
            for outside in calls
        )
        self._maybe = {
            facts.id
            for path, file in index.files.items()
            if not path.startswith(MODELS)
            for facts in file.functions.values()
            if facts.name in names and facts.id not in reached
        }

    def answer(self, function: str, reached: bool) -> Reached:
        """Reachable, not found, or cannot tell because an unresolved call has that name."""
        if reached:
            return Reached.YES
        built = self._registry and "." in function.partition("::")[2]
        return Reached.CANNOT_TELL if built or function in self._maybe else Reached.NOT_FOUND
