"""Datasets that every rank maps for itself: long work that no test on the rank and no context manager around
it, or around the calls that lead there, leaves to one rank first. May-analysis by names."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.facts.body import own_nodes
from mmcodemod.facts.nodes import node_of
from mmcodemod.facts.syntax import unparse, walk
from mmcodemod.knowledge.collectives import COLLECTIVES
from mmcodemod.knowledge.long_work import DATASET_METHODS
from mmcodemod.knowledge.ranks import FILE_LOCKS, MAIN_FIRST
from mmcodemod.model.finding import Note
from mmcodemod.model.frozen import frozen
from mmcodemod.model.grade import How
from mmcodemod.project.alphabet import Alphabet
from mmcodemod.project.bits import Bits
from mmcodemod.project.differs import rank_test, ranks_apart
from mmcodemod.project.divergence import SUMMARIES
from mmcodemod.project.flow import flow_of, holds, start_of
from mmcodemod.project.light import light
from mmcodemod.project.model import Project
from mmcodemod.project.origins import Origins
from mmcodemod.project.sequences import is_work
from mmcodemod.project.stubs import is_stub

MAX_DEPTH, MAX_STEPS = 4, 60
ONE_FIRST = MAIN_FIRST | FILE_LOCKS
IN_MEMORY = frozenset(("from_list", "from_dict", "from_pandas"))


@frozen()
class Mapped:
    """`call` in `function` maps a dataset; `safe` is what makes it quick, or lets one rank go first."""

    function: str
    call: ast.Call
    safe: Note | None

    @property
    def method(self) -> str:
        """`map`, `filter` or `flatten_indices`."""
        return self.call.func.attr if isinstance(self.call.func, ast.Attribute) else ""


def mapped(project: Project) -> list[Mapped]:
    """All of them, in the order of files and lines. Use through `project.get(mapped)`."""
    summaries = project.get(SUMMARIES[Alphabet.WORK])
    found: dict[tuple[str, int, int], Mapped] = {}
    for frame in sorted(summaries.direct):
        for ordinal, letter in summaries.direct[frame].items():
            if is_work(letter) and letter.name in DATASET_METHODS:
                call = node_of(project.index.function(frame.function).body.calls[ordinal])
                key = (frame.function, call.lineno, call.col_offset)
                if key not in found:
                    found[key] = Mapped(frame.function, call, _safe(project, frame.function, call))
    return [found[key] for key in sorted(found)]


def _safe(project: Project, function: str, call: ast.Call) -> Note | None:
    quick = light(project, call, function)
    if quick is not None:
        return Note(quick[0], quick[1])
    return _in_memory(project, function, call) or _ordered(project, function, call, 0)


def _in_memory(project: Project, function: str, call: ast.Call) -> Note | None:
    """Where the dataset is made from objects of this process: what is mapped from it is in no cache that
    another rank could read."""
    todo, seen = [(call.func, function)], set[int]()
    while todo and len(seen) < MAX_STEPS:
        expr, home = todo.pop(0)
        base = expr.value if isinstance(expr, (ast.Attribute, ast.Subscript)) else expr
        for origin in Origins(project).of(base, home):
            made = origin.expr
            if id(made) in seen:
                continue
            seen.add(id(made))
            func = made.func if isinstance(made, ast.Call) else made
            if isinstance(func, ast.Attribute) and func.attr in IN_MEMORY:
                return Note(
                    project.place(origin.function.partition("::")[0], made), "made in memory: no cache"
                )
            if isinstance(func, (ast.Attribute, ast.Subscript)):
                todo.append((func, origin.function))
    return None


def _ordered(project: Project, function: str, node: ast.AST, depth: int) -> Note | None:
    """What lets one rank go first, here or around a call that leads here."""
    path = function.partition("::")[0]
    test = rank_test(project, function, node)
    if test is not None:
        return Note(project.place(path, test), f"`{unparse(test)}` may hold on some ranks alone")
    waits = _waits(project, function, node)
    if waits is not None:
        return Note(project.place(path, waits.test), "some ranks wait here for the others")
    for first in _first(project, function):
        if holds(first[0], node):
            return Note(project.place(path, first[1]), "one rank goes first, the others read its cache")
    for edge in project.callers(function) if depth < MAX_DEPTH else ():
        inside = edge.site is not None and edge.how is not How.NAME_ONLY and not is_stub(edge.caller.function)
        found = _ordered(project, edge.caller.function, edge.call, depth + 1) if inside else None
        if found is not None:
            return found
    return None


def _first(project: Project, function: str) -> Iterator[tuple[ast.With, ast.expr]]:
    """The blocks of a function in which the main rank, or whichever takes a lock, goes first."""
    for node in own_nodes(project.index.function(function).node):
        for item in node.items if isinstance(node, ast.With) else ():
            entered = item.context_expr
            func = entered.func if isinstance(entered, ast.Call) else entered
            word = func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")
            if isinstance(node, ast.With) and word in ONE_FIRST:
                yield node, entered


def _waits(project: Project, function: str, node: ast.AST) -> ast.If | None:
    """A test before a node under which some ranks wait in a collective for the others."""
    for statement in flow_of(project, function).statements:
        if isinstance(statement, ast.If) and start_of(statement) < start_of(node):
            calls = [n for n in walk(statement) if isinstance(n, ast.Call)]
            waits = any(project.names(c.func, function) & COLLECTIVES.keys() for c in calls)
            if waits and ranks_apart(project, function, statement.test) & Bits.RANK:
                return statement
    return None
