"""What `mmcodemod graph` asks: the whole graph, what one symbol reaches, or the path to another."""

from __future__ import annotations

from mmcodemod.model.callmap import CallMap, Route, UnknownSymbol
from mmcodemod.project.callmap import Mapped
from mmcodemod.project.model import Project
from mmcodemod.project.reach import Reach
from mmcodemod.project.route import Start, entry_starts, route, route_map, start_of
from mmcodemod.project.symbols import Symbols


def ask(project: Project, start: str, goal: str) -> tuple[CallMap, Route | None]:
    """The graph to show, and the answer when there is a goal.

    Raises:
        UnknownSymbol: when `start` or `goal` means no function, or several.
    """
    mapped = Mapped(project)
    begins = _start(mapped, start) if start else None
    if begins is not None and not any(frame in mapped.graph.edges for frame in begins.frames):
        mapped = Mapped(project, begins.frames)  # no run gets there: a graph of its own
    if goal:
        found = route(mapped, [begins] if begins else entry_starts(mapped), Symbols(mapped).find(goal))
        return route_map(mapped, found), found
    if begins is None:
        return mapped.show(title=_title(project)), None
    reach = Reach(mapped.graph, list(begins.frames))
    frames = [f for name in sorted(reach.functions) for f in reach.frames(name)]
    return mapped.show(frames, f"what {begins.name} reaches"), None


def _start(mapped: Mapped, text: str) -> Start:
    symbol = Symbols(mapped).find(text)
    if not symbol.function:
        raise UnknownSymbol(f"{symbol.name} is a library function: a path cannot begin there")
    return start_of(mapped, symbol)


def _title(project: Project) -> str:
    modules = "what the modules of this tree reach (no training entry was found)"
    return modules if project.is_library else "what the entry points of this tree reach"
