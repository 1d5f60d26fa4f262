"""Gives the call that makes the process group a timeout of two hours, and imports what that needs.

before: dist.init_process_group("nccl")
after:  dist.init_process_group("nccl", timeout=timedelta(hours=2))
"""

from __future__ import annotations

import libcst as cst

from mmcodemod.api import Edit, Project, Site, Wanted, by_kind, edits_between, frozen, named, parsed

DELTA = Wanted("datetime.timedelta", "datetime", "timedelta")
HANDLER = Wanted(
    "accelerate.InitProcessGroupKwargs", "accelerate", "InitProcessGroupKwargs", ("accelerate.utils",)
)


@frozen()
class Setting:
    """A keyword of a call, and its value, in which `{}` stands for each of the names that it needs."""

    keyword: str
    value: str
    needs: tuple[Wanted, ...] = ()

    @property
    def said(self) -> str:
        """The value with the plain names."""
        return self.value.format(*(wanted.name for wanted in self.needs))


GROUP = Setting("timeout", "{}(hours=2)", (DELTA,))
TRAINER = Setting("ddp_timeout", "7200")
ACCELERATOR = Setting("kwargs_handlers", "[{}(timeout={}(hours=2))]", (HANDLER, DELTA))


class WithKeyword(cst.CSTTransformer):
    """Adds the keyword to `call`."""

    def __init__(self, call: cst.CSTNode, keyword: str, value: str) -> None:
        super().__init__()
        self.call, self.keyword, self.value = call, keyword, value

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.Call:
        if original_node is not self.call:
            return updated_node
        new = cst.Arg(
            cst.parse_expression(self.value),
            cst.Name(self.keyword),
            cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace("")),
        )
        return updated_node.with_changes(args=_appended(updated_node, new))


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


def with_setting(project: Project, site: Site, setting: Setting) -> tuple[Edit, ...]:
    """The edits; () when the file cannot be rewritten."""
    text, tree = project.index.text(site.path), project.index.files[site.path].tree
    module = parsed(text)
    names = [named(site.path, text, tree, site.node, wanted) for wanted in setting.needs]
    known = [name for name in names if name is not None]
    if module is None or len(known) < len(names):
        return ()
    call = by_kind(module, {"Call"})["Call"][site.ordinal]
    change = WithKeyword(call, setting.keyword, setting.value.format(*(name.text for name in known)))
    imports = [edit for name in known for edit in name.edits]
    return (*imports, *edits_between(site.path, text, module.visit(change).code))
