"""Bodies of functions that are let go, and read again when somebody looks: where one function of a file is
looked at, most others are not. That cannot be told: nobody has seen the nodes that are read again."""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Callable, Iterator
from functools import partial
from itertools import accumulate
from typing import Any

from mmcodemod.facts.body import forget_nodes
from mmcodemod.facts.outline import Outline
from mmcodemod.facts.syntax import parse

Definition = ast.FunctionDef | ast.AsyncFunctionDef
FEW = 4  # lines of functions that are kept: they take hardly more than a LateBody


class LateBody(list[ast.stmt]):
    """The statements of a function, read when somebody first looks at one, or asks how many there are."""

    __slots__ = ("_read",)

    def __init__(self, read: Callable[[], list[ast.stmt]]) -> None:
        super().__init__()
        self._read: Callable[[], list[ast.stmt]] | None = read

    def _fill(self) -> list[ast.stmt]:
        if self._read is not None:
            self.extend(self._read())
            self._read = None
        return self

    def __iter__(self) -> Iterator[ast.stmt]:
        self._fill()
        return super().__iter__()

    def __reversed__(self) -> Iterator[ast.stmt]:
        self._fill()
        return super().__reversed__()

    def __len__(self) -> int:
        self._fill()
        return super().__len__()

    def __getitem__(self, at: Any) -> Any:
        self._fill()
        return super().__getitem__(at)

    def __contains__(self, node: object) -> bool:
        self._fill()
        return super().__contains__(node)

    def __eq__(self, other: object) -> bool:
        return list(self) == other

    def __add__(self, other: list[Any]) -> list[Any]:
        return [*self, *other]

    def __radd__(self, other: list[Any]) -> list[Any]:
        return [*other, *self]

    def index(self, node: ast.stmt, *within: Any) -> int:
        self._fill()
        return super().index(node, *within)


def let_go(found: Outline, data: Callable[[], bytes], kept: frozenset[str] = frozenset()) -> None:
    """Let go the bodies of a file's functions, but not of `kept`, which somebody has looked at, nor of those
    with definitions inside. `data` gives the bytes of the file."""
    text = data()
    if not _is_utf8(text):
        return
    starts = [0, *accumulate(map(len, text.splitlines(keepends=True)))]
    holders = {f.parent for f in found.functions.values()} | {c.scope for c in found.classes.values()}
    staying = holders | kept | set(found.lambdas.values())
    for function in found.functions.values():
        node = function.node
        if function.qualname not in staying and not isinstance(node, ast.Module) and _is_long(node):
            node.body = _late(node, data, starts)
            forget_nodes(node)


def _is_utf8(text: bytes) -> bool:
    """Does a part of the file mean what it means in the file?"""
    return tokenize.detect_encoding(io.BytesIO(text).readline)[0].startswith("utf-8")


def _is_long(node: Definition) -> bool:
    return (node.end_lineno or 0) - node.lineno >= FEW


def _late(node: Definition, data: Callable[[], bytes], starts: list[int]) -> LateBody:
    line, indented = node.lineno, node.col_offset > 0
    begin, end = starts[line - 1], starts[node.end_lineno or line]
    return LateBody(partial(_statements, data, (begin, end), line, indented))


def _statements(
    data: Callable[[], bytes], part: tuple[int, int], line: int, indented: bool
) -> list[ast.stmt]:
    """The body of the function that a part of the data defines, at the places that it has in its file."""
    above = b"\n" * (line - 2) + b"if 1:\n" if indented else b"\n" * (line - 1)
    below = b"\n"  # a backslash may end the last line, and join it with an empty one
    (node,) = parse(above + data()[slice(*part)] + below).body
    function = node.body[0] if isinstance(node, ast.If) else node
    assert isinstance(function, Definition)
    return function.body
