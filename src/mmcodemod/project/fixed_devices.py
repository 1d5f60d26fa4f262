"""Runs whose ranks are all given one GPU: a number that is written down, or an option that neither the
launch nor the code gives, since torchrun tells a process its number by LOCAL_RANK alone. Must-analysis: every
line of the run that chooses a GPU shows to choose the same one, and nothing asks the environment.

Source: torch/distributed/launch.py of 2.13.0: `--local-rank` goes to the program without `--use-env`, which
torchrun implies; `torch.cuda.set_device` does nothing for a negative number.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.facts.syntax import unparse, walk
from mmcodemod.model.context import Context, Entry
from mmcodemod.model.frozen import frozen
from mmcodemod.model.place import Place
from mmcodemod.project import devices
from mmcodemod.project.argument_writers import hides_names, is_put
from mmcodemod.project.declared_flags import declared
from mmcodemod.project.flags import PASSED_ON
from mmcodemod.project.flow import flow_of
from mmcodemod.project.model import Project
from mmcodemod.project.namespace_stores import is_parsed
from mmcodemod.project.origins import Origin, Origins
from mmcodemod.project.stray_words import adds_rank

_TOLD = (
    "LOCAL_RANK",
    "'RANK'",
    '"RANK"',
    "LOCALID",
    "PROCID",
    "OMPI_COMM",
    "CUDA_VISIBLE_DEVICES",
    "local_rank(",
)
_SPAWN = ("torch.multiprocessing.spawn", "torch.multiprocessing.start_processes")
_MADE_OF = ("torch.device", "str", "int")
_CURRENT = "torch.cuda.current_device"
_KEYWORDS = ("device_ids", "device_id", "output_device", "device")
_READERS = ("print", "pprint", "vars", "str", "repr", "info", "debug", "dump", "dumps", "getattr", "hasattr")
MAX_DEPTH = 4  # calls between the start and the group whose tests are looked at


@frozen()
class Fixed:
    """A line that gives all ranks one GPU, as it is written; `option`: the one that stays at its default."""

    at: Place
    text: str
    option: str = ""


def fixed(project: Project, context: Context, group: str, call: ast.Call) -> Fixed | None:
    """The first such line in a run that makes the group in function `group`; None where a rank may get a GPU
    of its own."""
    entry = context.entry
    if entry is None or context.launched_by != "torch" or adds_rank(context) or _asks(project, entry):
        return None
    found = []
    for facts, choice in devices.choices(project, entry):
        given = _given(choice)
        read = [_fixed(project, context, expr, facts.id) for expr in given]
        if not given or None in read:
            return None
        options = sorted(name for names in read for name in names or ())
        at = project.place(facts.path, choice)
        found.append(Fixed(at, unparse(choice), options[0] if options else ""))
    rank_options = {one.option for one in found if one.option}
    if rank_options and _tested(project, group, call, rank_options, 0):
        return None
    return min(found, key=lambda one: one.at, default=None)


def _asks(project: Project, entry: Entry) -> bool:
    """Does the run ask the environment for its number, choose the visible GPUs, or start ranks itself?"""
    paths = project.reach(entry).files
    told = any(facts.path in paths for facts in project.mentioning(*_TOLD))
    return (
        told
        or devices.by_framework(project, entry)
        or any(project.calls_library(name, entry) for name in _SPAWN)
    )


def _given(call: ast.Call) -> list[ast.expr]:
    """The arguments that say which GPU."""
    named = [k.value for k in call.keywords if k.arg in _KEYWORDS]
    return [*call.args, *named] if devices.takes_place(call) else named


def _fixed(project: Project, context: Context, expr: ast.expr, function: str) -> frozenset[str] | None:
    """The options whose defaults make a value that is the same on every rank; None where it may differ."""
    ends = Origins(project).of(expr, function)
    read = [_end(project, context, end) for end in ends]
    return None if not read or None in read else frozenset().union(*(names for names in read if names))


def _end(project: Project, context: Context, end: Origin) -> frozenset[str] | None:
    expr, parts = end.expr, list[ast.expr]()
    if isinstance(expr, ast.Attribute):
        return frozenset((expr.attr,)) if _stays(project, context, expr, end.function) else None
    if isinstance(expr, (ast.List, ast.Tuple)):
        parts = expr.elts
    elif isinstance(expr, ast.JoinedStr):
        parts = [v.value for v in expr.values if isinstance(v, ast.FormattedValue)]
    elif isinstance(expr, ast.UnaryOp):
        parts = [expr.operand]
    elif isinstance(expr, ast.Call):
        names = {*project.names(expr.func, end.function), unparse(expr.func)}
        parts = [*expr.args, *(k.value for k in expr.keywords)]
        if _CURRENT not in names and names.isdisjoint(_MADE_OF):
            return None
    elif not isinstance(expr, ast.Constant):
        return None
    read = [_fixed(project, context, part, end.function) for part in parts]
    return None if None in read else frozenset().union(*(names for names in read if names))


def _stays(project: Project, context: Context, expr: ast.Attribute, function: str) -> bool:
    """Is it an option with a number as default, which nobody else can have given?"""
    name, entry = expr.attr, context.entry
    if entry is None or not is_parsed(project.values(expr.value, function)):
        return False
    near = [call for call, where in declared(project, name) if where in project.reach(entry)]
    defaults = [k.value for call in near for k in call.keywords if k.arg == "default"]
    if not near or len(defaults) < len(near) or not all(map(_is_number, defaults)):
        return False
    given = context.option(name).at is not None or context.option(PASSED_ON).at is not None
    put = is_put(project, name, entry) or hides_names(project, entry)
    return not given and not put and not _handed_away(project, entry)


def _is_number(expr: ast.expr) -> bool:
    inner = expr.operand if isinstance(expr, ast.UnaryOp) else expr
    return isinstance(inner, ast.Constant) and type(inner.value) is int


def _handed_away(project: Project, entry: Entry) -> bool:
    """May something that is not of the tree be given the namespace, and fill it?"""
    return any(
        project.once(_hands, facts.id) for facts in project.functions() if facts.id in project.reach(entry)
    )


def _hands(project: Project, function: str) -> bool:
    for call in project.resolver.body(function).calls:
        names = [a for a in (*call.args, *(k.value for k in call.keywords)) if isinstance(a, ast.Name)]
        if any(is_parsed(project.values(name, function)) for name in names):
            known = project.values(call.func, function) and not project.names(call.func, function)
            if not known and unparse(call.func).rpartition(".")[2] not in _READERS:
                return True
    return False


def _tested(project: Project, function: str, call: ast.AST, options: set[str], depth: int) -> bool:
    """Does a test on the way to the group read one of the options, by which it may not come about at all?"""
    if any(_reads(test.test, options) for test, _ in flow_of(project, function).tests(call)):
        return True
    edges = [e for e in project.callers(function) if e.site is not None] if depth < MAX_DEPTH else []
    return any(_tested(project, e.caller.function, e.call, options, depth + 1) for e in edges)


def _reads(test: ast.expr, options: set[str]) -> bool:
    """By its own name, or by that of a variable or a flag that may be made of it."""
    return any(name in options or "rank" in name or "distributed" in name for name in _names(test))


def _names(test: ast.expr) -> Iterator[str]:
    for node in walk(test):
        if isinstance(node, (ast.Name, ast.Attribute)):
            yield node.id if isinstance(node, ast.Name) else node.attr
