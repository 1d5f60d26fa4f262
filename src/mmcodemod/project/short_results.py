"""A side of a test returns a dictionary that lacks a key which every caller asks for right after: a run whose
batch takes that side ends with KeyError, and the launcher ends the others. Must-analysis."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from mmcodemod.facts.syntax import walk
from mmcodemod.model.context import Entry
from mmcodemod.model.frozen import frozen
from mmcodemod.model.place import Place
from mmcodemod.project.comes_by import leading_to
from mmcodemod.project.flow import flow_of
from mmcodemod.project.model import Project

_PLAIN = (ast.Delete, ast.Assign, ast.AnnAssign, ast.Expr, ast.Return)


@frozen()
class Lacking:
    """The key that a caller asks for, and where."""

    key: str
    at: Place


def short_result(project: Project, function: str, side: Sequence[ast.AST], entry: Entry) -> Lacking | None:
    """What the callers ask of what this side of a test in the function returns, and it does not have."""
    last = side[-1] if side else None
    keys = _keys(last.value) if isinstance(last, ast.Return) else None
    edges = leading_to(project, entry, function) if keys is not None else []
    found = [_asked(project, e.caller.function, e.call, keys or frozenset()) for e in edges]
    return found[0] if found and all(found) else None


def _keys(made: ast.expr | None) -> frozenset[str] | None:
    """The keys of a dictionary that is written out."""
    if isinstance(made, ast.Dict):
        texts = [k.value if isinstance(k, ast.Constant) else None for k in made.keys]
    elif isinstance(made, ast.Call) and getattr(made.func, "id", "") == "dict" and not made.args:
        texts = [k.arg for k in made.keywords]
    else:
        return None
    named = frozenset(t for t in texts if isinstance(t, str))
    return named if len(named) == len(texts) else None


def _asked(project: Project, function: str, call: ast.Call, keys: frozenset[str]) -> Lacking | None:
    """The first key that a caller asks for and has not put there, before anything else has the whole."""
    flow = flow_of(project, function)
    here = flow.statement_of(call)
    if (
        not isinstance(here, ast.Assign)
        or here.value is not call
        or not isinstance(here.targets[0], ast.Name)
    ):
        return None
    name, had = here.targets[0].id, keys
    for statement in flow.following(here):
        uses = list(_uses(statement, name))
        if not all(_key(u) for u in uses) or _leaves(statement):
            return None
        use = next((u for u in _at_once(statement, name) if not _puts(u) and _key(u) not in had), None)
        if use is not None:
            return Lacking(_key(use), project.place(function.partition("::")[0], use))
        had |= {_key(u) for u in uses if _puts(u)}
    return None


def _leaves(statement: ast.stmt) -> bool:
    """May a compound statement end the function before the next one?"""
    jumps = (ast.Return, ast.Raise, ast.Break, ast.Continue)
    return not isinstance(statement, _PLAIN) and any(isinstance(n, jumps) for n in walk(statement))


def _key(use: ast.AST) -> str:
    """`key` of `x["key"]`, "" for anything else."""
    constant = use.slice if isinstance(use, ast.Subscript) else None
    text = constant.value if isinstance(constant, ast.Constant) else ""
    return text if isinstance(text, str) else ""


def _puts(use: ast.AST) -> bool:
    return isinstance(getattr(use, "ctx", None), ast.Store)


def _uses(statement: ast.AST, name: str) -> Iterator[ast.AST]:
    """Each place of a name in a statement: its subscript, else the name itself."""
    taken = [n for n in walk(statement) if isinstance(n, ast.Subscript) and _is(n.value, name)]
    inner = {id(n.value) for n in taken}
    yield from taken
    yield from (n for n in walk(statement) if _is(n, name) and id(n) not in inner)


def _is(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _at_once(statement: ast.stmt, name: str) -> list[ast.AST]:
    """The entries that a plain statement, or the test of an `if`, surely asks for."""
    asked = statement if isinstance(statement, _PLAIN) else getattr(statement, "test", None)
    open_ = (ast.IfExp, ast.BoolOp, ast.Lambda, ast.comprehension)
    if asked is None or any(isinstance(n, open_) for n in walk(asked)):
        return []
    return list(_uses(asked, name))
