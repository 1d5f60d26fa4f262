"""Gives the call that makes the process group a timeout of two hours, and imports what that needs.

before: dist.init_process_group("nccl")
after:  dist.init_process_group("nccl", timeout=timedelta(hours=2))
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

import libcst as cst

from mmcodemod.api import Edit, Project, Site, by_kind, edits_between, parsed

SPAN = "timedelta(hours=2)"


@dataclass(frozen=True)
class Setting:
    """A keyword of a call, and the names that its value needs, as (module, name)."""

    keyword: str
    value: str
    needs: tuple[tuple[str, str], ...] = ()


_TIMEDELTA = ("datetime", "timedelta")
GROUP = Setting("timeout", SPAN, (_TIMEDELTA,))
TRAINER = Setting("ddp_timeout", "7200")
ACCELERATOR = Setting(
    "kwargs_handlers",
    f"[InitProcessGroupKwargs(timeout={SPAN})]",
    (_TIMEDELTA, ("accelerate", "InitProcessGroupKwargs")),
)


class WithKeyword(cst.CSTTransformer):
    """Adds the keyword to `call`, and the imports before the first import that is not `__future__`."""

    def __init__(self, call: cst.CSTNode, setting: Setting, imports: Sequence[tuple[str, str]]) -> None:
        super().__init__()
        self.call, self.setting, self.imports = call, setting, imports

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.Call:
        if original_node is not self.call:
            return updated_node
        new = cst.Arg(
            cst.parse_expression(self.setting.value),
            cst.Name(self.setting.keyword),
            cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace("")),
        )
        return updated_node.with_changes(args=_appended(updated_node, new))

    def leave_Module(self, original_node: cst.Module, updated_node: cst.Module) -> cst.Module:
        body = list(updated_node.body)
        at = next(i for i, s in enumerate(body) if _is_import(s)) if self.imports else 0
        new = [
            cst.parse_statement(f"from {module} import {name}", original_node.config_for_parsing)
            for module, name in self.imports
        ]
        if new:
            new[0] = new[0].with_changes(leading_lines=getattr(body[at], "leading_lines", ()))
            body[at] = body[at].with_changes(leading_lines=())
        return updated_node.with_changes(body=[*body[:at], *new, *body[at:]])


def _appended(call: cst.Call, new: cst.Arg) -> list[cst.Arg]:
    """The new argument is separated as the others are, and takes over a comma at the end."""
    if not call.args:
        return [new]
    *others, last = call.args
    commas = [arg.comma for arg in others if isinstance(arg.comma, cst.Comma)]
    between = commas[-1] if commas else cst.Comma(whitespace_after=_gap(call))
    if isinstance(last.comma, cst.Comma):  # it stands before the closing bracket
        new = new.with_changes(comma=last.comma, whitespace_after_arg=last.whitespace_after_arg)
    else:
        new = new.with_changes(whitespace_after_arg=last.whitespace_after_arg)
    last = last.with_changes(comma=between, whitespace_after_arg=cst.SimpleWhitespace(""))
    return [*others, last, new]


def _gap(call: cst.Call) -> cst.BaseParenthesizableWhitespace:
    """What stands between the bracket and the only argument, when that is a new line."""
    before = call.whitespace_before_args
    return before if isinstance(before, cst.ParenthesizedWhitespace) else cst.SimpleWhitespace(" ")


def _is_import(statement: cst.CSTNode) -> bool:
    if not isinstance(statement, cst.SimpleStatementLine):
        return False
    first = statement.body[0]
    future = isinstance(first, cst.ImportFrom) and getattr(first.module, "value", "") == "__future__"
    return isinstance(first, (cst.Import, cst.ImportFrom)) and not future


def with_setting(project: Project, site: Site, setting: Setting) -> tuple[Edit, ...]:
    """The edits; () when the file cannot be rewritten."""
    text = project.index.text(site.path)
    module = parsed(text)
    missing = _missing(project, site.path, setting)
    if module is None or missing is None:
        return ()
    call = by_kind(module, {"Call"})["Call"][site.ordinal]
    return edits_between(site.path, text, module.visit(WithKeyword(call, setting, missing)).code)


def _missing(project: Project, path: str, setting: Setting) -> list[tuple[str, str]] | None:
    """What must be imported; None when one of the names means something else in this file."""
    tree = project.index.files[path].tree
    bound = {i.bound: (i.module, i.name) for i in project.index.files[path].imports}
    other = {n.name for n in ast.walk(tree) if isinstance(n, (ast.FunctionDef, ast.ClassDef))}
    other |= {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    wrong = [n for _, n in setting.needs if n in other or (n in bound and bound[n][1] != n)]
    if wrong or not any(isinstance(s, (ast.Import, ast.ImportFrom)) for s in tree.body):
        return None
    return [(module, name) for module, name in setting.needs if name not in bound]
