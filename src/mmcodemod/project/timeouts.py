"""How long collectives wait: what the code, the arguments and the launch set as timeout of a process group.
May-analysis: a value that cannot be read counts as set by the user."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.facts.nodes import node_of
from mmcodemod.facts.python import FunctionFacts
from mmcodemod.facts.syntax import unparse, walk
from mmcodemod.facts.terms import Call, last_name
from mmcodemod.knowledge.long_work import GROUP_MAKERS, TRAINING_TIMEOUT
from mmcodemod.model.context import Context
from mmcodemod.model.frozen import frozen
from mmcodemod.model.option import UNKNOWN
from mmcodemod.model.place import Place
from mmcodemod.project.handed_timeouts import POSITIONS, handed
from mmcodemod.project.model import Project
from mmcodemod.project.settings import Settings

_UNITS = {
    "days": 86400.0,
    "hours": 3600.0,
    "minutes": 60.0,
    "seconds": 1.0,
    "milliseconds": 1e-3,
    "microseconds": 1e-6,
    "weeks": 604800.0,
}
_POSITIONS = ("days", "seconds", "microseconds", "milliseconds", "minutes", "hours", "weeks")
_CONSTANTS = ("default_pg_timeout", "default_pg_nccl_timeout")  # of torch.distributed, set by assignment
_STORED = (*_CONSTANTS, TRAINING_TIMEOUT)
_HANDLER = "InitProcessGroupKwargs"  # says how the group is made, to an Accelerator that is handed it
_HANDED = ("kwargs_handlers", "to_kwargs")  # by the argument of Accelerator, or spread into PartialState


@frozen()
class Timeout:
    """An expression that `function` gives as timeout, in seconds or as a timedelta, at `at`."""

    function: str
    expr: ast.expr
    at: Place


def timeouts(project: Project) -> list[Timeout]:
    """All timeouts that the tree sets for default groups. Use through `project.get(timeouts)`."""
    found = []
    for facts in project.mentioning("timeout", *POSITIONS):
        if not facts.may_say(("timeout", *POSITIONS)):
            continue
        exprs = [*_given(project, facts), *_stored(project, facts)]
        found += [Timeout(facts.id, expr, project.place(facts.path, expr)) for expr in exprs]
    return sorted([*found, *_fields(project)], key=lambda timeout: timeout.at)


def reached(project: Project, context: Context) -> list[Timeout]:
    """Those that a run may set."""
    reach = project.reach(context.entry) if context.entry else None
    return [t for t in project.get(timeouts) if reach is None or t.function in reach]


def given(project: Project, context: Context) -> tuple[float, Place] | None:
    """The one time in seconds that a run sets, and where; None where it sets none, or several."""
    launch = context.option(TRAINING_TIMEOUT)
    if launch.at is not None and isinstance(launch.value, (int, float)):
        return float(launch.value), launch.at
    found = [(seconds(project, t, context), t.at) for t in reached(project, context)]
    known = {span for span, _ in found}
    return (found[0][0], found[0][1]) if len(known) == 1 and found[0][0] is not None else None


def backends(project: Project, context: Context) -> set[object]:
    """What the groups of a run may use: `nccl`, `gloo`, or UNKNOWN where a value does not show."""
    settings, found = Settings(project, context), set[object]()
    reach = project.reach(context.entry) if context.entry else None
    for facts in project.mentioning("init_process_group"):
        for call in project.calls_of(facts.id, ("init_process_group",)):
            if reach is None or facts.id in reach:
                named = next((k.value for k in call.keywords if k.arg == "backend"), None)
                expr = named or next(iter(call.args), None)
                found |= {s.value for s in settings.of(expr, facts.id)} if expr else {None}
    return found


def _given(project: Project, facts: FunctionFacts) -> Iterator[ast.expr]:
    """What calls are given as timeout of the default group."""
    for call in facts.body.calls:
        yield from handed(project, call, facts.id)
        for number, keyword in enumerate(call.keywords):
            counts = keyword.arg == "timeout" and _counts(project, call, facts)
            if counts or keyword.arg == TRAINING_TIMEOUT:
                yield node_of(call).keywords[number].value


def _stored(project: Project, facts: FunctionFacts) -> list[ast.expr]:
    """What is assigned to a default, or to the timeout of what an Accelerator is handed."""
    if not any(store.attr in (*_STORED, "timeout") for store in facts.body.stores):
        return []
    body, handlers = project.resolver.body(facts.id), {s for _, s in _handlers(project, facts)}
    return [
        s.value.expr
        for s in body.stores
        if s.attr in _STORED or (s.attr == "timeout" and getattr(s.base, "id", "") in handlers)
    ]


def _counts(project: Project, call: Call, facts: FunctionFacts) -> bool:
    """Is it a call that makes the default group, or says how to one that does?"""
    if not _makes_group(project, call, facts.id):
        return False
    kept = [name for made, name in _handlers(project, facts) if made is node_of(call)]
    return not kept or any(_hands_on(project, facts, name) for name in kept)


def _handlers(project: Project, facts: FunctionFacts) -> Iterator[tuple[ast.expr, str]]:
    """The calls of a function that only say how a group is made, with the names that keep what they give."""
    for name, sources in project.resolver.body(facts.id).names.items():
        for source in sources:
            call = source.expr
            if isinstance(call, ast.Call) and unparse(call.func).rpartition(".")[2] == _HANDLER:
                yield call, name


def _hands_on(project: Project, facts: FunctionFacts, name: str) -> bool:
    """Is the name read, in a tree that hands such things on? What a module keeps may be read elsewhere."""
    loads = (n for n in walk(facts.node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load))
    read = facts.is_module or any(n.id == name for n in loads)
    return read and any(True for _ in project.mentioning(*_HANDED))


def _makes_group(project: Project, call: Call, function: str) -> bool:
    """Does a call make the default group, or say how, under its own name or another?"""
    named = project.names(call.func, function)
    return not GROUP_MAKERS.isdisjoint((last_name(call), *(name.rpartition(".")[2] for name in named)))


def _fields(project: Project) -> Iterator[Timeout]:
    """Defaults of `ddp_timeout` in argument classes of the tree."""
    for path in dict.fromkeys(f.path for f in project.mentioning(TRAINING_TIMEOUT)):
        for cls in project.index.files[path].classes.values():
            for expr in cls.defined.attributes.get(TRAINING_TIMEOUT, ()):
                yield Timeout(f"{path}::<module>", _default(expr), project.place(path, expr))


def _default(expr: ast.expr) -> ast.expr:
    """The default inside `field(default=...)`."""
    keywords = expr.keywords if isinstance(expr, ast.Call) else []
    return next((k.value for k in keywords if k.arg == "default"), expr)


def seconds(project: Project, timeout: Timeout, context: Context | None = None) -> float | None:
    """The shortest time that a timeout may be in a context; None when it does not show."""
    return _seconds(Settings(project, context), timeout.expr, timeout.function)


def _seconds(settings: Settings, expr: ast.expr, function: str) -> float | None:
    origins = settings.origins(expr, function)
    found = [_span(settings, o.expr, o.function) for o in origins]
    return None if None in found or not found else min(s for s in found if s is not None)


def _span(settings: Settings, expr: ast.expr, function: str) -> float | None:
    if not isinstance(expr, ast.Call):
        return _number(settings, expr, function)
    if not _is_timedelta(settings.project, expr, function):
        return _number(settings, expr, function)
    parts = [*zip(_POSITIONS, expr.args), *((k.arg or "", k.value) for k in expr.keywords)]
    numbers = [(_UNITS.get(unit), _number(settings, value, function)) for unit, value in parts]
    known = [scale * number for scale, number in numbers if scale is not None and number is not None]
    return sum(known) if len(known) == len(numbers) else None


def _is_timedelta(project: Project, call: ast.Call, function: str) -> bool:
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    return name == "timedelta" or "datetime.timedelta" in project.names(call.func, function)


def _number(settings: Settings, expr: ast.expr, function: str) -> float | None:
    """The smallest value of a setting, None when one of its values does not show or is no number."""
    values = [s.value for s in settings.of(expr, function)]
    numbers = [float(v) for v in values if isinstance(v, (int, float)) and not isinstance(v, bool)]
    return min(numbers) if numbers and len(numbers) == len(values) and UNKNOWN not in values else None


def group_timeout(project: Project, call: ast.Call, function: str) -> tuple[Place, str] | None:
    """Where a collective's own group, or the call itself, is given a timeout, and the text of that line."""
    path = function.partition("::")[0]
    for keyword in call.keywords:
        if keyword.arg == "timeout":
            return project.place(path, keyword.value), project.line(path, call.lineno)
        if keyword.arg == "group" and isinstance(keyword.value, ast.Name):
            for source in project.resolver.body(function).names.get(keyword.value.id, ()):
                if isinstance(source.expr, ast.Call) and any(
                    k.arg == "timeout" for k in source.expr.keywords
                ):
                    at = project.place(path, source.expr)
                    return at, project.line(path, at.line)
    return None


def own_group(call: ast.Call) -> bool:
    """Does a collective name a group?"""
    return any(
        k.arg == "group" and not (isinstance(k.value, ast.Constant) and k.value.value is None)
        for k in call.keywords
    )
