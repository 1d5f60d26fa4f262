"""Clips the gradients right before the optimizer uses them.

before: optimizer.step()
after:  torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
"""

from __future__ import annotations

from collections.abc import Mapping

import libcst as cst

from mmcodemod.api import Edit, Project, Site, by_kind, edits_between


class ClipBeforeSteps(cst.CSTTransformer):
    """Puts lines before the statement that holds each of some calls; adds `import torch` when asked."""

    def __init__(self, lines: Mapping[cst.CSTNode, str], import_torch: bool) -> None:
        super().__init__()
        self.lines, self.import_torch = lines, import_torch
        self.config = cst.PartialParserConfig()
        self._pending = ""
        self.inserted = 0

    def visit_Module(self, node: cst.Module) -> None:
        self.config = node.config_for_parsing

    def visit_Call(self, node: cst.Call) -> None:
        self._pending += self.lines.get(node, "")

    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> cst.BaseStatement | cst.FlattenSentinel[cst.BaseStatement]:
        pending, self._pending = self._pending, ""
        if not pending:
            return updated_node
        self.inserted += 1
        new = cst.parse_module(pending, self.config).body
        return cst.FlattenSentinel([*new, updated_node])

    def leave_Module(self, original_node: cst.Module, updated_node: cst.Module) -> cst.Module:
        if not self.import_torch:
            return updated_node
        body, at = list(updated_node.body), _place(original_node)
        new = cst.parse_statement("import torch\n", self.config)
        if at < len(body) and _imports(body[at]):
            new = new.with_changes(leading_lines=getattr(body[at], "leading_lines", ()))
            body[at] = body[at].with_changes(leading_lines=())
        return updated_node.with_changes(body=[*body[:at], new, *body[at:]])


def _place(module: cst.Module) -> int:
    """Before the first `from torch... import`, else behind the last import, else behind the docstring."""
    imports = [(i, s) for i, s in enumerate(module.body) if _imports(s)]
    for i, statement in imports:
        if module.code_for_node(statement).lstrip().startswith("from torch"):
            return i
    if imports:
        return imports[-1][0] + 1
    return 1 if module.get_docstring(clean=False) is not None else 0


def _imports(statement: cst.CSTNode) -> bool:
    return isinstance(statement, cst.SimpleStatementLine) and isinstance(
        statement.body[0], (cst.Import, cst.ImportFrom)
    )


def clipped(project: Project, path: str, lines: Mapping[Site, str], import_torch: bool) -> tuple[Edit, ...]:
    """The edits, () when one of the steps cannot be rewritten. Tabs in `lines` are one indentation."""
    text = project.index.text(path)
    try:
        module = cst.parse_module(text)
    except (cst.ParserSyntaxError, RecursionError):
        return ()
    calls = by_kind(module, {"Call"})["Call"]
    wanted: dict[cst.CSTNode, str] = {
        calls[step.ordinal]: new.replace("\t", module.default_indent) for step, new in lines.items()
    }
    change = ClipBeforeSteps(wanted, import_torch)
    changed = module.visit(change)
    return edits_between(path, text, changed.code) if change.inserted == len(lines) else ()
