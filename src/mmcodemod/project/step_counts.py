"""What a number of steps is counted in: a plain number, batches of a loader before or after accelerate shares
it out, or the number of processes. May-analysis of one context; OPEN stands for what does not show."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from itertools import islice, product

from mmcodemod.facts.body import own_nodes
from mmcodemod.facts.definitions import bare_name
from mmcodemod.facts.syntax import unparse, walk
from mmcodemod.knowledge.ranks import WORLD_SIZES
from mmcodemod.knowledge.wrappers import PREPARED
from mmcodemod.project.flow import flow_of, start_of
from mmcodemod.project.model import Project
from mmcodemod.project.origins import Origin
from mmcodemod.project.settings import Settings
from mmcodemod.project.wrapping import wrapped


class Part(Enum):
    """One part of a number of steps."""

    PLAIN = "plain"  # a number that somebody writes down
    NONE = "none"  # zero
    WHOLE = "whole"  # the length of what no wrapper has shared out among processes
    SHARE = "share"  # the length of one process's share
    RANKS = "ranks"  # the number of processes
    OPEN = "open"


Parts = frozenset[Part]
Ways = tuple[Parts, ...]
"""Each once, in a fixed order: the members of a set come in the order of Python's hash seed."""

_ROUNDS = frozenset(("int", "float", "round", "max", "min", "abs", "ceil", "floor"))
MAX_WAYS = 16
MAX_DEPTH = 12


class StepCounts:
    """The ways in which one context may come to a number of steps, each with its parts."""

    def __init__(self, project: Project, settings: Settings) -> None:
        self.project = project
        self.settings = settings

    def of(self, expr: ast.expr, function: str, depth: int = 0) -> Ways:
        """What `expr` in `function` is counted in, a set of parts for each way."""
        if any(bare_name(n) in WORLD_SIZES for n in walk(expr)):
            return _one(Part.RANKS)
        if depth > MAX_DEPTH:
            return _one(Part.OPEN)
        ends = [o for o in self.settings.origins(expr, function) if not self._later(o, expr, function)]
        found = (self._end(end.expr, end.function, depth + 1) for end in ends)
        return _ways(way for ways in found for way in ways) or _one(Part.OPEN)

    def _later(self, end: Origin, expr: ast.expr, function: str) -> bool:
        """Is it worked out anew behind the use, with no loop that leads back?"""
        if end.function != function or end.expr.lineno <= (expr.end_lineno or expr.lineno):
            return False
        loops = flow_of(self.project, function).loops(end.expr)
        return not any(loop.lineno <= expr.lineno for loop in loops)

    def _end(self, expr: ast.expr, function: str, depth: int) -> Ways:
        if any(bare_name(n) in WORLD_SIZES for n in walk(expr)):
            return _one(Part.RANKS)
        if isinstance(expr, ast.BinOp):
            return self._joined((expr.left, expr.right), function, depth)
        if isinstance(expr, ast.Call) and bare_name(expr.func) in _ROUNDS and expr.args:
            return self._joined(expr.args, function, depth)
        if isinstance(expr, ast.Call) and bare_name(expr.func) == "len" and len(expr.args) == 1:
            return _one(self._length(expr.args[0], function))
        if isinstance(expr, ast.Attribute):
            stored = list(self._stored(expr, function))
            ways = [w for value in stored for w in self.of(value, function, depth + 1)]
            return _ways((*ways, *self._plain(expr, function, bool(stored))))
        return _ways(self._plain(expr, function, False)) or _one(Part.OPEN)

    def _joined(self, parts: Sequence[ast.expr], function: str, depth: int) -> Ways:
        ways = [self.of(part, function, depth) for part in parts]
        return _ways(frozenset[Part]().union(*way) for way in islice(product(*ways), MAX_WAYS))

    def _length(self, given: ast.expr, function: str) -> Part:
        wrap = wrapped(self.project, given, function)
        if wrap is None:
            return Part.WHOLE
        return Part.OPEN if wrap.by != PREPARED or wrap.mixed else Part.SHARE

    def _plain(self, expr: ast.expr, function: str, stored: bool) -> Iterator[Parts]:
        """As a setting; where None is stored over, it is none of the ways."""
        for value in sorted({s.value for s in self.settings.of(expr, function)}, key=repr):
            number = isinstance(value, (int, float)) and not isinstance(value, bool)
            if not (value is None and stored):
                yield frozenset((Part.OPEN if not number else Part.PLAIN if value else Part.NONE,))

    def _stored(self, expr: ast.Attribute, function: str) -> Iterator[ast.expr]:
        """What the function stores in an attribute of that text before it is read, where tests let it."""
        text = unparse(expr)
        for node in own_nodes(self.project.index.function(function).node):
            if isinstance(node, ast.Assign) and start_of(node) < start_of(expr):
                if any(unparse(t) == text for t in node.targets) and self._runs(node, function):
                    yield node.value

    def _runs(self, node: ast.stmt, function: str) -> bool:
        tests = flow_of(self.project, function).tests(node)
        return all(outcome in self.settings.truths(t.test, function) for t, outcome in tests)


def _one(part: Part) -> Ways:
    return (frozenset((part,)),)


def _ways(found: Iterable[Parts]) -> Ways:
    return tuple(sorted(frozenset(found), key=lambda way: sorted(part.value for part in way))[:MAX_WAYS])
