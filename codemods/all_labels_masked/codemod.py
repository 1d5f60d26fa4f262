"""Gives a batch without labels a loss of zero that stays in the graph.

before: loss = loss_fct(logits, labels)
after:  if (labels != -100).any():
            loss = loss_fct(logits, labels)
        else:  # mmcodemod MM206: the mean of no label is NaN
            loss = logits[:0].sum()
"""

from __future__ import annotations

import ast

from mmcodemod.api import Applicability, Edit, Finding, Fix, MeanLoss, Project, Site, flow_of

SAME = ("view", "reshape", "flatten", "contiguous", "to", "long", "float", "transpose", "permute", "squeeze")
ADVICE = "leave out samples without labels, or give a batch of them the loss `logits[:0].sum()`"


def fix(project: Project, site: Site, finding: Finding) -> Fix:
    """Unsafe: asking waits for the GPU in each step. Shown where the call is no assignment of its own."""
    edits = _edits(project, site, site.data)
    title = "a batch without labels gets a loss of zero" if edits else ADVICE
    return Fix(title, Applicability.UNSAFE if edits else Applicability.DISPLAY, edits)


def _edits(project: Project, site: Site, loss: MeanLoss) -> tuple[Edit, ...]:
    statement = flow_of(project, site.function).statement_of(loss.call)
    scores = _base(loss.scores)
    if not isinstance(statement, ast.Assign) or statement.value is not loss.call or scores is None:
        return ()
    lines = project.index.lines(site.path)[statement.lineno - 1 : statement.end_lineno]
    indent = lines[0][: len(lines[0]) - len(lines[0].lstrip())]
    labels = _base(loss.labels) or loss.labels
    target = ast.unparse(statement.targets[0])
    if len(statement.targets) > 1 or len(indent) != statement.col_offset or _shares(lines[-1], statement):
        return ()
    step = "\t" if "\t" in indent else "    "
    text = [f"{indent}if ({ast.unparse(labels)} != -100).any():", *(step + line for line in lines)]
    text += [f"{indent}else:  # mmcodemod MM206: the mean of no label is NaN"]
    text += [f"{indent}{step}{target} = {ast.unparse(scores)}[:0].sum()"]
    end = "\r\n" if "\r\n" in project.index.text(site.path) else "\n"
    first, last = statement.lineno, (statement.end_lineno or 0)
    return (Edit(site.path, (first, 1), (last, len(lines[-1]) + 1), end.join(text)),)


def _base(expr: ast.expr) -> ast.Name | None:
    """The tensor whose elements the expression has, in some shape."""
    while isinstance(expr, ast.Call) and isinstance(expr.func, ast.Attribute) and expr.func.attr in SAME:
        expr = expr.func.value
    return expr if isinstance(expr, ast.Name) else None


def _shares(line: str, statement: ast.stmt) -> bool:
    """Does something else than a comment stand on the statement's last line?"""
    rest = line.encode()[statement.end_col_offset :].strip()
    return bool(rest) and not rest.startswith(b"#")
