"""Does a run come by a place? Fatal when the tests around it and around the calls that lead to it all let the
run in, excluded when a setting of the run keeps it out of every way, unclear when a test stays open."""

from __future__ import annotations

import ast

from mmcodemod.facts.syntax import unparse
from mmcodemod.model.context import Context, Entry
from mmcodemod.model.finding import Note
from mmcodemod.model.grade import How
from mmcodemod.model.verdict import Answer, Excluded, Fatal, Unclear, doubt, easiest
from mmcodemod.project.callgraph import Edge
from mmcodemod.project.chosen_modules import imports_of
from mmcodemod.project.flow import flow_of
from mmcodemod.project.model import Project
from mmcodemod.project.rare_rounds import in_time
from mmcodemod.project.reach import Reach
from mmcodemod.project.settings import Settings, truths
from mmcodemod.project.skipped import skipped_by

MAX_DEPTH = 4

Tests = frozenset[tuple[ast.If, bool]]
"""Tests of one function, each with the outcome that leads to a place."""


def comes_by(
    project: Project,
    context: Context,
    function: str,
    node: ast.AST,
    depth: int = 0,
    settled: Tests = frozenset(),
) -> Answer:
    """Does the run with `context` come by `node` in `function`, which it may reach? `settled`: tests of the
    function that are no doubt."""

    def judge(run: Context) -> Answer:
        return _comes_by(project, run, function, node, depth, settled)

    kind = f"comes by in {function} from {depth} below"
    return judge(context) if settled else project.judging.once(context, node, kind, judge)


def _comes_by(
    project: Project, context: Context, function: str, node: ast.AST, depth: int, settled: Tests
) -> Answer:
    here = (
        _here(project, context, function, node, settled)
        if settled
        else _known(project, context, function, node)
    )
    if isinstance(here, Excluded) or depth >= MAX_DEPTH or context.entry is None:
        return here
    calls = leading_to(project, context.entry, function)
    ways = (_by_call(project, context, e, depth + 1) for e in calls)
    way = easiest(ways)
    return here if doubt(here) >= doubt(way) else way


def _by_call(project: Project, context: Context, edge: Edge, depth: int) -> Answer:
    """By one call; where tests choose the module that it goes into, by one of the imports, too."""
    way = comes_by(project, context, edge.caller.function, edge.call, depth)
    imports = imports_of(project, edge) if not isinstance(way, Excluded) else []
    if not imports:
        return way
    chosen = easiest(_known(project, context, function, node) for function, node in imports)
    return way if doubt(way) >= doubt(chosen) else chosen


def leading_to(project: Project, entry: Entry, function: str) -> list[Edge]:
    """The calls in the tree by which a run gets into a function, each once, those by a mere name left out."""
    return project.once(_calls_into, entry, function)


def _calls_into(project: Project, entry: Entry, function: str) -> list[Edge]:
    reach, found = project.reach(entry), dict[tuple[str, int], Edge]()
    for edge in project.callers(function):
        if edge.site is not None and edge.how is not How.NAME_ONLY and _runs(edge.caller.function, reach):
            found.setdefault((edge.caller.function, id(edge.site)), edge)
    return list(found.values())


def _runs(function: str, reach: Reach) -> bool:
    return function in reach and not function.startswith("<")


def decided_against(project: Project, context: Context, function: str, node: ast.AST) -> str:
    """The test in the function that the run's settings, or the code alone, decide against a place; "" where
    none is."""
    for asked, outcome in flow_of(project, function).tests(node):
        if truths(project, context, asked.test, function) == {not outcome}:
            return unparse(asked.test)
    return ""


def open_tests(project: Project, context: Context, function: str, node: ast.AST) -> Tests:
    """The tests around a place, in its function, whose outcome does not show."""
    tests = flow_of(project, function).tests(node)
    return frozenset((t, o) for t, o in tests if truths(project, context, t.test, function) != {o})


def _known(project: Project, context: Context, function: str, node: ast.AST) -> Answer:
    """What the tests around a place say: the ways to many places lead through the same calls."""

    def judge(run: Context) -> Answer:
        return _here(project, run, function, node, frozenset())

    return project.judging.once(context, node, f"comes by in {function}", judge)


def _here(project: Project, context: Context, function: str, node: ast.AST, settled: Tests) -> Answer:
    """What the tests of the function itself say."""
    skipped = skipped_by(project, context, function, node)
    if skipped is not None:
        return Excluded(skipped)
    late = in_time(project, context, function, node)
    if isinstance(late, (Excluded, Unclear)):
        return late
    tests = [t for t in flow_of(project, function).tests(node) if t not in settled]
    for asked, outcome in tests:
        if truths(project, context, asked.test, function) != {outcome}:
            return Unclear(f"whether `{unparse(asked.test)}` is {'true' if outcome else 'false'}")
    return Fatal(_let_in(project, context, function, [asked.test for asked, _ in tests]))


def _let_in(project: Project, context: Context, function: str, tests: list[ast.expr]) -> Note | None:
    """The setting of the launch by which tests let the run in; none where they rest on no such."""
    settings = Settings(project, context)
    read = (s for test in tests for s in settings.read_by(test, function) if s.given)
    given = min(((s.at, s.name, s.value) for s in read if s.at), default=None)
    return Note(given[0], f"{given[1]} is {given[2]}") if given else None
