"""`if args.clip is None: args.clip = 1.0`, `setattr(args, "clip", 1.0)`: what code puts over the value that a
parser gave an option. May-analysis."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.facts.body import Via
from mmcodemod.facts.nodes import NodeSource, node_of
from mmcodemod.facts.syntax import unparse
from mmcodemod.facts.terms import Attribute, Call, Term, is_name, last_name
from mmcodemod.model.context import Entry
from mmcodemod.model.frozen import frozen
from mmcodemod.project.flow import flow_of, start_of
from mmcodemod.project.model import Project
from mmcodemod.project.namespace_stores import is_parsed

_HIDDEN = ("setattr(", "vars(", "__dict__")


@frozen()
class Overwrite:
    """`node` in `function` gives an option another value; `value` is None where that does not show. `fills`:
    only one that is None, as the test around it asks by name."""

    node: ast.expr
    value: ast.expr | None
    function: str
    fills: bool = False


def overwrites(project: Project, entry: Entry | None, name: str) -> list[Overwrite]:
    """All places of a run that put something over the option `name`, or over one whose name does not show."""
    by_key = project.get(_by_key)
    found = [*project.once(_stores, name), *by_key.get(name, ()), *by_key.get("", ())]
    reach = project.reach(entry) if found and entry else None
    return [o for o in found if reach is None or o.function in reach]


def comes_later(project: Project, put: Overwrite, read: ast.expr, function: str) -> bool:
    """Does it stand behind what reads the option in the same function, with no loop around both?"""
    if put.function != function or start_of(put.node) < start_of(read):
        return False
    flow = flow_of(project, function)
    return not any(loop in flow.loops(read) for loop in flow.loops(put.node))


def _stores(project: Project, name: str) -> list[Overwrite]:
    """`args.x = value`, `args.x += value`, `args.x, y = values`"""
    return [
        _made(store.value, facts.id)
        for facts in project.mentioning(f".{name}")
        if any(s.attr == name for s in facts.body.stores)
        for store in project.resolver.body(facts.id).stores
        if store.attr == name and is_parsed(project.values(store.base, facts.id))
    ]


def _made(source: NodeSource, function: str) -> Overwrite:
    plain = source.via is Via.VALUE and source.index < 0
    return Overwrite(source.expr, source.expr if plain else None, function)


def _by_key(project: Project) -> dict[str, list[Overwrite]]:
    """By the name of the option, "" where it does not show. Use through `project.get(_by_key)`."""
    found: dict[str, list[Overwrite]] = {}
    for facts in project.mentioning(*_HIDDEN):
        for name, overwrite in (*_set(project, facts.id), *_put(project, facts.id)):
            found.setdefault(name, []).append(overwrite)
    return found


def _set(project: Project, function: str) -> Iterator[tuple[str, Overwrite]]:
    """`setattr(args, "x", value)`, and `vars(args).update(x=value)`"""
    facts = project.index.function(function)
    sites = facts.body.calls if facts.may_say(("setattr", "update")) else ()
    sets = (s for s in sites if last_name(s) == "setattr" and len(s.args) == 3)
    for call in (node_of(s) for s in sets if is_parsed(project.values(s.args[0], function))):
        fills = _fills(project, call, function)
        yield _text(call.args[1]), Overwrite(call, call.args[2], function, fills)
    updates = (s for s in sites if isinstance(s.func, Attribute) and s.func.attr == "update")
    for call in (node_of(s) for s in updates if _of_namespace(project, s.func.value, function)):  # type: ignore[attr-defined]
        yield from ((k.arg or "", Overwrite(call, k.value, function)) for k in call.keywords)
        for given in call.args:
            yield from _entries(call, given, function)


def _fills(project: Project, call: ast.Call, function: str) -> bool:
    """`if getattr(args, name) is None: setattr(args, name, value)`"""
    read = f"getattr({unparse(call.args[0])}, {unparse(call.args[1])})"
    tests = flow_of(project, function).tests(call)
    return any(outcome and unparse(asked.test) == f"{read} is None" for asked, outcome in tests)


def _entries(call: ast.Call, given: ast.expr, function: str) -> Iterator[tuple[str, Overwrite]]:
    """The entries of a dict that is written there; one without a name for another."""
    shown = zip(given.keys, given.values) if isinstance(given, ast.Dict) else [(None, given)]
    for key, value in shown:
        yield _text(key), Overwrite(call, value, function)


def _put(project: Project, function: str) -> Iterator[tuple[str, Overwrite]]:
    """`vars(args)["x"] = value`"""
    puts = project.index.function(function).body.puts
    own = [n for n, put in enumerate(puts) if _of_namespace(project, put.base, function)]
    for put in (project.resolver.body(function).puts[n] for n in own):
        yield _text(put.key), _made(put.value, function)


def _of_namespace(project: Project, expr: Term, function: str) -> bool:
    """Is it `vars(args)` or `args.__dict__`?"""
    if isinstance(expr, Attribute) and expr.attr == "__dict__":
        return is_parsed(project.values(expr.value, function))
    named = isinstance(expr, Call) and is_name(expr.func, "vars") and len(expr.args) == 1
    return named and is_parsed(project.values(expr.args[0], function))  # type: ignore[attr-defined]


def _text(expr: ast.expr | None) -> str:
    return expr.value if isinstance(expr, ast.Constant) and isinstance(expr.value, str) else ""
