"""Gives the object a name, which lives as long as the function that loads.

before: HfDeepSpeedConfig(config)
after:  dschf = HfDeepSpeedConfig(config)  # keep this object alive
"""

from __future__ import annotations

import ast

import libcst as cst

from mmcodemod.api import (
    Applicability,
    Edit,
    Finding,
    Fix,
    HfConfig,
    Project,
    Site,
    by_kind,
    edits_between,
    own_nodes,
    parsed,
)

NAME = "dschf"
COMMENT = "# keep this object alive"


def fix(project: Project, site: Site, finding: Finding) -> Fix:
    """A name; only shown where the object would have to outlive its function."""
    edits = _edits(project, site)
    if edits:
        return Fix("keep the HfDeepSpeedConfig object", Applicability.SAFE, edits)
    title = "return the HfDeepSpeedConfig object, and keep it where the model is loaded"
    return Fix(title, Applicability.DISPLAY)


def _edits(project: Project, site: Site) -> tuple[Edit, ...]:
    found: HfConfig = site.data
    node = project.index.function(site.function).node
    used = any(isinstance(n, ast.Name) and n.id == NAME for n in own_nodes(node))
    at_top = isinstance(node, ast.Module)
    stays = at_top or all(function == site.function for function, _ in found.needed)
    text = project.index.text(site.path)
    module = parsed(text)
    if not found.dropped or used or not stays or module is None:
        return ()
    change = Keep(by_kind(module, {"Call"})["Call"][site.ordinal])
    return edits_between(site.path, text, module.visit(change).code)


class Keep(cst.CSTTransformer):
    """`HfDeepSpeedConfig(x)` -> `dschf = HfDeepSpeedConfig(x)  # keep this object alive`."""

    def __init__(self, config: cst.CSTNode) -> None:
        super().__init__()
        self._config = config

    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> cst.SimpleStatementLine:
        only = original_node.body[0] if len(original_node.body) == 1 else None
        if not isinstance(only, cst.Expr) or only.value is not self._config:
            return updated_node
        assigned = cst.Assign([cst.AssignTarget(cst.Name(NAME))], only.value)
        comment = updated_node.trailing_whitespace
        if comment.comment is None:
            space = cst.SimpleWhitespace("  ")
            comment = comment.with_changes(whitespace=space, comment=cst.Comment(COMMENT))
        return updated_node.with_changes(body=[assigned], trailing_whitespace=comment)
