"""Takes the loss scale off the gradients before they are clipped.

before: torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
after:  scaler.unscale_(optimizer)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
"""

from __future__ import annotations

import libcst as cst

from mmcodemod.api import Edit, Project, Site, by_kind, edits_between


class Unscale(cst.CSTTransformer):
    """Puts `lines` before the statement that holds `clip`, and drops the statement that is `moved`."""

    def __init__(self, clip: cst.CSTNode, moved: cst.CSTNode | None, lines: str) -> None:
        super().__init__()
        self.clip, self.moved, self.lines = clip, moved, lines
        self.config = cst.PartialParserConfig()
        self._in_clip = self._in_moved = False
        self.inserted = False
        self.removed = moved is None

    def visit_Module(self, node: cst.Module) -> None:
        self.config = node.config_for_parsing

    def visit_Call(self, node: cst.Call) -> None:
        self._in_clip = self._in_clip or node is self.clip
        self._in_moved = self._in_moved or node is self.moved

    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> cst.BaseStatement | cst.FlattenSentinel[cst.BaseStatement] | cst.RemovalSentinel:
        in_clip, in_moved = self._in_clip, self._in_moved
        self._in_clip = self._in_moved = False
        if in_moved and len(original_node.body) == 1:
            self.removed = True
            return cst.RemoveFromParent()
        if not in_clip:
            return updated_node
        self.inserted = True
        return cst.FlattenSentinel([cst.parse_statement(self.lines, self.config), updated_node])


def unscaled(project: Project, clip: Site, moved: Site | None, lines: str) -> tuple[Edit, ...]:
    """The edits, () when the code cannot be rewritten."""
    text = project.index.text(clip.path)
    try:
        module = cst.parse_module(text)
    except (cst.ParserSyntaxError, RecursionError):
        return ()
    calls = by_kind(module, {"Call"})["Call"]
    lines = lines.replace("\t", module.default_indent)
    change = Unscale(calls[clip.ordinal], calls[moved.ordinal] if moved else None, lines)
    changed = module.visit(change)
    return edits_between(clip.path, text, changed.code) if change.inserted and change.removed else ()
