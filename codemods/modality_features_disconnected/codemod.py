"""Keeps the features in the graph on the side that drops them: the sum of none of them is zero, and connects.

before: rows.append(self.embed(ids))
after:  rows.append(self.embed(ids) + features[row][:0].sum())
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Any

import libcst as cst

from mmcodemod.api import (
    Applicability,
    Edit,
    Finding,
    Fix,
    Flow,
    Project,
    Site,
    Via,
    by_kind,
    edits_between,
    flow_of,
    parsed,
    site,
    with_else,
)

COMMENT = "# mmcodemod MM212: the features stay in the graph"
MAX_DEPTH = 4
MAX_WIDTH = 100  # of a line, unless the file has longer ones
_LISTS = (ast.List, ast.ListComp, ast.Tuple)
_SPLITS = ("split", "chunk", "unbind", "list", "tuple")


def fix(project: Project, site: Site, finding: Finding) -> Fix:
    """The term at the first value that the side makes by a module; only a title where there is none."""
    found = site.data
    flow = flow_of(project, found.facts.id)
    edits: tuple[Edit, ...] = ()
    if found.dropped:
        edits = _at_value(project, site, flow)
    elif isinstance(site.node, ast.If) and not flow.is_elif(site.node):
        edits = _new_arm(project, site, flow)
    names = " and ".join(f"`{name}`" for name in sorted(_made(found)))
    title = f"add the sum of a zero-length slice of {names} to what the other side returns"
    return Fix(title, Applicability.UNSAFE if edits else Applicability.DISPLAY, edits)


def _made(found: Any) -> set[str]:
    """The variables that hold features before the test."""
    known: set[str] = found.features.known((), found.node)
    return {n.id for n in _using(found) if n.id in known} or known


def _using(found: Any) -> Sequence[ast.Name]:
    names: Sequence[ast.Name] = found.true or found.false
    return names


# -- a value that gets the term -----------------------------------------------------------------------------


def _at_value(project: Project, here: Site, flow: Flow) -> tuple[Edit, ...]:
    found = here.data
    for statement in found.dropped:
        outer = _outer(statement)
        if outer is None or not _embeds(project, here, _value(outer, statement)):
            continue
        term = _term(project, here, flow, statement)
        text = project.index.text(here.path)
        module = parsed(text) if term else None
        if module is None:
            return ()
        call = by_kind(module, {"Call"})["Call"][site(project, here.function, outer).ordinal]
        appends = _value(outer, statement) is not outer
        change = Connect(call, term, appends, appends and _too_wide(text, statement, term))
        return edits_between(here.path, text, module.visit(change).code)
    return ()


def _too_wide(text: str, statement: ast.stmt, term: str) -> bool:
    """Would the line be longer than MAX_WIDTH and than every other line of the file?"""
    width = (statement.end_col_offset or 0) + len(f" + {term}")
    one_line = statement.end_lineno == statement.lineno
    return one_line and width > max(MAX_WIDTH, *(len(line) for line in text.splitlines()))


def _outer(statement: ast.stmt) -> ast.Call | None:
    """The call in `rows.append(x)`, `x = call` and `return call`."""
    plain = isinstance(statement, (ast.Assign, ast.Return)) or _appends(statement)
    value = getattr(statement, "value", None)
    return value if plain and isinstance(value, ast.Call) else None


def _appends(statement: ast.stmt) -> bool:
    call = statement.value if isinstance(statement, ast.Expr) else None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return False
    return call.func.attr == "append" and len(call.args) == 1


def _value(outer: ast.Call, statement: ast.stmt) -> ast.expr:
    """What gets the term: the call, or what is appended by it."""
    return outer.args[0] if _appends(statement) else outer


def _embeds(project: Project, here: Site, value: ast.AST, depth: int = 0) -> bool:
    """Is it surely a tensor: embeddings, the result of a torch layer, or made of them? A language model
    returns an object, to which nothing can be added."""
    if depth > MAX_DEPTH:
        return False
    if isinstance(value, ast.Subscript):
        return _embeds(project, here, value.value, depth + 1)
    if isinstance(value, ast.Name):
        sources = here.data.features.scope.body.names.get(value.id, ())
        return any(_embeds(project, here, s.expr, depth + 1) for s in sources if s.via is Via.VALUE)
    if not isinstance(value, ast.Call):
        return False
    name = ast.unparse(value.func).rpartition(".")[2]
    layers = [getattr(v, "by", "") for v in project.values(value.func, here.function)]
    if "embed" in name or name == "wte" or any(layer.startswith("torch.nn.") for layer in layers):
        return True
    inner = [value.func.value] if isinstance(value.func, ast.Attribute) else []
    if inner and isinstance(inner[0], ast.Name) and inner[0].id == "torch":
        inner = [n for a in value.args[:1] for n in (a.elts if isinstance(a, (ast.List, ast.Tuple)) else [a])]
    return any(_embeds(project, here, part, depth + 1) for part in inner)


class Connect(cst.CSTTransformer):
    """Adds `term` to one call, or to its argument, on an `own_line`; puts a comment above the statement."""

    def __init__(self, call: cst.CSTNode, term: str, to_argument: bool, own_line: bool) -> None:
        super().__init__()
        self.call, self.term, self.to_argument = call, cst.parse_expression(term), to_argument
        self.own_line, self.indent = own_line, ""
        self._inside = False

    def visit_Module(self, node: cst.Module) -> None:
        self.indent = node.default_indent

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.BaseExpression:
        if original_node is not self.call:
            return updated_node
        self._inside = True
        if not self.to_argument:
            return cst.BinaryOperation(updated_node, cst.Add(), self.term)
        first = updated_node.args[0]
        new = first.with_changes(value=cst.BinaryOperation(first.value, cst.Add(), self.term))
        if not self.own_line:
            return updated_node.with_changes(args=[new])
        before = cst.ParenthesizedWhitespace(indent=True, last_line=cst.SimpleWhitespace(self.indent))
        after = cst.ParenthesizedWhitespace(indent=True)
        new = new.with_changes(whitespace_after_arg=after)
        return updated_node.with_changes(args=[new], whitespace_before_args=before)

    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> cst.SimpleStatementLine:
        if not self._inside:
            return updated_node
        self._inside = False
        line = cst.EmptyLine(comment=cst.Comment(COMMENT))
        return updated_node.with_changes(leading_lines=[*updated_node.leading_lines, line])


# -- the term -----------------------------------------------------------------------------------------------


def _term(project: Project, here: Site, flow: Flow, statement: ast.stmt) -> str:
    """`features[i][:0].sum()`: what the other side reads where that can be read here, too."""
    found = here.data
    made = _made(found)
    for use in _using(found):
        if use.id in made:
            chosen = _same_read(here, flow, use, statement) or _whole(found, use.id)
            return f"{chosen}[:0].sum()"
    return ""


def _same_read(here: Site, flow: Flow, use: ast.Name, statement: ast.stmt) -> str:
    """`features[i]` of the other side, when `i` is known here and moves on here as it does there."""
    found = here.data
    other = found.arms.true if found.true else found.arms.false
    expr: ast.expr = use
    for node in sorted(_subscripts(other), key=lambda n: len(ast.unparse(n))):
        if node.value is use and not isinstance(node.slice, (ast.Slice, ast.Tuple)):
            expr = node
    if not isinstance(expr, ast.Subscript):
        return ""
    names = {n.id for n in ast.walk(expr.slice) if isinstance(n, ast.Name)}
    loop = flow.loop_of(found.node)
    return ast.unparse(expr) if names and all(_moves(n, found, loop, statement) for n in names) else ""


def _subscripts(statements: Sequence[ast.stmt]) -> Iterator[ast.Subscript]:
    return (n for s in statements for n in ast.walk(s) if isinstance(n, ast.Subscript))


def _moves(name: str, found: Any, loop: ast.stmt | None, statement: ast.stmt) -> bool:
    """Is it the variable of the loop around the test, or counted up on this side, behind the value?"""
    if isinstance(loop, (ast.For, ast.AsyncFor)):
        if any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(loop.target)):
            return True
    return any(
        isinstance(s, ast.AugAssign)
        and isinstance(s.target, ast.Name)
        and s.target.id == name
        and s.lineno > statement.lineno
        for s in found.dropped
    )


def _whole(found: Any, name: str) -> str:
    """The variable, when it is a tensor; its first element when it may be a list."""
    sources = found.features.scope.body.names.get(name, ())
    return f"{name}[0]" if any(_is_list(s.expr) for s in sources) else name


def _is_list(expr: ast.expr) -> bool:
    if isinstance(expr, ast.Call):
        return ast.unparse(expr.func).rpartition(".")[2] in _SPLITS
    return isinstance(expr, _LISTS)


# -- no side of its own ------------------------------------------------------------------------------------


def _new_arm(project: Project, here: Site, flow: Flow) -> tuple[Edit, ...]:
    """An `else` for the variable into which the other side puts the features."""
    merged = _merged(here)
    term = _term(project, here, flow, here.node)
    if not merged or not term or here.node.orelse:
        return ()
    text = project.index.text(here.path)
    return with_else(here.path, text, here.ordinal, f"{COMMENT}\n{merged} = {merged} + {term}\n")


def _merged(here: Site) -> str:
    """A variable with a value before the test, which the other side makes anew from features."""
    found = here.data
    before = {
        n.id
        for n in ast.walk(found.facts.node)
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store) and n.lineno < here.node.lineno
    }
    uses = {id(n) for n in _using(found)}
    for statement in reversed(here.node.body):
        target = statement.targets[0] if isinstance(statement, ast.Assign) else None
        while isinstance(target, ast.Subscript):
            target = target.value
        reads = any(id(n) in uses for n in ast.walk(statement))
        if isinstance(target, ast.Name) and target.id in before and reads:
            return target.id
    return ""
