"""Dismissals that say the same again: many of one rule, with one reason and one evidence, become one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from mmcodemod.model.finding import Dismissal

FEW = 3  # equal dismissals that one file may hold
MANY = 30  # files that may hold an equal dismissal
NAMED = 6  # lines that are named


def folded(dismissed: Iterable[Dismissal]) -> list[Dismissal]:
    """The first of more than FEW equal ones of a file, then the first of those of more than MANY files."""
    once = list(dict.fromkeys(dismissed))
    files: dict[object, list[Dismissal]] = {}
    for dismissal in sorted(once, key=lambda d: d.at):
        files.setdefault((dismissal.at.path, *_said(dismissal)), []).append(dismissal)
    trees: dict[object, list[Dismissal]] = {}
    for group in files.values():
        for dismissal in [_first(group, _lines(group))] if len(group) > FEW else group:
            trees.setdefault(_said(dismissal), []).append(dismissal)
    return [d for group in trees.values() for d in _of_tree(group)]


def _said(dismissal: Dismissal) -> tuple[object, ...]:
    return dismissal.rule, dismissal.reason, dismissal.evidence


def _of_tree(group: list[Dismissal]) -> list[Dismissal]:
    paths = list(dict.fromkeys(d.at.path for d in group))
    return [_first(group, f"in {len(paths) - 1} more files")] if len(paths) > MANY else group


def _lines(group: list[Dismissal]) -> str:
    lines = [str(d.at.line) for d in group[1:]]
    more = f" (+{len(lines) - NAMED})" if len(lines) > NAMED else ""
    return f"at line{'s' if len(lines) > 1 else ''} {', '.join(lines[:NAMED])}{more}"


def _first(group: list[Dismissal], others: str) -> Dismissal:
    contexts = tuple(sorted({c for d in group for c in d.contexts}))
    return replace(group[0], reason=f"{group[0].reason}; the same {others}", contexts=contexts)
