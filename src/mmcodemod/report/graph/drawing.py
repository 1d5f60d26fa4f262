"""What a drawing shows: boxes and arrows. A graph that is too large for one picture is drawn by module, and
modules that are too many by the packages that hold them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable

from mmcodemod.model.callmap import Call, CallMap, Function, Kind, Role
from mmcodemod.model.frozen import frozen
from mmcodemod.report.graph.words import place
from mmcodemod.report.words import count

MOST_BOXES = 90
MOST_ARROWS = 260


@frozen(slots=True)
class Box:
    """A function, or a module with all its functions. `kind`: tree, framework, library or module."""

    name: str
    title: str
    below: str
    kind: str
    role: Role = Role.NONE
    group: str = ""


@frozen(slots=True)
class Arrow:
    """Calls from one box to another: how the best of them was resolved, and words for it."""

    source: str
    target: str
    how: str
    note: str


@frozen()
class Drawing:
    """Boxes and arrows in a fixed order; `remark` says what is left out or put together."""

    title: str
    boxes: tuple[Box, ...]
    arrows: tuple[Arrow, ...]
    remark: str = ""


def drawing(shown: CallMap, whole: bool = False) -> Drawing:
    """The functions and their calls; calls of libraries and imports are left out. By module when too
    large, unless `whole`."""
    functions = {f.name: f for f in shown.functions if f.kind is not Kind.LIBRARY}
    calls = [c for c in shown.calls if c.callee in functions and c.how != "import"]
    if whole or _fits(functions, {(c.caller, c.callee) for c in calls}):
        remark = "Calls of libraries and imports are left out."
        return Drawing(shown.title, tuple(map(_box, functions.values())), tuple(_arrows(calls, str)), remark)
    return _by_module(shown.title, functions, calls)


def path_drawing(shown: CallMap) -> Drawing:
    """A path: all of it, imports and libraries as well; its end alone when there is none."""
    arrows = tuple(_arrows(shown.calls, str))
    return Drawing(shown.title, tuple(map(_box, shown.functions)), arrows)


def _fits(boxes: Iterable[object], arrows: Iterable[object]) -> bool:
    return len(set(boxes)) <= MOST_BOXES and len(set(arrows)) <= MOST_ARROWS


def _box(function: Function) -> Box:
    module = function.module
    if function.name == module:
        title, below = module.rpartition(".")[2], f"module {module}"
    else:
        title, below = function.name.removeprefix(f"{module}."), module
    return Box(function.name, title, below, function.kind.value, function.role, module)


def _arrows(calls: Iterable[Call], name: Callable[[str], str]) -> list[Arrow]:
    """One arrow for all calls between two boxes (`name` gives the box of a function)."""
    found: dict[tuple[str, str], list[Call]] = {}
    for call in calls:
        ends = (name(call.caller), name(call.callee))
        if ends[0] != ends[1] or name is str:
            found.setdefault(ends, []).append(call)
    return [Arrow(*ends, _best(some), _note(some)) for ends, some in sorted(found.items())]


def _best(calls: list[Call]) -> str:
    """How most of them were resolved."""
    counts = Counter(call.how for call in calls)
    return min(counts, key=lambda how: (-counts[how], how))


def _note(calls: list[Call]) -> str:
    places = list(dict.fromkeys(f"{place(c.path, c.line)} {c.how}" for c in calls))
    more = f" and {len(places) - 3} more" if len(places) > 3 else ""
    return ", ".join(places[:3]) + more


def _by_module(title: str, functions: dict[str, Function], calls: list[Call]) -> Drawing:
    depth = max((f.module.count(".") + 1 for f in functions.values()), default=1)
    while True:
        grouped = _grouped(title, functions, calls, depth)
        if depth == 1 or _fits(grouped.boxes, grouped.arrows):
            return grouped
        depth -= 1


def _grouped(title: str, functions: dict[str, Function], calls: list[Call], depth: int) -> Drawing:
    home = {name: ".".join(f.module.split(".")[:depth]) for name, f in functions.items()}
    arrows = _arrows(calls, home.__getitem__)
    linked = {end for arrow in arrows for end in (arrow.source, arrow.target)}
    members: dict[str, list[Function]] = {}
    for name, function in functions.items():
        members.setdefault(home[name], []).append(function)
    titles = _endings(linked)
    boxes = [
        _module_box(name, titles[name], some) for name, some in sorted(members.items()) if name in linked
    ]
    left_out = len(members) - len(boxes)
    remark = f"{count(len(functions), 'function')} are too many for one picture: drawn by module."
    if left_out:
        remark += f" {count(left_out, 'module')} without calls from or to others left out."
    return Drawing(title, tuple(boxes), tuple(arrows), remark)


def _endings(names: Iterable[str]) -> dict[str, str]:
    """The shortest end of each dotted name that no other has."""
    every = sorted(names)
    taken = Counter(end for name in every for end in _ends(name))
    return {name: next((end for end in _ends(name) if taken[end] == 1), name) for name in every}


def _ends(name: str) -> list[str]:
    parts = name.split(".")
    return [".".join(parts[at:]) for at in range(len(parts) - 1, -1, -1)]


def _module_box(name: str, title: str, functions: list[Function]) -> Box:
    roles = {f.role for f in functions}
    role = next((r for r in (Role.TRAINS, Role.RUNS) if r in roles), Role.NONE)
    kind = "framework" if all(f.kind is Kind.FRAMEWORK for f in functions) else "module"
    shown = name if kind == "framework" else title
    return Box(name, shown, count(len(functions), "function"), kind, role, name)
