"""Launches that die because their program makes the default process group twice, one after the other.
Must-analysis: both calls stand in the program's own code, or in a function of its file that this code calls.

Source: torch/distributed/distributed_c10d.py, `init_process_group`: "trying to initialize the default process
group twice!".
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.facts.definitions import last_name
from mmcodemod.facts.syntax import is_main_guard
from mmcodemod.model.context import Context, Origin
from mmcodemod.model.place import Place
from mmcodemod.project.death import Death, dead_at
from mmcodemod.project.model import Project
from mmcodemod.project.sure_steps import sure_calls, sure_steps

_MAKES, _ENDS = "init_process_group", "destroy_process_group"


def doubled_group(project: Project, context: Context) -> Death | None:
    """How a launch dies that makes its group twice; None when nothing shows that."""
    entry = context.entry
    if entry is None or context.origin is not Origin.LAUNCHED or entry.library:
        return None
    return project.once(_twice, entry.path) if entry.path in project.index.files else None


def _twice(project: Project, path: str) -> Death | None:
    tree = project.index.files[path].tree
    text = project.index.text(path)
    if text.count(_MAKES) < 2 or _ENDS in text.partition(_MAKES)[2].rpartition(_MAKES)[0]:
        return None
    for node in _surely_run(tree):
        made = [call for call in _calls(node) if last_name(call) == _MAKES]
        if len(made) > 1:
            why = "the default process group is made a second time"
            return dead_at(Place(path, made[1].lineno), "RuntimeError", why)
    return None


def _surely_run(tree: ast.Module) -> Iterator[ast.AST]:
    """The program's own code, that of its main guards, and the functions that they surely call."""
    own = [tree, *(n for n in tree.body if is_main_guard(n))]
    yield from own
    called = {last_name(call) for node in own for call in _calls(node)}
    yield from (n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name in called)


def _calls(node: ast.AST) -> Iterator[ast.Call]:
    return (call for step in sure_steps(node) if not step.left for call in sure_calls(step.expr))
