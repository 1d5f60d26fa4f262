"""How one function gets to another: the evidence path, or the unresolved calls that may hide one."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from typing import get_args

from mmcodemod.facts.outline import MAIN
from mmcodemod.model.callmap import Call, CallMap, Doubt, Function, Hop, Route, Unknown
from mmcodemod.model.frozen import frozen
from mmcodemod.project import training
from mmcodemod.project.callgraph import CallGraph, Edge
from mmcodemod.project.callmap import IMPORT, LIBRARY, Mapped, library_function
from mmcodemod.project.calls import Builder
from mmcodemod.project.closure import closure
from mmcodemod.project.edges import is_import, library_calls
from mmcodemod.project.frame import Frame
from mmcodemod.project.model import Project
from mmcodemod.project.reach import Frontier, Reach, Reached, roots
from mmcodemod.project.stubs import MODELS
from mmcodemod.project.symbols import Symbol
from mmcodemod.project.unresolved import OBJECTS

_ANY_OBJECT = ("forward", "__call__")  # what calling an object may run
_LIKELIEST = get_args(Doubt)
_REGISTRY = "a library builds objects of this tree by name: any class may be meant"


class Rank(IntEnum):
    """Which start wins, however long its path is."""

    TRAINS = 0
    RUNS = 1
    MODULE = 2
    OUTSIDE = 3


@frozen()
class Start:
    """Where a path may begin: its name and the frames that run first."""

    name: str
    frames: tuple[Frame, ...]
    rank: Rank = Rank.TRAINS


def start_of(mapped: Mapped, symbol: Symbol) -> Start:
    """A function; a module begins with its own code and its main code."""
    path, _, qualname = symbol.function.partition("::")
    if qualname != "<module>":
        return Start(symbol.name, tuple(mapped.project.frames(symbol.function)))
    own = mapped.project.index.files[path].functions
    return Start(symbol.name, tuple(Frame(f"{path}::{n}") for n in (qualname, MAIN) if n in own))


def entry_starts(mapped: Mapped) -> list[Start]:
    """Where runs begin: what trains, then what else can be run; in a library its modules and what a
    training run would call, too."""
    project = mapped.project
    trains = project.entries
    found = []
    for entry in dict.fromkeys([*trains, *training.main_entries(project.index)]):
        frames = tuple(roots(project.index, entry))
        if frames:
            rank = Rank.TRAINS if entry in trains else Rank.RUNS
            found.append(Start(mapped.naming.function(frames[-1].function), frames, rank))
    return [*found, *_library_starts(mapped)] if project.is_library else found


def _library_starts(mapped: Mapped) -> list[Start]:
    project = mapped.project
    modules = (Frame(f"{path}::<module>") for path in project.index.python_files)
    found = [Start(mapped.naming.function(m.function), (m,), Rank.MODULE) for m in modules]
    outside = Start("whoever uses this library", tuple(project.library_roots()), Rank.OUTSIDE)
    return [*found, outside] if outside.frames else found


def route(mapped: Mapped, starts: list[Start], goal: Symbol) -> Route:
    """The shortest path of those that begin at the best start."""
    reaches = [(start, Reach(mapped.graph, list(start.frames))) for start in starts]
    found = [
        (start.rank, len(hops), start.name, hops)
        for start, reach in reaches
        if (hops := _hops(mapped, reach, goal)) is not None
    ]
    if not found:
        return _missing(mapped, starts, {f for _, reach in reaches for f in reach.functions}, goal)
    _, _, name, hops = min(found, key=lambda one: one[:3])
    name = hops[0].call.caller if hops else name
    return Route(Reached.YES.value, name, _function(mapped, goal), hops)


def route_map(mapped: Mapped, found: Route) -> CallMap:
    """The path alone as a graph; without one, the frontier."""
    calls = tuple(hop.call for hop in found.hops)
    names = {c.caller for c in calls} | {found.goal.name}
    functions = {f.name: f for f in mapped.show().functions if f.name in names}
    functions.setdefault(found.goal.name, found.goal)
    shown = tuple(sorted(functions.values(), key=lambda f: f.name))
    return CallMap(f"{found.start} to {found.goal.name}: {found.answer}", shown, calls, found.frontier)


def _function(mapped: Mapped, goal: Symbol) -> Function:
    return mapped.function(goal.function) if goal.function else library_function(goal.name)


# -- a path ---------------------------------------------------------------------------------------


def _hops(mapped: Mapped, reach: Reach, goal: Symbol) -> tuple[Hop, ...] | None:
    if goal.function:
        return _along(mapped, reach.path(goal.function)) if goal.function in reach else None
    callers = _library_callers(mapped.graph, goal.name)
    paths = [(reach.path(c.function), c, line) for c, line in callers.items() if c.function in reach]
    if not paths:
        return None
    edges, caller, line = min(paths, key=lambda one: len(one[0]))
    return (*_along(mapped, edges), _library_hop(mapped, caller, goal.name, line))


def _along(mapped: Mapped, edges: list[Edge]) -> tuple[Hop, ...]:
    calls = [call for call in map(mapped.call, edges) if call.caller != call.callee or call.how != IMPORT]
    return tuple(Hop(call, _source(mapped.project, call)) for call in calls)


def _source(project: Project, call: Call) -> str:
    return "" if call.path.startswith(MODELS) else project.line(call.path, call.line)


def _library_callers(graph: CallGraph, name: str) -> dict[Frame, int]:
    """The frames that call a library function, with the first line that does."""
    found: dict[Frame, int] = {}
    for frame in graph.external:
        for called, line in library_calls(graph, frame):
            if called == name:
                found.setdefault(frame, line)
    return found


def _library_hop(mapped: Mapped, caller: Frame, name: str, line: int) -> Hop:
    path = caller.function.partition("::")[0]
    call = Call(mapped.naming.function(caller.function), name, path, line, LIBRARY)
    return Hop(call, _source(mapped.project, call))


# -- no path --------------------------------------------------------------------------------------


def _missing(mapped: Mapped, starts: list[Start], reached: set[str], goal: Symbol) -> Route:
    leading = _leading(mapped.project, goal)
    may, other = _split(mapped.unknown(reached), leading, goal)
    why = _hidden(mapped, reached, leading)
    answer = Reached.CANNOT_TELL if may or why else Reached.NOT_FOUND
    name = starts[0].name if len(starts) == 1 else f"any of {len(starts)} entry points"
    return Route(answer.value, name, _function(mapped, goal), (), (*may, *other), len(may), why)


def _hidden(mapped: Mapped, reached: set[str], leading: set[str]) -> str:
    """Why something that leads to the goal may be run although no call of the tree shows it, "" if not."""
    for function in sorted(leading):
        base = _framework_base(mapped.project, function)
        if base:
            name = mapped.naming.function(function)
            return f"`{name}` belongs to a subclass of `{mapped.naming.function(base)}`, which may call it"
    frontier = Frontier(mapped.graph, mapped.project.index, reached)
    unclear = any(frontier.answer(f, False) is Reached.CANNOT_TELL for f in leading)
    return _REGISTRY if unclear else ""


def _framework_base(project: Project, function: str) -> str:
    """The framework's class that a method's class extends, when mmcodemod does not model that method."""
    path, _, qualname = function.partition("::")
    facts = project.index.files[path].functions[qualname]
    if not facts.owner or path.startswith(MODELS) or facts.name.startswith("__"):
        return ""
    bases = [cls for cls in project.bases(f"{path}::{facts.owner}") if cls.path.startswith(MODELS)]
    return bases[0].id if bases and not any(facts.name in cls.methods for cls in bases) else ""


def _split(
    frontier: Iterable[Unknown], leading: set[str], goal: Symbol
) -> tuple[list[Unknown], list[Unknown]]:
    """Unresolved calls that may run something that leads to the goal, and the others."""
    names = {f.rpartition("::")[2].rpartition(".")[2] for f in leading} | {goal.name.rpartition(".")[2]}
    may: list[Unknown] = []
    other: list[Unknown] = []
    for call in frontier:
        last = call.called.rpartition(".")[2]
        hit = last in names or (_calls_an_object(call) and not names.isdisjoint(_ANY_OBJECT))
        (may if hit and call.kind != "builtin-value" else other).append(call)
    return sorted(may, key=_rank), sorted(other, key=_rank)


def _rank(call: Unknown) -> tuple[int, Unknown]:
    return _LIKELIEST.index(call.kind), call


def _calls_an_object(call: Unknown) -> bool:
    """Is the callee itself a value (`model(...)`, `self.model(...)`), not a method of one?"""
    return call.kind in OBJECTS and "." not in call.called.removeprefix("self.")


def _leading(project: Project, goal: Symbol) -> set[str]:
    """Ids of the functions from which the goal is reached, whether anything runs them or not."""
    frames = [Frame(f.id, f"{f.path}::{f.owner}" if f.owner else "") for f in project.functions()]
    graph = Builder(project.solver).build(frames, rounds=1)
    callers: dict[str, set[str]] = {}
    for edges in graph.edges.values():
        for edge in edges:
            if not is_import(edge):
                callers.setdefault(edge.callee.function, set()).add(edge.caller.function)
    first = [goal.function] if goal.function else [f.function for f in _library_callers(graph, goal.name)]
    return set(closure(first, lambda function: callers.get(function, ())))
