"""Does a run get to a test on its data, and behind it to what one rank may come past? Tests on the data come
out both ways in time, and are no doubt; so are those of which both sides train."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.facts.syntax import unparse
from mmcodemod.model.context import Context
from mmcodemod.model.verdict import Answer
from mmcodemod.project.answers import doubted
from mmcodemod.project.come_through import come_through
from mmcodemod.project.comes_by import Tests
from mmcodemod.project.flow import flow_of
from mmcodemod.project.let_in import no_doubt
from mmcodemod.project.local_data import trains_in
from mmcodemod.project.model import Project
from mmcodemod.project.skips import asks_data


def gets_to(
    project: Project, context: Context, function: str, node: ast.AST, goal: tuple[str, ast.AST] | None = None
) -> Answer:
    """`node` is the test in `function`; `goal` the call that a rank may come past, with its function."""
    steps = [(function, node), *([goal] if goal else [])]
    settled = frozenset(test for step in steps for test in _settled(project, *step))
    tests: Tests = settled | {(node, True), (node, False)} if isinstance(node, ast.If) else settled
    answer = come_through(project, context, steps, tests)
    fact = _open_part(project, context, function, node.test) if isinstance(node, ast.If) else ""
    return doubted(answer, fact, plausible=False)


def _settled(project: Project, function: str, node: ast.AST) -> Iterator[tuple[ast.If, bool]]:
    flow = flow_of(project, function)
    for asked, outcome in flow.tests(node):
        arms = flow.arms(asked)
        other = arms.false if outcome else arms.true
        if asks_data(project, function, asked.test) or any(trains_in(project, function, s) for s in other):
            yield asked, outcome


def _open_part(project: Project, context: Context, function: str, test: ast.expr) -> str:
    """The part of `flag and torch.isnan(loss)` that must be true besides, and does not show; "" for none."""
    if not isinstance(test, ast.BoolOp) or not isinstance(test.op, ast.And):
        return ""
    parts = [p for p in test.values if not asks_data(project, function, p)]
    left = (p for p in parts if not no_doubt(project, context, function, p, True))
    return next((f"whether `{unparse(part)}` is true" for part in left), "")
