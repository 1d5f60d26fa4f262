"""Launches that die because the program reads an attribute off DistributedDataParallel which only the wrapped
model has: `model.config` after `model = DDP(model)`. Must-analysis over what the program surely does in its
own file, up to its training.

Source: torch.nn.Module.__getattr__ raises AttributeError for what is neither parameter, buffer nor submodule,
and DistributedDataParallel (torch 1.8 to 2.13 read) hands nothing on to `.module`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import takewhile

from mmcodemod.facts.outline import MAIN, MODULE
from mmcodemod.facts.python import FunctionFacts
from mmcodemod.facts.syntax import unparse, walk
from mmcodemod.knowledge.ddp_attributes import DDP_ATTRIBUTES, DDP_NAMES
from mmcodemod.model.context import Context, Entry, Origin
from mmcodemod.model.frozen import frozen
from mmcodemod.project.death import Death, dead_at
from mmcodemod.project.launch_sides import lets_in
from mmcodemod.project.model import Project
from mmcodemod.project.plain_functions import runs_its_body
from mmcodemod.project.sole_definitions import Names
from mmcodemod.project.sure_steps import Step, Test, steps_under_tests, sure_calls, sure_names
from mmcodemod.project.sure_way import Level, before_training, ends_before

MAX_DEPTH = 4


def wrapped_read(project: Project, context: Context) -> Death | None:
    """How a launch dies that asks the wrapper for what the model has; None when nothing shows that."""
    entry = context.entry
    if entry is None or context.origin is not Origin.LAUNCHED or entry.library:
        return None
    memo = project.get(_memo)
    key = entry.path, entry.symbol
    if key not in memo:
        memo[key] = list(_ends(project, entry)) if entry.path in project.index.files else []
    return next((end.death for end in memo[key] if _is_reached(project, context, end)), None)


def _memo(project: Project) -> dict[tuple[str, str], list[_End]]:
    return {}


@frozen()
class _End:
    """A read that ends the run where the tests come out so; `way` leads there."""

    death: Death
    function: str
    tests: tuple[Test, ...]
    way: tuple[Level, ...]


def _is_reached(project: Project, context: Context, end: _End) -> bool:
    inside = all(lets_in(project, context, end.function, *test) for test in end.tests)
    return inside and not ends_before(project, context, end.way)


def _ends(project: Project, entry: Entry) -> Iterator[_End]:
    if not any(name.rpartition(".")[2] in project.index.text(entry.path) for name in DDP_NAMES):
        return
    functions = project.index.files[entry.path].functions
    starts = [MODULE, MAIN] if entry.symbol == MODULE else [entry.symbol]
    for name in starts:
        if name in functions:
            yield from _follow(project, functions[name], (), {name})


def _follow(
    project: Project, facts: FunctionFacts, above: tuple[Level, ...], seen: set[str]
) -> Iterator[_End]:
    """What dies in a function, and in those of the file that it surely calls."""
    steps = list(steps_under_tests(facts.node))
    for step, node, tests in _reads(project, facts, steps):
        way = (*above, Level(facts.id, step.statement, step.left))
        if before_training(project, way):
            yield _End(_told(project, facts, node), facts.id, tests, way)
    for step in steps if len(above) < MAX_DEPTH else ():
        for called in _called(project, facts, step, seen):
            way = (*above, Level(facts.id, step.statement, step.left))
            yield from _follow(project, called, way, seen)


def _called(project: Project, facts: FunctionFacts, step: Step, seen: set[str]) -> Iterator[FunctionFacts]:
    """The functions of the file that a step surely calls, each once."""
    functions = project.index.files[facts.path].functions
    for call in () if step.tests else sure_calls(step.expr):
        name = call.func.id if isinstance(call.func, ast.Name) else ""
        if name in functions and name not in seen and runs_its_body(project, functions[name]):
            seen.add(name)
            yield functions[name]


def _told(project: Project, facts: FunctionFacts, node: ast.Attribute) -> Death:
    at = project.place(facts.path, node)
    why = f"`{unparse(node.value)}` is wrapped in DistributedDataParallel there, which has no"
    return dead_at(at, "AttributeError", f"{why} `{node.attr}`")


def _reads(
    project: Project, facts: FunctionFacts, steps: list[Step]
) -> Iterator[tuple[Step, ast.Attribute, tuple[Test, ...]]]:
    """The reads of what the wrapper lacks, with the tests around both them and the wrapping."""
    bound = Names(facts.node).bound
    for n, wrap in enumerate(steps):
        name = _wrapped(project, facts, wrap)
        lines = [node.lineno for node in bound.get(name, []) if hasattr(node, "lineno")]
        again = min((line for line in lines if line > wrap.statement.lineno), default=None)
        if not name or _is_shared(facts, name):
            continue
        for step in takewhile(lambda s: again is None or s.statement.lineno < again, steps[n + 1 :]):  # noqa: B023
            for node in _asked(step.expr, name):
                if not _is_stored(project, facts.path, node.attr):
                    yield step, node, tuple(dict.fromkeys((*wrap.tests, *step.tests)))


def _wrapped(project: Project, facts: FunctionFacts, step: Step) -> str:
    """The name that a step binds to a wrapped model, or ""."""
    statement = step.statement
    if not isinstance(statement, ast.Assign) or statement.value is not step.expr:
        return ""
    target, call = statement.targets[0], statement.value
    if not isinstance(target, ast.Name) or not isinstance(call, ast.Call):
        return ""
    names = project.names(call.func, facts.id)
    return target.id if names and names <= DDP_NAMES else ""


def _asked(expr: ast.expr, name: str) -> Iterator[ast.Attribute]:
    """The attributes that the wrapper lacks, and which the expression surely reads."""
    sure = {id(n) for n in sure_names(expr) if n.id == name}
    for node in walk(expr):
        if isinstance(node, ast.Attribute) and id(node.value) in sure and isinstance(node.ctx, ast.Load):
            if node.attr not in DDP_ATTRIBUTES and not node.attr.startswith("_"):
                yield node


def _is_shared(facts: FunctionFacts, name: str) -> bool:
    """May inner functions bind the name, or does it belong to the module?"""
    shared = (n for n in walk(facts.node) if isinstance(n, (ast.Global, ast.Nonlocal)))
    return any(name in one.names for one in shared)


def _is_stored(project: Project, path: str, attr: str) -> bool:
    """Does the file give some object an attribute of that name?"""
    if "setattr" in project.index.text(path):
        return True
    nodes = (n for n in walk(project.index.files[path].tree) if isinstance(n, ast.Attribute))
    return any(n.attr == attr and isinstance(n.ctx, ast.Store) for n in nodes)
