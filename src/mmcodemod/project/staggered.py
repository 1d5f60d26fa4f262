"""Barriers at the two ends of a context manager, of which each makes good for the other: half of the ranks
wait in `__enter__`, the other half in `__exit__`."""

from __future__ import annotations

import ast

from mmcodemod.facts.syntax import unparse
from mmcodemod.model.finding import Note
from mmcodemod.project.divergence import Cause, Divergence, plain
from mmcodemod.project.guards import conjuncts
from mmcodemod.project.model import Project
from mmcodemod.project.rank_tests import node_of

_OTHER_END = {"__enter__": "__exit__", "__exit__": "__enter__"}


def other_half(project: Project, found: Divergence) -> Note | None:
    """Where the other half of the ranks makes the same calls, at the other end of the context manager."""
    owner, _, name = found.frame.function.rpartition(".")
    end = f"{owner}.{_OTHER_END.get(name, '')}"
    called = _called(found) if name in _OTHER_END else []
    for peer in project.get(plain) if called else ():
        if peer.frame.function == end and _called(peer) == called and _apart(project, peer, found):
            at = min(letter.at for letter in peer.then if letter.at)
            return Note(at, "the other half of the ranks waits here")
    return None


def _called(found: Divergence) -> list[tuple[str, str]]:
    """The collectives of the ranks for which the test holds; none where the others make some, too."""
    alone = found.cause is Cause.ARM and not found.orelse and all(letter.at for letter in found.then)
    return sorted((letter.name, letter.group) for letter in found.then) if alone else []


def _apart(project: Project, one: Divergence, other: Divergence) -> bool:
    """Does exactly one of the two tests hold on each rank?"""
    mine, its = _parity(project, one), _parity(project, other)
    return bool(mine and its) and {m[0] for m in mine} == {i[0] for i in its} and mine != its


def _parity(project: Project, found: Divergence) -> set[tuple[str, str]]:
    """(rank, remainder) of `rank % 2 == 1` in the test."""
    test = getattr(node_of(project, found), "test", None)
    asked = (_remainder(part) for part in (conjuncts(test) if test else ()))
    return {part for part in asked if part is not None}


def _remainder(part: ast.expr) -> tuple[str, str] | None:
    if not isinstance(part, ast.Compare) or not isinstance(part.left, ast.BinOp):
        return None
    by, right = unparse(part.left.right), unparse(part.comparators[0])
    halves = isinstance(part.left.op, ast.Mod) and isinstance(part.ops[0], ast.Eq) and len(part.ops) == 1
    return (unparse(part.left.left), right) if halves and by == "2" and right in ("0", "1") else None
