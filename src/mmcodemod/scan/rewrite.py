"""From a LibCST transformation to edits: the result is diffed line by line against the original."""

from __future__ import annotations

import difflib

import libcst as cst

from mmcodemod.model.fix import Edit


def replaced(module: cst.Module, old: cst.CSTNode, new: cst.BaseStatement | cst.CSTNode) -> str:
    """The code of `module` with one node replaced."""
    changed = module.deep_replace(old, new)
    assert isinstance(changed, cst.Module)
    return changed.code


def edits_between(path: str, before: str, after: str) -> tuple[Edit, ...]:
    """The smallest set of whole-line edits that turns `before` into `after`."""
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
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
