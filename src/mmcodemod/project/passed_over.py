"""Functions that compute features in a loop, but not in rounds that a test cuts short: where all rounds are,
they compute nothing, and there are no features to lose. May-analysis."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from mmcodemod.project.features import callees
from mmcodemod.project.flow import Flow, flow_of
from mmcodemod.project.infer import Frame
from mmcodemod.project.model import Project
from mmcodemod.project.module_calls import ModuleCalls


def passes_over(project: Project, calls: Iterable[ast.Call], frame: Frame) -> str:
    """The open fact whether functions that some calls run compute anything; "" where nothing asks that."""
    inner = [callee for call in calls for callee in callees(project, call, frame)]
    names = [f.function.rpartition("::")[2] for f in inner if _passes_over(project, f)]
    return f"whether `{names[0]}` computes them where it passes over all that it is given" if names else ""


def _passes_over(project: Project, frame: Frame) -> bool:
    node = project.index.function(frame.function).node
    runs = [run.call for run in project.get(ModuleCalls).within([node], frame)]
    flow = flow_of(project, frame.function)
    either = any(flow.excludes(one, other) for one in runs for other in runs)
    return bool(runs) and not either and all(_cut_short(flow, run) for run in runs)


def _cut_short(flow: Flow, call: ast.Call) -> bool:
    """Does a test inside a loop around a call decide whether the round comes to it?"""
    around = {id(loop) for loop in flow.loops(call)}
    return any(id(loop) in around for test, _ in flow.tests(call) for loop in flow.loops(test))
