"""Does a run tell a sampler the epoch: by a call of `set_epoch`, under whatever name, or by what that method
writes? May-analysis: one line is enough, and whether it is the right sampler is not asked of a call.

Source: torch/utils/data/distributed.py: `set_epoch` does nothing but `self.epoch = epoch` (torch 2.13.0).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.facts.body import own_nodes
from mmcodemod.facts.syntax import unparse, walk
from mmcodemod.model.context import Context
from mmcodemod.model.finding import Note
from mmcodemod.model.place import Place
from mmcodemod.model.verdict import Answer, Excluded, Unclear
from mmcodemod.project.model import Project
from mmcodemod.project.origins import Origin, Origins
from mmcodemod.project.samplers import Sampler

_TELLS, _KEPT = "set_epoch", "epoch"
_WORDS = (_TELLS, ".epoch =", ".epoch=", ".epoch +=", ".epoch+=")
_NAMES_IT = {"getattr": 1, "operator.methodcaller": 0}  # where the name of the method stands
_ASKS = (ast.If, ast.While, ast.IfExp, ast.BoolOp, ast.UnaryOp, ast.Compare)


def told(project: Project, context: Context, sampler: Sampler) -> Answer | None:
    """Excluded by the line that tells some sampler the epoch; open where the method is handed on, or it does
    not show whose epoch is written; None where neither is."""
    reach = project.reach(context.entry) if context.entry else None
    sure, may = list[Place](), list[Place]()
    for facts in project.mentioning(*_WORDS):
        if reach is None or facts.id in reach:
            for node, is_sure in project.once(_lines, facts.id, sampler):
                (sure if is_sure else may).append(project.place(facts.path, node))
    if sure:
        return Excluded(Note(min(sure), project.line(min(sure).path, min(sure).line)))
    return Unclear(f"whether {min(may)} tells the sampler the epoch", plausible=False) if may else None


def _lines(project: Project, function: str, sampler: Sampler) -> list[tuple[ast.AST, bool]]:
    """What tells the epoch in a function, each with whether it surely does."""
    called = [(call, True) for call in project.calls_of(function, (_TELLS,))]
    node = project.index.function(function).node
    nodes = list(own_nodes(node))
    parents = {id(child): n for n in nodes for child in ast.iter_child_nodes(n)}
    reads = [n for n in nodes if _reads(project, function, n)]
    handed = [(n, sure) for n in reads if (sure := _is_called(node, n, parents.get(id(n)))) is not None]
    return [*called, *handed, *_written(project, function, nodes, sampler)]


def _reads(project: Project, function: str, node: ast.AST) -> bool:
    """`sampler.set_epoch`, `getattr(sampler, "set_epoch", None)`, `methodcaller("set_epoch", epoch)`"""
    if isinstance(node, ast.Attribute):
        return node.attr == _TELLS
    if not isinstance(node, ast.Call):
        return False
    said = [n for n, a in enumerate(node.args) if isinstance(a, ast.Constant) and a.value == _TELLS]
    names = {unparse(node.func), *project.names(node.func, function)} if said else set()
    return any(_NAMES_IT.get(name) in said for name in names)


def _is_called(function: ast.AST, read: ast.AST, parent: ast.AST | None) -> bool | None:
    """Is the method that is read called? False where something else may do it, None where nothing can."""
    if isinstance(parent, ast.Call) and parent.func is read:
        return True if isinstance(read, ast.Call) else None  # the call itself is counted already
    if isinstance(parent, (*_ASKS, ast.Expr)):
        return None
    target = parent.targets[0] if isinstance(parent, ast.Assign) else getattr(parent, "target", None)
    return _name_is_called(function, target.id) if isinstance(target, ast.Name) else False


def _name_is_called(function: ast.AST, name: str) -> bool | None:
    calls = [n for n in walk(function) if isinstance(n, ast.Call)]
    if any(isinstance(c.func, ast.Name) and c.func.id == name for c in calls):
        return True
    given = [a for c in calls for a in (*c.args, *(k.value for k in c.keywords))]
    return False if any(isinstance(a, ast.Name) and a.id == name for a in given) else None


def _written(
    project: Project, function: str, nodes: list[ast.AST], sampler: Sampler
) -> Iterator[tuple[ast.AST, bool]]:
    """`sampler.epoch = epoch`, `sampler.epoch += 1`"""
    for node in nodes:
        counts = isinstance(node, ast.Assign) and not isinstance(node.value, ast.Constant)
        if counts or isinstance(node, ast.AugAssign):
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target  # type: ignore[attr-defined]
            if isinstance(target, ast.Attribute) and target.attr == _KEPT:
                sure = _is_sampler(project, function, target.value, sampler)
                if sure is not None:
                    yield node, sure


def _is_sampler(project: Project, function: str, base: ast.expr, sampler: Sampler) -> bool | None:
    """Is it this sampler, or a loader's? False where it is only called one, None where nothing says so."""
    if isinstance(base, ast.Attribute) and base.attr == "sampler":
        return True
    if Origin(sampler.call, sampler.function) in Origins(project).of(base, function):
        return True
    return False if "sampler" in unparse(base).rpartition(".")[2] else None
