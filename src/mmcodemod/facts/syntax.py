"""Python source as `ast` trees: parsing, and small questions about statements and places."""

from __future__ import annotations

import ast
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from mmcodemod.model.pattern import regex
from mmcodemod.model.place import Place

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef | ast.Module
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


@dataclass(unsafe_hash=True)  # not frozen: whatever handles an exception sets its traceback
class ParseError(Exception):
    """Why `ast` rejects a file; `line` from 1, 0 when unknown."""

    message: str
    line: int = 0


def parse(data: bytes | str) -> ast.Module:
    """Parse Python source without compiling it; of a text, the encoding that it declares is not asked.

    Raises:
        ParseError: for syntax errors, null bytes, and nesting that the parser cannot take.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(data)
    except SyntaxError as error:
        raise ParseError(_said(error), error.lineno or 0) from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise ParseError(f"{type(error).__name__}: {error}") from None


_GENERIC = regex(r"\s*(?:(?:async\s+)?def|class)\s+\w+\s*\[|\s*type\s+\w+\s*(?:\[.*\])?\s*=")  # PEP 695
_F_STRING = "f-string"  # how errors about them begin; PEP 701 allows more of them


def _said(error: SyntaxError) -> str:
    """What is wrong, and whether a later Python may read it."""
    told = error.msg or "invalid syntax"
    newer = told.startswith(_F_STRING) or _GENERIC.match(error.text or "")
    if not newer or sys.version_info >= (3, 12):
        return told
    return f"{told}; Python 3.12 or later may read this: run mmcodemod with one"


def blocks(statement: ast.stmt) -> Iterator[list[ast.stmt]]:
    """The statement lists inside a compound statement, in source order."""
    for name in ("body", "handlers", "orelse", "finalbody", "cases"):
        inner = getattr(statement, name, None)
        if not inner:
            continue
        if name in ("handlers", "cases"):
            for part in inner:
                yield part.body
        else:
            yield inner


def walk(node: ast.AST) -> Iterator[ast.AST]:
    """What `ast.walk` gives, in its order, contexts (`ast.Load`) and operators left out, in a third of the
    time."""
    nodes = [node]
    for current in nodes:
        yield current
        kind = current.__class__
        if kind is not ast.Name and kind is not ast.Constant:  # half of them
            of = MOST.get(kind)
            nodes += of(current) if of is not None else children(current)


def children(node: ast.AST) -> list[ast.AST]:
    """What `ast.iter_child_nodes` gives, contexts and operators left out."""
    kind = node.__class__
    of = MOST.get(kind)
    if of is not None:
        return of(node)
    names = _HOLDERS.get(kind)
    if names is None:
        names = _HOLDERS[kind] = tuple([name for name in node._fields if name not in _PLAIN])
    found: list[ast.AST] = []
    for name in names:
        part = getattr(node, name, None)
        if isinstance(part, list):
            found += part if name not in _MIXED else [n for n in part if isinstance(n, ast.AST)]
        elif isinstance(part, ast.AST):
            found.append(part)
    return found


MOST: dict[type[ast.AST], Callable[[Any], list[ast.AST]]] = {
    ast.Assign: lambda node: [*node.targets, node.value],
    ast.Attribute: lambda node: [node.value],
    ast.BinOp: lambda node: [node.left, node.right],
    ast.BoolOp: lambda node: [*node.values],
    ast.Call: lambda node: [node.func, *node.args, *node.keywords],
    ast.Compare: lambda node: [node.left, *node.comparators],
    ast.Constant: lambda node: [],
    ast.Expr: lambda node: [node.value],
    ast.If: lambda node: [node.test, *node.body, *node.orelse],
    ast.List: lambda node: [*node.elts],
    ast.Name: lambda node: [],
    ast.Subscript: lambda node: [node.value, node.slice],
    ast.Tuple: lambda node: [*node.elts],
    ast.alias: lambda node: [],
    ast.keyword: lambda node: [node.value],
}
"""The children of those nodes that are most of a tree: to look their fields up takes half as long again."""

_PLAIN = frozenset(("ctx", "id", "attr", "arg", "kind", "op", "ops"))
_MIXED = frozenset(("keys", "kw_defaults", "kwd_attrs", "names"))  # fields whose lists hold more than nodes
_HOLDERS: dict[type[ast.AST], tuple[str, ...]] = {}
"""Those of the fields of each other class of nodes that may hold nodes to look at."""


def unparse(node: ast.AST) -> str:
    """What `ast.unparse` gives; names and their attributes, which most are, without its machinery."""
    parts: list[str] = []
    now = node
    while isinstance(now, ast.Attribute):
        parts.append(now.attr)
        now = now.value
    return ".".join([now.id, *reversed(parts)]) if isinstance(now, ast.Name) else ast.unparse(node)


def is_main_guard(statement: ast.AST) -> bool:
    """Is it `if __name__ == "__main__":`?"""
    test = getattr(statement, "test", None)
    return isinstance(statement, ast.If) and _names_main(test)


def _names_main(test: ast.expr | None) -> bool:
    return (
        isinstance(test, ast.Compare)
        and isinstance(test.left, ast.Name)
        and test.left.id == "__name__"
        and any(isinstance(c, ast.Constant) and c.value == "__main__" for c in test.comparators)
    )


_NON_ASCII = regex(r"[^\x00-\x7f]")


def place_of(path: str, node: Any, lines: list[str]) -> Place:
    """The place of an `ast` node or a call; columns counted in code points (ast counts UTF-8 bytes)."""
    line, end = node.lineno, node.end_lineno or node.lineno
    start, last = _column(lines, line, node.col_offset), _column(lines, end, node.end_col_offset or 0)
    return Place(path, line, start, end, last)


def _column(lines: list[str], line: int, offset: int) -> int:
    text = lines[line - 1] if line <= len(lines) else ""
    if _NON_ASCII.search(text):
        return len(text.encode()[:offset].decode(errors="replace")) + 1
    return offset + 1
