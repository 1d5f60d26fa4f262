"""From a LibCST transformation to edits: the result is diffed line by line against the original."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from functools import lru_cache

import libcst as cst

from mmcodemod.model.fix import Edit
from mmcodemod.scan.walk import around, by_kind
from mmcodemod.source.lines import raw_lines


@lru_cache(maxsize=4)
def module_of(text: str) -> cst.Module:
    """The LibCST module of a text: one for who confirms a site in a file and who mends it just afterwards."""
    return cst.parse_module(text)


def parsed(text: str) -> cst.Module | None:
    """The LibCST module of a text; None when LibCST cannot read it."""
    try:
        return module_of(text)
    except (cst.ParserSyntaxError, RecursionError):
        return None


class Around(cst.CSTTransformer):
    """Changes what is around `nodes` of a module (those that hold them, and themselves) and leaves the rest
    unvisited: to visit all nodes of a file takes as long as to parse it."""

    def __init__(self, module: cst.Module, nodes: Sequence[cst.CSTNode]) -> None:
        super().__init__()
        self._around = around(module, nodes)

    def on_visit(self, node: cst.CSTNode) -> bool:
        return super().on_visit(node) and node in self._around


class ElseArm(Around):
    """Gives the `if` at `node` an `else` with the statements of `lines`.

    before: if picture is not None:
                merge(picture)
    after:  if picture is not None:
                merge(picture)
            else:
                merge(nothing)
    """

    def __init__(self, node: cst.CSTNode, lines: str, module: cst.Module) -> None:
        super().__init__(module, [node])
        self.node = node
        self.body = [cst.parse_statement(line, module.config_for_parsing) for line in _statements(lines)]

    def leave_If(self, original_node: cst.If, updated_node: cst.If) -> cst.BaseStatement:
        if original_node is not self.node or original_node.orelse is not None:
            return updated_node
        return updated_node.with_changes(orelse=cst.Else(cst.IndentedBlock(self.body)))


def _statements(lines: str) -> list[str]:
    """One text a statement: comments stay with the line below."""
    found, comments = [], ""
    for line in lines.splitlines(keepends=True):
        comments += line
        if not line.startswith("#"):
            found.append(comments)
            comments = ""
    return found


def with_else(path: str, text: str, ordinal: int, lines: str) -> tuple[Edit, ...]:
    """The edits that give the `if` of this ordinal an `else` of simple statements; () when it cannot be."""
    module = parsed(text)
    if module is None:
        return ()
    node = by_kind(module, {"If"})["If"][ordinal]
    return edits_between(path, text, module.visit(ElseArm(node, lines, module)).code)


def edits_between(path: str, before: str, after: str) -> tuple[Edit, ...]:
    """The smallest set of whole-line edits that turns `before` into `after`."""
    old, new = raw_lines(before), raw_lines(after)
    found = []
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    for tag, i, j, k, m in matcher.get_opcodes():
        if tag != "equal":
            found.append(Edit(path, _position(old, i), _position(old, j), "".join(new[k:m])))
    return tuple(found)


def _position(lines: list[str], index: int) -> tuple[int, int]:
    """The start of line `index` (0-based); the end of the text when it is behind the last line."""
    if index < len(lines) or not lines or lines[-1].endswith(("\n", "\r")):
        return (index + 1, 1)
    return (len(lines), len(lines[-1]) + 1)
