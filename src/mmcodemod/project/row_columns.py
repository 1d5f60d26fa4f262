"""Modality keys that a dict of lists has only when some sample has them: `if "images" in sample:
columns["images"].append(...)` in a loop over the samples. May-analysis on one function; silent where the
function reads the key itself."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.facts.body import Via, own_nodes
from mmcodemod.facts.syntax import unparse, walk
from mmcodemod.model.frozen import frozen
from mmcodemod.project.flow import Flow
from mmcodemod.project.modality import Scope, data_roots
from mmcodemod.project.modality_keys import constant, names_modality

_EMPTY = ("defaultdict(list)", "collections.defaultdict(list)", "{}", "dict()")


@frozen()
class Column:
    """A `statement` that adds to the list under `key` of a dict of lists."""

    statement: ast.stmt
    holder: str
    key: str


def columns(scope: Scope, flow: Flow) -> Iterator[tuple[ast.If, bool, int]]:
    """Tests on each sample that alone decide whether a column gets something, with the side and the line that
    add to it."""
    found = [c for c in map(column_of, flow.statements) if c is not None and names_modality(c.key)]
    for column in found:
        loop = flow.loop_of(column.statement)
        if not isinstance(loop, ast.For) or not data_roots(loop.iter, scope):
            continue
        tests = [t for t in flow.tests(column.statement) if flow.loop_of(t[0]) is loop]
        same = [c for c in found if (c.holder, c.key) == (column.holder, column.key)]
        if len(tests) == 1 and len(same) == 1 and not _sorts(loop, column) and _handed_out(scope, column):
            yield *tests[0], column.statement.lineno


def _sorts(loop: ast.For, column: Column) -> bool:
    """Does it put whole samples there, by what kind they are?"""
    call = column.statement.value if isinstance(column.statement, ast.Expr) else None
    given = unparse(call.args[0]) if isinstance(call, ast.Call) and call.args else ""
    return given in {n.id for n in walk(loop.target) if isinstance(n, ast.Name)}


def column_of(statement: ast.stmt) -> Column | None:
    """`columns["key"].append(x)` and `columns.setdefault("key", []).append(x)`"""
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=listed, attr="append" | "extend"))):
            match listed:
                case (
                    ast.Subscript(value=ast.Name(id=holder), slice=ast.Constant(value=str(key)))
                    | ast.Call(
                        func=ast.Attribute(value=ast.Name(id=holder), attr="setdefault"),
                        args=[ast.Constant(value=str(key)), _],
                    )
                ):
                    return Column(statement, holder, key)
    return None


def _handed_out(scope: Scope, column: Column) -> bool:
    """Does the dict start without keys, and go out with those it has, whichever they are?"""
    nodes = list(own_nodes(scope.facts.node))
    own = {id(n) for n in walk(column.statement)}
    made = [s for s in scope.body.names.get(column.holder, ()) if s.via is Via.VALUE]
    asked = any(_asks_for(n, column) for n in nodes if id(n) not in own)
    empty = bool(made) and all(unparse(s.expr) in _EMPTY for s in made)
    return empty and not asked and any(_goes_out(n, column.holder) for n in nodes)


def _asks_for(node: ast.AST, column: Column) -> bool:
    """`columns["key"]`, `columns.get("key")` or `"key" in columns`"""
    match node:
        case (
            ast.Subscript(value=ast.Name(id=holder), slice=key)
            | ast.Call(func=ast.Attribute(value=ast.Name(id=holder)), args=[key, *_])
            | ast.Compare(left=key, comparators=[ast.Name(id=holder)])
        ):
            return holder == column.holder and constant(key) == column.key
    return False


def _goes_out(node: ast.AST, holder: str) -> bool:
    """`return columns`, `return {... for key in columns}` and a loop over what it has"""
    match node:
        case ast.Return(value=ast.Name(id=name)) | ast.Return(value=ast.Call(args=[ast.Name(id=name)])):
            return name == holder
        case ast.For(iter=gone) | ast.DictComp(generators=[ast.comprehension(iter=gone)]):
            return unparse(gone) in (holder, f"{holder}.items()", f"{holder}.keys()", f"list({holder})")
    return False
