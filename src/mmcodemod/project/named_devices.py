"""Does the code of a run name its devices itself? What a launcher puts into CUDA_VISIBLE_DEVICES is then
gone, unless torch has looked at the devices before."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.facts.body import own_nodes
from mmcodemod.facts.outline import MAIN
from mmcodemod.facts.python import FunctionFacts
from mmcodemod.facts.syntax import unparse, walk
from mmcodemod.model.context import Context, Entry
from mmcodemod.model.finding import Note
from mmcodemod.model.option import UNKNOWN
from mmcodemod.model.verdict import Answer, Excluded, Unclear
from mmcodemod.project.frame import Frame
from mmcodemod.project.model import Project
from mmcodemod.project.settings import Settings
from mmcodemod.project.under_tests import comes_to

VISIBLE_DEVICES = "CUDA_VISIBLE_DEVICES"
_LOOKS = ("torch.cuda.", "torch.tensor", "torch.zeros", "torch.ones", "deepspeed.init", "torch.distributed.")


def names_devices(project: Project, context: Context) -> Answer | None:
    """Excluded where the run always names its devices before it uses torch, unclear where it may; None where
    no line of it does."""
    if context.entry is None:
        return None
    answers = list(_answers(project, context, context.entry))
    return next((a for a in answers if isinstance(a, Excluded)), next(iter(answers), None))


def _answers(project: Project, context: Context, entry: Entry) -> Iterator[Answer]:
    first, reach = _run_first(project, entry), project.reach(entry)
    for facts in project.mentioning(VISIBLE_DEVICES):
        if facts.id in reach:
            for node, value in _settings(facts):
                answer = _judged(project, context, facts, node, value, facts.id in first)
                if answer is not None:
                    yield answer


def _judged(
    project: Project, context: Context, facts: FunctionFacts, node: ast.AST, value: ast.expr, first: bool
) -> Answer | None:
    comes, at = comes_to(project, context, facts.id, node), project.place(facts.path, node)
    if isinstance(comes, Excluded) or any(map(_kept, walk(value))) or _too_late(project, facts, node):
        return None
    if isinstance(comes, Unclear):
        return Unclear(f"{comes.fact}: {at} then names the devices itself", plausible=False)
    if any(s.value is UNKNOWN for s in Settings(project, context).of(value, facts.id)):
        return Unclear(f"which devices {at} names itself", plausible=False)
    if not first:
        return Unclear(f"whether {at} names the devices before torch looks at them", plausible=False)
    return Excluded(Note(at, f"the program names the devices itself: {project.line(at.path, at.line)}"))


def _run_first(project: Project, entry: Entry) -> set[str]:
    """The code of the program's file, and of the modules that are imported at the top of it and of those."""
    todo = [f"{entry.path}::{scope}" for scope in ("<module>", MAIN)]
    found = set(todo)
    while todo:
        for edge in project.graph.edges.get(Frame(todo.pop()), ()):
            to = edge.callee.function
            if edge.site is None and to.endswith("::<module>") and to not in found:
                found.add(to)
                todo.append(to)
    return found


def _settings(facts: FunctionFacts) -> Iterator[tuple[ast.AST, ast.expr]]:
    """Where a function writes the variable, and what; `setdefault` leaves what the launcher has set."""
    for node in own_nodes(facts.node):
        if isinstance(node, ast.Assign) and any(_is_variable(t) for t in node.targets):
            yield node, node.value
        elif isinstance(node, ast.Call) and unparse(node.func).endswith("environ.update"):
            yield from ((node, value) for value in _updated(node))


def _is_variable(target: ast.expr) -> bool:
    return (
        isinstance(target, ast.Subscript)
        and _names(target.slice)
        and unparse(target.value).rpartition(".")[2] == "environ"
    )


def _updated(call: ast.Call) -> Iterator[ast.expr]:
    yield from (k.value for k in call.keywords if k.arg == VISIBLE_DEVICES)
    for given in (a for a in call.args if isinstance(a, ast.Dict)):
        yield from (v for k, v in zip(given.keys, given.values, strict=True) if k is not None and _names(k))


def _names(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and node.value == VISIBLE_DEVICES


def _kept(node: ast.AST) -> bool:
    """Is it part of a value that is made of what the launcher gives the rank?"""
    return isinstance(node, ast.Constant) and node.value in (VISIBLE_DEVICES, "LOCAL_RANK")


def _too_late(project: Project, facts: FunctionFacts, node: ast.AST) -> bool:
    """Does the same code use the devices before?"""
    calls = (c for c in own_nodes(facts.node) if isinstance(c, ast.Call) and c.lineno < node.lineno)  # type: ignore[attr-defined]
    return any(name.startswith(_LOOKS) for c in calls for name in project.names(c.func, facts.id))
