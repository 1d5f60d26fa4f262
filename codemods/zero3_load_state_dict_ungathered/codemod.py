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
    asks_rank,
    by_kind,
    edits_between,
    flow_of,
)

CLASS = "GatheredParameters"
# `deepspeed.zero` is an attribute of the package, no module: `from deepspeed.zero import` fails.
PACKAGE, NAME, HOME = "deepspeed", "zero", "deepspeed.runtime.zero"


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
    known = _known_name(project, site)
    name = known or _new_name(project, site)
    load = by_kind(module, {"Call"})["Call"][site.ordinal]
    change = Gather(load, name if known else f"{name}.{CLASS}", "" if known else name)
    changed = module.visit(change)
    return edits_between(site.path, text, changed.code) if change.fits else ()


class Gather(cst.CSTTransformer):
    """Wraps the statement that holds `load` into `gather(...)`; imports DeepSpeed's `zero` as `imports`."""

    def __init__(self, load: cst.CSTNode, gather: str, imports: str) -> None:
        super().__init__()
        self.load, self.gather, self.imports = load, gather, imports
        self.fits = self._inside = False

    def visit_Call(self, node: cst.Call) -> None:
        self._inside = self._inside or node is self.load

    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> cst.BaseStatement | cst.FlattenSentinel[cst.BaseStatement]:
        if not self._inside:
            return updated_node
        self._inside = False
        if len(updated_node.body) > 1 or not isinstance(self.load, cst.Call):
            return updated_node
        self.fits = True
        blank, comments = _split(updated_node.leading_lines)
        if self.imports:
            gap = cst.EmptyLine(indent=False)
            return cst.FlattenSentinel([self._import(blank), self._with([gap, *comments], updated_node)])
        return self._with([*blank, *comments], updated_node)

    def _import(self, blank: list[cst.EmptyLine]) -> cst.SimpleStatementLine:
        alias = "" if self.imports == NAME else f" as {self.imports}"
        line = cst.parse_statement(f"from {PACKAGE} import {NAME}{alias}")
        return cst.ensure_type(line, cst.SimpleStatementLine).with_changes(leading_lines=blank)

    def _with(self, lines: list[cst.EmptyLine], statement: cst.SimpleStatementLine) -> cst.With:
        func = cst.ensure_type(cst.ensure_type(self.load, cst.Call).func, cst.Attribute)
        receiver = cst.Module([]).code_for_node(func.value)
        gather = cst.parse_expression(f"{self.gather}(list({receiver}.parameters()), modifier_rank=0)")
        body = cst.IndentedBlock([statement.with_changes(leading_lines=[])])
        return cst.With([cst.WithItem(gather)], body, leading_lines=lines)


def _split(lines: object) -> tuple[list[cst.EmptyLine], list[cst.EmptyLine]]:
    """The blank lines before the first comment, and the rest."""
    every = list(lines)  # type: ignore[call-overload]
    first = next((i for i, line in enumerate(every) if line.comment), len(every))
    return every[:first], every[first:]


# -- names -----------------------------------------------------------------------------------------------


def _known_name(project: Project, site: Site) -> str:
    """How the code at the load can already write `deepspeed.zero.GatheredParameters`, "" when it cannot."""
    tree = project.index.files[site.path].tree
    facts = project.index.function(site.function)
    around = flow_of(project, facts.id).around(site.node)
    bodies = [tree.body, facts.node.body, *(a.body for a in around if isinstance(a, (ast.If, ast.With)))]
    lines = [s for body in bodies for s in body if s.lineno < site.node.lineno]
    for statement in lines:
        for bound, dotted in _imported(statement):
            if not _means_other(tree, bound):
                return dotted
    return ""


def _imported(statement: ast.AST) -> list[tuple[str, str]]:
    """The names that an import binds, with what the gather is called through each."""
    found: list[tuple[str, str]] = []
    if isinstance(statement, ast.Import):
        for alias in statement.names:
            if alias.name.partition(".")[0] == PACKAGE and (alias.name == PACKAGE or not alias.asname):
                name = alias.asname or PACKAGE
                found.append((name, f"{name}.{NAME}.{CLASS}"))
    elif isinstance(statement, ast.ImportFrom) and not statement.level:
        for alias in statement.names:
            name = alias.asname or alias.name
            if (statement.module, alias.name) == (PACKAGE, NAME):
                found.append((name, f"{name}.{CLASS}"))
            elif (statement.module or "").startswith(HOME) and alias.name == CLASS:
                found.append((name, name))
    return found


def _new_name(project: Project, site: Site) -> str:
    """A name for `zero` that the file does not use for anything else."""
    tree = project.index.files[site.path].tree
    return NAME if not _means_other(tree, NAME) else f"{PACKAGE}_{NAME}"


def _means_other(tree: ast.Module, name: str) -> bool:
    """Does a file give the name another meaning than DeepSpeed's anywhere?"""
    nodes = list(ast.walk(tree))
    ours = sum(bound == name for node in nodes for bound, _ in _imported(node))
    return sum(_binds(node, name) for node in nodes) > ours


def _binds(node: ast.AST, name: str) -> bool:
    if isinstance(node, ast.alias):
        return (node.asname or node.name).partition(".")[0] == name
    if isinstance(node, ast.Name):
        return node.id == name and not isinstance(node.ctx, ast.Load)
    if isinstance(node, ast.arg):
        return node.arg == name
    return isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) and node.name == name
