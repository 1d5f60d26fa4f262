"""Takes the gradients through the wrapper.

before: loss.backward()
after:  accelerator.backward(loss)
"""

from __future__ import annotations

import ast

from mmcodemod.api import (
    Applicability,
    Edit,
    Finding,
    Fix,
    Project,
    Site,
    own_nodes,
    plain_backward,
    wrappers,
)


def fix(project: Project, site: Site, finding: Finding) -> Fix | None:
    """The wrapper's own pass, where it has a name here; shown only where the loss is divided by hand, which
    the wrapper does as well, or where it is not the engine that steps."""
    raw: plain_backward.Raw = site.data
    receiver = _receiver(project, site.function, raw)
    text = ast.get_source_segment(project.index.text(site.path), raw.loss)
    if not receiver or not text or "\n" in text or raw.call.keywords or raw.mixed:
        return None
    end = (raw.call.end_lineno or 0, _column(project, site.path, raw.call))
    edit = Edit(site.path, (site.at.line, site.at.column), end, f"{receiver}.backward({text})")
    sure = not _divides(project, site.function) and _steps(raw, receiver)
    title = f"call `{receiver}.backward({text})`"
    return Fix(title, Applicability.SAFE, (edit,)) if sure else Fix(title, Applicability.DISPLAY, ())


def _column(project: Project, path: str, call: ast.Call) -> int:
    return project.place(path, call).end_column


def _receiver(project: Project, function: str, raw: plain_backward.Raw) -> str:
    """What the pass is called on: the engine that made the loss, or the Accelerator that prepared it here."""
    if raw.wrap.by == wrappers.ENGINE:
        return ast.unparse(raw.model)
    func = raw.wrap.origin.expr.func if isinstance(raw.wrap.origin.expr, ast.Call) else None
    if not isinstance(func, ast.Attribute):
        return ""
    text, home = ast.unparse(func.value), project.index.function(raw.wrap.origin.function)
    here = project.index.function(function)
    siblings = text.startswith("self.") and home.owner == here.owner and home.path == here.path
    return text if function == home.id or siblings else ""


def _steps(raw: plain_backward.Raw, receiver: str) -> bool:
    """Accelerate's optimizers step by themselves; an engine has to be asked."""
    assert isinstance(raw.step.func, ast.Attribute)
    return raw.wrap.by != wrappers.ENGINE or ast.unparse(raw.step.func.value) == receiver


def _divides(project: Project, function: str) -> bool:
    """Is a loss divided in the function?"""
    for node in own_nodes(project.index.function(function).node):
        divided = node.left if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div) else None
        if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Div):
            divided = node.target
        if divided is not None and "loss" in ast.unparse(divided).lower():
            return True
    return False
