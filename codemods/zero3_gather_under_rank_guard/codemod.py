"""Puts the gather around the guard: every rank gathers, one rank does what stands inside.

before: if rank == 0:
            with zero.GatheredParameters(params):
                save(params)
after:  with zero.GatheredParameters(params):
            if rank == 0:
                save(params)
"""

from __future__ import annotations

import ast

import libcst as cst

from mmcodemod.api import (
    Applicability,
    Cause,
    Divergence,
    Edit,
    Finding,
    Fix,
    Project,
    Side,
    Site,
    by_kind,
    call_at,
    edits_between,
    parsed,
    rank_parts,
)

ALONE = ("no_grad", "inference_mode", "enable_grad")  # managers that other ranks may enter as well


def fix(project: Project, site: Site, finding: Finding) -> Fix:
    """The nesting turned round; only shown where more than one gather stands behind the guard."""
    names = " and ".join(dict.fromkeys(f"`{x.name}`" for x in site.data.letters))
    edits = _edits(project, site)
    if edits:
        return Fix("gather on every rank, and guard what stands inside", Applicability.SAFE, edits)
    return Fix(
        f"let every rank get to {names}, and guard only what one rank alone may do", Applicability.DISPLAY
    )


def _edits(project: Project, site: Site) -> tuple[Edit, ...]:
    found: Divergence = site.data
    node = site.node
    if not isinstance(node, ast.If) or not _turns(project, found, node):
        return ()
    text = project.index.text(site.path)
    module = parsed(text)
    if module is None:
        return ()
    change = TurnRound(by_kind(module, {"If"})["If"][site.ordinal])
    after = module.visit(change)
    return edits_between(site.path, text, after.code) if change.fits else ()


def _turns(project: Project, found: Divergence, node: ast.If) -> bool:
    """Is the block of the guard one gather alone, which reads the same on every rank?"""
    block = node.body[0]
    asks = rank_parts(project, found.frame, node.test)
    calls = [call_at(project, letter, found.frame) for letter in found.letters]
    return (
        found.side is Side.MAIN
        and found.cause is Cause.ARM
        and not node.orelse
        and len(node.body) == 1
        and isinstance(block, ast.With)
        and bool(asks)
        and all(asks or ())
        and len(calls) == 1
        and all(item.context_expr is calls[0] or _is_alone(item) for item in block.items)
    )


def _is_alone(item: ast.withitem) -> bool:
    called = item.context_expr
    return (
        isinstance(called, ast.Call) and isinstance(called.func, ast.Attribute) and called.func.attr in ALONE
    )


class TurnRound(cst.CSTTransformer):
    """Swaps the `if` at `node` with the `with` that is its block."""

    def __init__(self, node: cst.CSTNode) -> None:
        super().__init__()
        self.node = node
        self.fits = False

    def leave_If(self, original_node: cst.If, updated_node: cst.If) -> cst.BaseStatement:
        body = updated_node.body
        if original_node is not self.node or not isinstance(body, cst.IndentedBlock):
            return updated_node
        block = body.body[0]
        if not isinstance(block, cst.With) or any(line.comment for line in body.footer):
            return updated_node
        self.fits = True
        inner = updated_node.with_changes(body=block.body, leading_lines=[])
        lines = [*updated_node.leading_lines, *block.leading_lines]
        return block.with_changes(body=body.with_changes(body=[inner], footer=[]), leading_lines=lines)
