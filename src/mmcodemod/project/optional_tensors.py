"""Tests for the type of an input that is None where it is left out: `isinstance(images, torch.Tensor)` asks
whether it was given. Where the function asks for it in another way, too, or binds it anew before, the test
may tell a tensor from a list: then it is none of these."""

from __future__ import annotations

import ast

from mmcodemod.facts.body import own_nodes
from mmcodemod.facts.python import FunctionFacts
from mmcodemod.facts.syntax import unparse, walk

_ABOUT = ("isinstance", "type", "len", "bool", "hasattr")


def given_by_type(node: ast.expr) -> bool | None:
    """Is the input there where the test is true? None where no type tells."""
    match node:
        case ast.Call(func=ast.Name(id="isinstance"), args=[_, kinds]):
            return True if _is_tensor(kinds) else False if _is_none(kinds) else None
        case ast.Compare(left=ast.Call(func=ast.Name(id="type")), ops=[operator], comparators=[kind]):
            same = isinstance(operator, (ast.Is, ast.Eq))
            return same if _is_tensor(kind) else not same if _is_none(kind) else None
    return None


def asks_whether_given(node: ast.expr, facts: FunctionFacts) -> bool:
    """Is it such a test, of a parameter that is None by default, and the only question about it?"""
    name = _asked(node) if given_by_type(node) is not None else ""
    if not name or isinstance(facts.node, ast.Module) or not _none_by_default(facts.node, name):
        return False
    nodes = list(own_nodes(facts.node))
    binds = any(_stores(n, name) and n.lineno < node.lineno for n in nodes)  # type: ignore[attr-defined]
    tests = (n.test for n in nodes if isinstance(n, (ast.If, ast.IfExp, ast.While, ast.Assert)))
    others = [t for t in tests if all(part is not node for part in walk(t))]
    return not binds and not any(_asks(test, name) for test in others)


def _asked(node: ast.AST) -> str:
    """`x` of `isinstance(x, ...)` and `type(x) is ...`"""
    call = node.left if isinstance(node, ast.Compare) else node
    first = call.args[0] if isinstance(call, ast.Call) and call.args else None
    return first.id if isinstance(first, ast.Name) else ""


def _is_tensor(kinds: ast.expr) -> bool:
    """`torch.Tensor`, `Tensor`, `torch.FloatTensor`, or a tuple with one of them."""
    each = kinds.elts if isinstance(kinds, ast.Tuple) else [kinds]
    names = (k.attr if isinstance(k, ast.Attribute) else getattr(k, "id", "") for k in each)
    return any(name.endswith("Tensor") for name in names)


def _is_none(kinds: ast.expr) -> bool:
    return unparse(kinds) in ("type(None)", "NoneType", "types.NoneType")


def _none_by_default(node: ast.FunctionDef | ast.AsyncFunctionDef, name: str) -> bool:
    args = node.args
    positional = [*args.posonlyargs, *args.args]
    pairs = [*zip(reversed(positional), reversed(args.defaults)), *zip(args.kwonlyargs, args.kw_defaults)]
    return any(a.arg == name and isinstance(d, ast.Constant) and d.value is None for a, d in pairs)


def _stores(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store)


def _asks(test: ast.expr, name: str) -> bool:
    """Does a test ask for the input itself: `x`, `not x`, `x is None`, `isinstance(x, list)`, `len(x)`?"""
    if isinstance(test, ast.BoolOp):
        return any(_asks(value, name) for value in test.values)
    if isinstance(test, ast.UnaryOp):
        return _asks(test.operand, name)
    about = test.left if isinstance(test, ast.Compare) else test
    if isinstance(about, ast.Call) and isinstance(about.func, ast.Name) and about.func.id in _ABOUT:
        return _asked(about) == name
    return isinstance(about, ast.Name) and about.id == name
