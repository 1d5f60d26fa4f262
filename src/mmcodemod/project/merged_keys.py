"""Modality keys that a conditional expression adds to a dict or leaves out of it:
`{**batch, **({"images": x} if x else {})}`, or sets to None: `batch["images"] = x if x else None`.
May-analysis on one function, without its loops and comprehensions, which make samples."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.facts.body import Via
from mmcodemod.facts.syntax import children
from mmcodemod.model.frozen import frozen
from mmcodemod.model.pattern import regex
from mmcodemod.project.flow import Flow
from mmcodemod.project.modality import Scope
from mmcodemod.project.modality_keys import constant, is_none, names_modality, pairs_put

_ONE_BY_ONE = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Lambda)
_SIMPLE = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr, ast.Return)
_MAKES = regex(r"dict|BatchFeature|BatchEncoding|\w*(processor|extractor)")


@frozen()
class Chosen:
    """`key` gets something where the test of a conditional expression is `outcome`, on a line."""

    choice: ast.IfExp
    outcome: bool
    key: str
    line: int


def chosen_keys(scope: Scope, flow: Flow) -> Iterator[Chosen]:
    """The modality keys that only one arm of a conditional expression adds, or sets to more than None."""
    for statement in flow.statements:
        if isinstance(statement, _SIMPLE) and flow.loop_of(statement) is None:
            together = _together(statement)
            for choice in _choices(together, scope):
                yield from _one_sided(choice, statement)
            yield from _or_none(together, statement, scope)


def _or_none(together: list[ast.AST], statement: ast.stmt, scope: Scope) -> Iterator[Chosen]:
    """The keys that get None from one arm."""
    for key, value in (pair for node in together for pair in pairs_put(node)):
        choice = _behind(value, scope) if names_modality(key) else None
        if isinstance(choice, ast.IfExp) and is_none(choice.body) is not is_none(choice.orelse):
            yield Chosen(choice, is_none(choice.orelse), str(key), statement.lineno)


def _choices(together: list[ast.AST], scope: Scope) -> Iterator[ast.IfExp]:
    for part in (part for node in together for part in _merged(node)):
        expr = _behind(part, scope)
        if isinstance(expr, ast.IfExp):
            yield expr


def _together(statement: ast.stmt) -> list[ast.AST]:
    """The nodes of a statement that are of the whole batch."""
    found: list[ast.AST] = [statement]
    for node in found:
        found += [n for n in children(node) if not isinstance(n, _ONE_BY_ONE)]
    return found


def _merged(node: ast.AST) -> list[ast.expr]:
    """What a node returns, or adds to a dict."""
    match node:
        case ast.Return(value=ast.expr() as value):
            return [value]
        case ast.Dict(keys=keys, values=values):
            return [value for key, value in zip(keys, values, strict=True) if key is None]
        case ast.Call(func=ast.Attribute(value=ast.Name(), attr="update"), args=[added]):
            return [added]
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)) if _MAKES.fullmatch(name):
            return [k.value for k in node.keywords if k.arg is None]
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return [left, right]
        case ast.AugAssign(op=ast.BitOr(), value=added):
            return [added]
    return []


def _behind(expr: ast.expr, scope: Scope) -> ast.expr:
    """What a name stands for that is bound once."""
    sources = scope.body.names.get(expr.id, ()) if isinstance(expr, ast.Name) else ()
    plain = [s.expr for s in sources if s.via is Via.VALUE and s.index < 0]
    return plain[0] if len(sources) == len(plain) == 1 else expr


def _one_sided(choice: ast.IfExp, statement: ast.stmt) -> Iterator[Chosen]:
    true, false = shown_keys(choice.body), shown_keys(choice.orelse)
    if true is not None and false is not None and bool(true) is not bool(false):
        yield from (Chosen(choice, bool(true), key, statement.lineno) for key in sorted(true | false))


def shown_keys(expr: ast.expr) -> set[str] | None:
    """The modality keys of a dict that is written out; None where it is not."""
    match expr:
        case ast.Dict(keys=keys, values=values) if None not in keys:
            pairs = [(constant(key), value) for key, value in zip(keys, values, strict=True)]
        case ast.Call(func=ast.Name(id="dict"), args=[], keywords=keywords):
            pairs = [(k.arg, k.value) for k in keywords]
        case _:
            return None
    return {str(key) for key, value in pairs if names_modality(key) and not is_none(value)}
