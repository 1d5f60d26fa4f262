"""A call graph in a terminal: the evidence path like a trace of `check`, or a summary of the whole."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from mmcodemod.model.callmap import Call, CallMap, Doubt, Function, Hop, Kind, Role, Route, Unknown
from mmcodemod.report.colour import PLAIN, Palette
from mmcodemod.report.escape import visible, width
from mmcodemod.report.graph.words import KINDS, place
from mmcodemod.report.words import count

Word = TypeVar("Word", bound=str)
MOST_FRONTIER = 10
MOST_ENTRIES = 15


@dataclass(frozen=True)
class Style:
    """How a person wants to see it; `columns` is the width."""

    palette: Palette = PLAIN
    columns: int = 100


def render_route(route: Route, style: Style = Style()) -> str:
    """The path, or why there is none."""
    lines = list(_path(route, style) if route.answer == "reachable" else _no_path(route, style))
    return "".join(f"{line}\n" for line in lines)


def render(shown: CallMap, style: Style = Style()) -> str:
    """The summary of a graph."""
    lines = [*_heading(shown, style), *_entries(shown.functions), *_hows(shown), *_unknowns(shown.unknown)]
    hint = style.palette.paint(
        "dim", "mmcodemod graph --format html --output graph.html   to walk through it"
    )
    return "".join(f"{line}\n" for line in [*lines, "", hint])


# -- a path ---------------------------------------------------------------------------------------


def _path(route: Route, style: Style) -> Iterator[str]:
    calls = count(len(route.hops), "call")
    yield style.palette.paint("bold", f"{visible(route.start)} reaches {visible(route.goal.name)} in {calls}")
    yield ""
    places = [(h.call.path, h.call.line) for h in route.hops] + [(route.goal.path, route.goal.line)]
    first = min(max(width(place(*at)) for at in places), 48)
    for hop in route.hops:
        yield from _hop(hop, first, style)
    goal = route.goal
    if goal.line:
        yield f"  {place(goal.path, goal.line):<{first}}   {_last(goal)}"


def _last(goal: Function) -> str:
    return f"{visible(goal.name)} is here"


def _hop(hop: Hop, first: int, style: Style) -> Iterator[str]:
    where = place(hop.call.path, hop.call.line)
    room = max(style.columns - first - 5, 30)
    source = hop.source or f"{hop.call.caller} as mmcodemod models it"
    text = textwrap.shorten(visible(" ".join(source.split())), room, placeholder=" ...")
    yield f"  {where}{' ' * (first - width(where))}   {text}".rstrip()
    yield " " * (first + 5) + style.palette.paint("dim", _arrow(hop.call))


def _arrow(call: Call) -> str:
    verb = "imports" if call.how == "import" else "calls"
    note = f", {call.note}" if call.note else ""
    return visible(f"{verb} {call.callee}") + f"  [{call.how}{note}]"


def _no_path(route: Route, style: Style) -> Iterator[str]:
    head = f"{visible(route.start)} to {visible(route.goal.name)}: {route.answer}"
    yield style.palette.paint("bold", head)
    yield ""
    if route.why:
        yield from (line[6:] for line in _indented(visible(route.why), style.columns + 6))
    if not route.frontier:
        yield "  every call on the way was resolved, and none leads there"
        return
    yield f"  {_frontier_line(route)}"
    for call in route.frontier[: min(route.open or MOST_FRONTIER, MOST_FRONTIER)]:
        yield f"    {visible(f'{call.path}:{call.line}')}   {visible(call.called)}(...)"
        yield from _indented(visible(call.reason), style.columns)
    if len(route.frontier) > MOST_FRONTIER:
        yield "    all of them: --format json-edges"


def _indented(text: str, columns: int) -> list[str]:
    return textwrap.wrap(text, columns, initial_indent=" " * 8, subsequent_indent=" " * 8)


def _frontier_line(route: Route) -> str:
    total = count(len(route.frontier), "call")
    if route.open:
        return f"of {total} that could not be resolved, {route.open} may lead there:"
    return f"{total} could not be resolved; none has a name that leads there:"


# -- the whole graph --------------------------------------------------------------------------------


def _heading(shown: CallMap, style: Style) -> Iterator[str]:
    kinds = Counter(f.kind for f in shown.functions)
    yield style.palette.paint("bold", visible(shown.title))
    yield (
        f"  {count(kinds[Kind.TREE], 'function')} of the tree, {kinds[Kind.FRAMEWORK]} in models of"
        f" frameworks, {kinds[Kind.LIBRARY]} of libraries; {count(len(shown.calls), 'call')}"
    )


def _entries(functions: Iterable[Function]) -> Iterator[str]:
    for role in (Role.TRAINS, Role.RUNS):
        found = [f for f in functions if f.role is role]
        if found:
            yield ""
            yield f"  {'train here' if role is Role.TRAINS else 'can be run, too'}"
            yield from (f"    {visible(f.name)}   {place(f.path, f.line)}" for f in found[:MOST_ENTRIES])
            if len(found) > MOST_ENTRIES:
                yield f"    and {len(found) - MOST_ENTRIES} more"


def _hows(shown: CallMap) -> Iterator[str]:
    counts = Counter(call.how for call in shown.calls)
    yield ""
    yield "  how calls were resolved"
    yield from (f"    {number:>6}  {how}" for how, number in _most(counts))


def _unknowns(unknown: Iterable[Unknown]) -> Iterator[str]:
    counts: Counter[Doubt] = Counter(call.kind for call in unknown)
    if counts:
        yield ""
        yield f"  {count(sum(counts.values()), 'call')} not resolved"
        yield from (f"    {number:>6}  {KINDS[kind]}" for kind, number in _most(counts))


def _most(counts: Counter[Word]) -> list[tuple[Word, int]]:
    return sorted(counts.items(), key=lambda one: (-one[1], one[0]))
