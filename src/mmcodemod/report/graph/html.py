"""A page to search a call graph and to walk through it: one file that loads nothing. The data of the analysed
tree is JSON in a block that no browser runs, and the script writes it as text only."""

from __future__ import annotations

from html import escape
from typing import Any

from mmcodemod.model.callmap import CallMap, Function, Kind, Role, Route
from mmcodemod.report.escape import storable, visible
from mmcodemod.report.graph.drawing import Drawing, drawing, path_drawing
from mmcodemod.report.graph.picture import picture
from mmcodemod.report.graph.words import HOWS, KINDS, SURENESS, sureness
from mmcodemod.report.standalone import embedded, filled

SCRIPTS = ("data.js", "layout.js", "canvas.js", "views.js", "panels.js", "main.js")
STYLES = ("page.css",)
_KINDS, _ROLES = [k.value for k in Kind], [r.value for r in Role]


def render(shown: CallMap, route: Route | None = None) -> str:
    """The page; with a route it shows the path."""
    parts = {"title": escape(visible(storable(shown.title))), "data": embedded(_data(shown, route))}
    return filled("graph/page", SCRIPTS, STYLES, parts)


def _data(shown: CallMap, route: Route | None) -> dict[str, Any]:
    """Everything that the page shows, with functions and words by number."""
    functions = _functions(shown)
    number = {f.name: at for at, f in enumerate(functions)}
    modules = {name: at for at, name in enumerate(sorted({f.module for f in functions}))}
    hows = list(HOWS)
    kinds = list(KINDS)
    return {
        "title": _text(shown.title),
        "modules": [_text(name) for name in modules],
        "hows": [[how, HOWS[how], sureness(how)] for how in hows],
        "sureness": SURENESS,
        "kinds": [[kind, KINDS[kind]] for kind in kinds],
        "functions": [_row(f, modules) for f in functions],
        "calls": [
            [number[c.caller], number[c.callee], c.line, hows.index(c.how), _text(c.note)]
            for c in shown.calls
        ],
        "unknown": [
            [number[u.caller], _text(u.called), u.line, kinds.index(u.kind), _text(u.reason)]
            for u in shown.unknown
        ],
        "overview": _overview(path_drawing(shown) if route else drawing(shown)),
        "route": _route(route, number, shown) if route else None,
    }


def _functions(shown: CallMap) -> list[Function]:
    """All functions; what only a call names is added."""
    found = {f.name: f for f in shown.functions}
    callers = [(c.caller, c.path) for c in shown.calls] + [(u.caller, u.path) for u in shown.unknown]
    for name, path in callers:
        found.setdefault(name, Function(name, name.rpartition(".")[0], path))
    for call in shown.calls:
        found.setdefault(call.callee, Function(call.callee, call.callee.rpartition(".")[0]))
    return [found[name] for name in sorted(found)]


def _row(function: Function, modules: dict[str, int]) -> list[str | int]:
    kind, role = _KINDS.index(function.kind.value), _ROLES.index(function.role.value)
    return [_text(function.name), modules[function.module], _text(function.path), function.line, kind, role]


def _overview(drawn: Drawing) -> dict[str, Any]:
    placed = picture(drawn)
    number = {box.name: at for at, box in enumerate(drawn.boxes)}
    grouped = any(box.kind == "module" for box in drawn.boxes)
    return {
        "grouped": grouped,
        "remark": _text(drawn.remark),
        "boxes": [
            [_text(b.name), _text(b.title), _text(b.below), b.kind, b.role.value, *placed.boxes[b.name]]
            for b in drawn.boxes
        ],
        "arrows": [
            [number[a.source], number[a.target], path, a.how, _text(a.note)] for a, path in placed.arrows
        ],
    }


def _route(route: Route, number: dict[str, int], shown: CallMap) -> dict[str, Any]:
    calls = {call: at for at, call in enumerate(shown.calls)}
    return {
        "answer": route.answer,
        "start": _text(route.start),
        "goal": number[route.goal.name],
        "why": _text(route.why),
        "open": route.open,
        "hops": [[calls[hop.call], _text(hop.source)] for hop in route.hops],
    }


def _text(text: str) -> str:
    return visible(storable(text))
