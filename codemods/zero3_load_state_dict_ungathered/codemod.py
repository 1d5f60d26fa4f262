"""Gathers the parameters around a load; every rank loads, so that buffers, which are not gathered, are right.

before: model.load_state_dict(weights)
after:  with deepspeed.zero.GatheredParameters(list(model.parameters()), modifier_rank=0):
            model.load_state_dict(weights)

`GatheredParameters` does nothing when none of the parameters is partitioned (DeepSpeed,
`runtime/zero/partition_parameters.py`), so other runs stay as they are.
"""

from __future__ import annotations

import ast

import libcst as cst

from mmcodemod.api import (
    Applicability,
    Edit,
    Finding,
    Fix,
    Project,
    Site,
    Wanted,
    asks_rank,
    by_kind,
    edits_between,
    flow_of,
    named,
)

# `deepspeed.zero` is an attribute of the package, no module: `from deepspeed.zero import` fails.
GATHER = Wanted(
    "deepspeed.zero.GatheredParameters", "deepspeed", "zero", homes=("deepspeed.runtime.zero",), optional=True
)


def fix(project: Project, site: Site, finding: Finding) -> Fix | None:
    """The load inside a gather of the receiver's own parameters; shown only where that needs a person."""
    title = f"gather the parameters of `{ast.unparse(site.node.func.value)}` around the load"
    reason = _not_here(project, site)
    edits = () if reason else _edits(project, site)
    if edits:
        return Fix(title, Applicability.UNSAFE, edits)
    return Fix(f"{title}, on every rank; {reason or 'as a statement of its own'}", Applicability.DISPLAY)


def _not_here(project: Project, site: Site) -> str:
    """Why a gather around this statement alone would be wrong, "" when it is right."""
    facts = project.index.function(site.function)
    if _only_in_init(project, site):
        return "behind `from_pretrained`, which at any stage initialises anew what its checkpoint lacks"
    if any(k.arg == "assign" for k in site.node.keywords):
        return "without `assign=`, which would put whole tensors in the place of partitioned ones"
    if not _is_plain(site.node.func.value):
        return "give the module a name first"
    tests = [test.test for test, _ in flow_of(project, facts.id).tests(site.node)]
    if any(asks_rank(project, f, test) for f in project.frames(facts.id) for test in tests):
        return "the gather waits for all ranks, so it cannot stand where only some of them arrive"
    return ""


def _only_in_init(project: Project, site: Site) -> bool:
    """Does the load run only while `from_pretrained` builds the model? Then a gather would end the error and
    not help: transformers initialises afterwards what is missing in the checkpoint that it loads (tried)."""
    reaches = [project.reach(c.entry) for c in project.contexts if c.entry]
    inside = any(r.built_inside(site.function) for r in reaches)
    return inside and not any(r.built_outside(site.function) for r in reaches)


def _is_plain(receiver: ast.expr) -> bool:
    """A name, attributes of it, or what a getter without arguments returns: reading it twice is the same."""
    if isinstance(receiver, ast.Call):
        plain = isinstance(receiver.func, ast.Attribute) and receiver.func.attr.startswith("get_")
        return plain and not receiver.args and not receiver.keywords and _is_plain(receiver.func)
    if isinstance(receiver, ast.Attribute):
        return _is_plain(receiver.value)
    return isinstance(receiver, ast.Name)


def _edits(project: Project, site: Site) -> tuple[Edit, ...]:
    text = project.index.text(site.path)
    try:
        module = cst.parse_module(text)
    except (cst.ParserSyntaxError, RecursionError):
        return ()
    gather = named(site.path, text, project.index.files[site.path].tree, site.node, GATHER)
    if gather is None:
        return ()
    load = by_kind(module, {"Call"})["Call"][site.ordinal]
    change = Gather(load, gather.text)
    changed = module.visit(change)
    return (*gather.edits, *edits_between(site.path, text, changed.code)) if change.fits else ()


class Gather(cst.CSTTransformer):
    """Wraps the statement that holds `load` into `gather(...)`."""

    def __init__(self, load: cst.CSTNode, gather: str) -> None:
        super().__init__()
        self.load, self.gather = load, gather
        self.fits = self._inside = False

    def visit_Call(self, node: cst.Call) -> None:
        self._inside = self._inside or node is self.load

    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> cst.BaseStatement:
        if not self._inside:
            return updated_node
        self._inside = False
        if len(updated_node.body) > 1 or not isinstance(self.load, cst.Call):
            return updated_node
        self.fits = True
        return self._with(updated_node)

    def _with(self, statement: cst.SimpleStatementLine) -> cst.With:
        func = cst.ensure_type(cst.ensure_type(self.load, cst.Call).func, cst.Attribute)
        receiver = cst.Module([]).code_for_node(func.value)
        gather = cst.parse_expression(f"{self.gather}(list({receiver}.parameters()), modifier_rank=0)")
        body = cst.IndentedBlock([statement.with_changes(leading_lines=[])])
        return cst.With([cst.WithItem(gather)], body, leading_lines=statement.leading_lines)
