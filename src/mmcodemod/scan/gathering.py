"""Puts a statement into `deepspeed.zero.GatheredParameters(..., modifier_rank=0)`."""

from __future__ import annotations

import ast

import libcst as cst

from mmcodemod.model.fix import Edit
from mmcodemod.project.differs import asks_rank
from mmcodemod.project.flow import flow_of
from mmcodemod.project.model import Project
from mmcodemod.project.site import Site
from mmcodemod.scan.imports import Wanted, named
from mmcodemod.scan.rewrite import Around, edits_between, parsed
from mmcodemod.scan.walk import by_kind

# `deepspeed.zero` is an attribute of the package, no module: `from deepspeed.zero import` fails.
GATHER = Wanted(
    "deepspeed.zero.GatheredParameters", "deepspeed", "zero", homes=("deepspeed.runtime.zero",), optional=True
)


def gathering(project: Project, site: Site, gathered: str) -> tuple[Edit, ...]:
    """The edits that put the statement of the call at `site` into a gather of `gathered`, the text of an
    expression; () where it is not a statement of its own."""
    text = project.index.text(site.path)
    module = parsed(text)
    gather = named(site.path, text, project.index.files[site.path].tree, site.node, GATHER)
    if module is None or gather is None:
        return ()
    call = by_kind(module, {"Call"})["Call"][site.ordinal]
    change = Gather(module, call, f"{gather.text}({gathered}, modifier_rank=0)")
    changed = module.visit(change)
    return (*gather.edits, *edits_between(site.path, text, changed.code)) if change.fits else ()


def only_some_ranks(project: Project, site: Site) -> bool:
    """Does a test on the rank decide about the place? A gather waits for all ranks."""
    tests = [test.test for test, _ in flow_of(project, site.function).tests(site.node)]
    return any(asks_rank(project, f, test) for f in project.frames(site.function) for test in tests)


def is_plain(receiver: ast.expr) -> bool:
    """A name, attributes of it, or what a getter without arguments returns: reading it twice is the same."""
    if isinstance(receiver, ast.Call):
        plain = isinstance(receiver.func, ast.Attribute) and receiver.func.attr.startswith("get_")
        return plain and not receiver.args and not receiver.keywords and is_plain(receiver.func)
    if isinstance(receiver, ast.Attribute):
        return is_plain(receiver.value)
    return isinstance(receiver, ast.Name)


class Gather(Around):
    """Wraps the statement that holds `call` into `gather`.

    before: model.load_state_dict(weights)
    after:  with deepspeed.zero.GatheredParameters(list(model.parameters()), modifier_rank=0):
                model.load_state_dict(weights)
    """

    def __init__(self, module: cst.Module, call: cst.CSTNode, gather: str) -> None:
        super().__init__(module, [call])
        self.gather = gather
        self.fits = False

    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> cst.BaseStatement:
        if original_node not in self._around or len(updated_node.body) > 1:
            return updated_node
        self.fits = True
        body = cst.IndentedBlock([updated_node.with_changes(leading_lines=[])])
        item = cst.WithItem(cst.parse_expression(self.gather))
        return cst.With([item], body, leading_lines=updated_node.leading_lines)
