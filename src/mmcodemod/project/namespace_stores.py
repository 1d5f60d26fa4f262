"""`args.amp = not args.noamp`: what code itself puts into the namespace that a parser made."""

from __future__ import annotations

import ast

from mmcodemod.facts.body import Via
from mmcodemod.model.context import Entry
from mmcodemod.model.frozen import frozen
from mmcodemod.project.argument_writers import places_naming
from mmcodemod.project.declared_flags import declarations
from mmcodemod.project.flow import flow_of, start_of
from mmcodemod.project.model import Project
from mmcodemod.project.values import Made, Values

# `args = parser(); args = args.parse_args()` gives one name both values
_PARSED = ("ArgumentParser().parse_args", "argparse.ArgumentParser")


@frozen()
class Stored:
    """An expression that `function` puts under a name; `always` where no test of it decides that."""

    expr: ast.expr
    function: str
    always: bool


def is_parsed(objects: Values) -> bool:
    """May it be the namespace of an argument parser?"""
    return any(isinstance(v, Made) and v.by.endswith(_PARSED) for v in objects)


def stored(project: Project, entry: Entry | None, name: str) -> list[Stored]:
    """What a run may put into a namespace as `name`; nothing where every place asks first, since the name
    then comes from elsewhere, too."""
    reach = project.reach(entry) if entry else None
    found = [s for s in project.once(_every, name) if reach is None or s.function in reach]
    return found if any(s.always for s in found) else []


def settled(project: Project, entry: Entry | None, name: str) -> Stored | None:
    """The constant that a run always puts under the name right after it parses, whatever is given; None
    where it puts nothing else there, or something else as well, and where a call between may read it."""
    found = stored(project, entry, name)
    if len(found) != 1 or not found[0].always or not isinstance(found[0].expr, ast.Constant):
        return None
    calls = project.resolver.body(found[0].function).calls
    before = [c for c in calls if start_of(c) < start_of(found[0].expr)]
    last = max(before, key=start_of, default=None)
    return found[0] if last is not None and _parses(last) else None


def only_constants(project: Project, name: str, entry: Entry | None) -> bool:
    """Is it no option, and does the code of a run put nothing but constants under the name, in ways that all
    show? Then a test on it is decided wherever they agree."""
    if project.get(declarations).get(name) or entry is None:
        return False
    reached = project.reach(entry).files
    found = [s for s in project.once(_every, name) if s.function.partition("::")[0] in reached]
    shown = bool(found) and all(isinstance(s.expr, ast.Constant) for s in found)
    return shown and len(found) == places_naming(project, name, reached)


def _parses(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and call.func.attr == "parse_args"


def _every(project: Project, name: str) -> list[Stored]:
    return [s for f in project.mentioning(f".{name} =", f".{name}=") for s in _in(project, f.id, name)]


def _in(project: Project, function: str, name: str) -> list[Stored]:
    if all(s.attr != name for s in project.index.function(function).body.stores):
        return []
    flow = flow_of(project, function)
    return [
        Stored(s.value.expr, function, not any(flow.tests(s.value.expr)))
        for s in project.resolver.body(function).stores
        if s.attr == name and s.value.via is Via.VALUE and s.value.index < 0
        if is_parsed(project.values(s.base, function))
    ]
