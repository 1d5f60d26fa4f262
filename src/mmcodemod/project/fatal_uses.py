"""Uses of a value that surely raise where it is None: what Python cannot iterate, measure, index, calculate
with, or take as a path. Must-analysis.

Source: the language reference, 6 (expressions), and the standard library, run with None on CPython 3.10 to
3.13: tests/test_unset_options.py calls every function that is named here.
"""

from __future__ import annotations

import ast
from collections.abc import Container, Iterator

from mmcodemod.facts.syntax import walk
from mmcodemod.model.frozen import frozen
from mmcodemod.project.model import Project

_CONVERTERS = ("enumerate", "float", "frozenset", "int", "iter", "list", "reversed", "set", "sorted", "tuple")
BUILTINS = frozenset((*_CONVERTERS, "len", "open", "range", "zip"))
PATHS = frozenset(("abspath", "basename", "dirname", "exists", "expanduser", "isdir", "isfile", "join"))
MODULES = frozenset(("pathlib.Path", "pathlib.PurePath", "os.makedirs", "json.loads"))
_PATH_MODULES = ("os.path", "posixpath")
_EVERY = ("join", "range", "zip")  # of their arguments none may be None
_OF_NONE = frozenset(dir(None))
_ORDERS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
_NUMBERS = ("int", "float", "len", "str")


@frozen()
class Use:
    """What Python says of None there, and why."""

    error: str
    why: str


def fatal_use(project: Project, node: ast.expr, function: str, options: Container[int] = ()) -> Use | None:
    """How an expression is used that is surely evaluated and may not be None; None for other uses. `options`:
    the ids of further nodes that are texts, numbers or None."""
    path = function.partition("::")[0]
    holder = project.once(_holders, path).get(id(node))
    if isinstance(holder, ast.Attribute):
        known = holder.attr in _OF_NONE
        return None if known else Use("AttributeError", f"None has no `{holder.attr}`")
    if isinstance(holder, ast.Call):
        called = _taker(project, holder, node, function)
        return Use("TypeError", f"`{called}` takes no None") if called else None
    if _is_iterated(node, holder) and not isinstance(_around(project, holder, path), ast.GeneratorExp):
        return Use("TypeError", "None cannot be iterated")
    if isinstance(holder, ast.Subscript) and holder.value is node:
        return Use("TypeError", "None has no items")
    if isinstance(holder, ast.Compare) and _is_compared(node, holder, options):
        return Use("TypeError", "None has no order and holds nothing")
    if _is_calculated_with(node, holder, options):
        return Use("TypeError", "None is no number and no text")
    return None


def _holders(project: Project, path: str) -> dict[int, ast.AST]:
    """What each node of a file stands in, by its id."""
    tree = project.index.files[path].tree
    return {id(inner): node for node in walk(tree) for inner in ast.iter_child_nodes(node)}


def statement_of(project: Project, node: ast.expr, path: str) -> ast.stmt | None:
    """The innermost statement that an expression stands in."""
    holders = project.once(_holders, path)
    held = holders.get(id(node))
    while held is not None and not isinstance(held, ast.stmt):
        held = holders.get(id(held))
    return held


def _around(project: Project, node: ast.AST | None, path: str) -> ast.AST | None:
    return project.once(_holders, path).get(id(node))


def _is_iterated(node: ast.expr, holder: ast.AST | None) -> bool:
    """Does Python ask it for its items at once?"""
    if isinstance(holder, (ast.For, ast.AsyncFor)):
        return holder.iter is node and isinstance(holder, ast.For)
    if isinstance(holder, ast.keyword):
        return holder.arg is None
    return isinstance(holder, (ast.comprehension, ast.Starred))


def _taker(project: Project, call: ast.Call, node: ast.expr, function: str) -> str:
    """The name of a function that an argument of a call may not be None for; "" for others."""
    if node not in call.args:
        return ""
    name = _known(project, call.func, function)
    last = name.rpartition(".")[2]
    return name if name and (node is call.args[0] or last in _EVERY) else ""


def _known(project: Project, func: ast.expr, function: str) -> str:
    """The function of the standard library that surely is called; "" for others."""
    if isinstance(func, ast.Name) and func.id in BUILTINS:
        shadowed = project.once(_bound_in_file, function.partition("::")[0])
        return "" if func.id in shadowed or "*" in shadowed else func.id
    names = project.names(func, function)
    name = next(iter(names)) if len(names) == 1 else ""
    module, _, last = name.rpartition(".")
    return name if name in MODULES or (module in _PATH_MODULES and last in PATHS) else ""


def _bound_in_file(project: Project, path: str) -> frozenset[str]:
    """Every name that some line of a file binds; "*" where another module may bind more."""
    return frozenset(n for node in walk(project.index.files[path].tree) for n in _bound(node))


def _bound(node: ast.AST) -> Iterator[str]:
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        yield node.name
    elif isinstance(node, ast.alias):
        yield (node.asname or node.name).partition(".")[0]
    elif isinstance(node, ast.arg):
        yield node.arg
    elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        yield node.id


def _is_compared(node: ast.expr, test: ast.Compare, options: Container[int]) -> bool:
    """Is it the second of `x in y`, or one of `x < y`? Other comparisons take None."""
    first, second = test.left, test.comparators[0]
    if node not in (first, second):
        return False
    if isinstance(test.ops[0], (ast.In, ast.NotIn)):
        return node is second
    return isinstance(test.ops[0], _ORDERS) and _is_plain(second if node is first else first, options)


def _is_calculated_with(node: ast.expr, holder: ast.AST | None, options: Container[int]) -> bool:
    """With a text or a number: an object of another class may know what to do with None."""
    if isinstance(holder, ast.UnaryOp):
        return isinstance(holder.op, (ast.USub, ast.UAdd, ast.Invert))
    if not isinstance(holder, ast.BinOp):
        return False
    shown = isinstance(holder.op, ast.Mod) and holder.right is node  # `"%s" % None` is a text
    return not shown and _is_plain(holder.right if holder.left is node else holder.left, options)


def _is_plain(node: ast.expr, options: Container[int]) -> bool:
    """Is it surely a text, a number or None?"""
    if isinstance(node, ast.BinOp):
        return _is_plain(node.left, options) and _is_plain(node.right, options)
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id in _NUMBERS
    return isinstance(node, (ast.Constant, ast.JoinedStr)) or id(node) in options
