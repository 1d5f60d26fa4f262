"""Does the rank that takes the one side of a divergence get to a collective there? The tests around it,
around the calls that lead to it and those of its function must let the run in; tests on the rank, and on
how far the run has come, are no doubt."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence

from mmcodemod.facts.body import Via
from mmcodemod.facts.definitions import bare_name
from mmcodemod.facts.nodes import NodeSource
from mmcodemod.facts.syntax import unparse, walk
from mmcodemod.knowledge.ranks import WORLD_SIZES
from mmcodemod.model.context import Context
from mmcodemod.model.verdict import Answer, Excluded, Fatal, Unclear, doubt, easiest
from mmcodemod.project.answers import both, doubted
from mmcodemod.project.asked_within import open_within
from mmcodemod.project.bits import Bits
from mmcodemod.project.callsites import CallSites
from mmcodemod.project.comes_by import MAX_DEPTH, Tests, comes_by, leading_to
from mmcodemod.project.differs import ranks_apart
from mmcodemod.project.divergence import Divergence
from mmcodemod.project.flow import flow_of
from mmcodemod.project.model import Project
from mmcodemod.project.parts_of_tests import parts_of
from mmcodemod.project.passed_on import kept_off
from mmcodemod.project.rank_tests import call_at
from mmcodemod.project.sequences import Letter
from mmcodemod.project.settings import Settings, truths
from mmcodemod.project.sides import Sides

_OF_SEVERAL: dict[type, bool] = {ast.Gt: True, ast.NotEq: True, ast.Eq: False, ast.LtE: False}
"""What comparing the number of ranks with 1 gives."""


NoDoubt = Callable[[Project, Context, str, ast.expr, bool], bool]


def _nothing(project: Project, context: Context, function: str, part: ast.expr, outcome: bool) -> bool:
    return False


def let_in(project: Project, context: Context, found: Divergence, letters: Sequence[Letter]) -> Answer:
    """Fatal where every test lets the run get to one of the letters; a note where a test stays open."""
    return easiest(_to_letter(project, context, found, letter) for letter in letters)


def _to_letter(project: Project, context: Context, found: Divergence, letter: Letter) -> Answer:
    """What the tests in the function of the divergence, before it and on the calls behind it come to."""
    off = kept_off(project, context, letter)
    if off is not None:
        return Excluded(off)
    steps: list[tuple[str, ast.AST]] = [(e.caller.function, e.call) for e in letter.via if e.site is not None]
    own = call_at(project, letter, found.frame)
    steps += [(found.frame.function, own)] if own is not None else []
    if not steps:
        return Fatal()
    if context.entry is None:  # a configuration without a launch: what no run passes
        here = let_by(project, context, *steps[0])
        return here if isinstance(here, Excluded) else Fatal()
    answer = comes_in(project, context, *steps[0])
    for function, call in steps[1:]:
        answer = both(answer, let_by(project, context, function, call))
    return answer


def comes_in(
    project: Project,
    context: Context,
    function: str,
    node: ast.AST,
    depth: int = 0,
    besides: NoDoubt = _nothing,
) -> Answer:
    """The easiest way to a node, over the calls of its function; `besides` says which tests are no doubt,
    either."""
    here = let_by(project, context, function, node, besides=besides)
    if isinstance(here, Excluded) or depth == MAX_DEPTH or context.entry is None:
        return here
    calls = leading_to(project, context.entry, function)
    ways = (comes_in(project, context, e.caller.function, e.call, depth + 1, besides) for e in calls)
    return both(here, easiest(ways))


def from_start(project: Project, context: Context, function: str, besides: NoDoubt = _nothing) -> Answer:
    """Do the tests on the calls above a function, however far, let the run in? Fatal where one way from the
    start has no other tests, else the open test that is nearest to the function."""
    if context.entry is None:
        return Fatal()
    seen, left, kept = {function}, [function], list[Answer]()
    while left:
        calls = leading_to(project, context.entry, left.pop(0))
        if not calls:
            return Fatal()
        for edge in (e for e in calls if e.caller.function not in seen):
            here = let_by(project, context, edge.caller.function, edge.call, besides=besides)
            kept.append(here)
            if isinstance(here, Fatal):
                seen.add(edge.caller.function)
                left.append(edge.caller.function)
    return min((k for k in kept if not isinstance(k, Fatal)), key=doubt, default=Fatal())


def let_by(
    project: Project,
    context: Context,
    function: str,
    node: ast.AST,
    settled: Tests = frozenset(),
    besides: NoDoubt = _nothing,
) -> Answer:
    """What the tests in the function itself say; an open one is nothing to be loud about."""
    known = settled | frozenset(_settled(project, context, function, node, besides))
    answer = comes_by(project, context, function, node, MAX_DEPTH, known)
    if isinstance(answer, Unclear):
        return doubted(Fatal(), answer.fact, plausible=False)
    return doubted(answer, _within(project, context, function, node), plausible=False)


def _within(project: Project, context: Context, function: str, node: ast.AST) -> str:
    """What else the functions ask for that make the tests on the rank; "" for nothing."""

    def settled(inside: str, part: ast.expr, outcome: bool) -> bool:
        return no_doubt(project, context, inside, part, outcome)

    for asked, outcome in flow_of(project, function).tests(node):
        for part in parts_of(asked.test, outcome):
            if isinstance(part, ast.Call) and _side(project, function, part):
                return open_within(project, function, part, outcome, settled)
    return ""


def _settled(
    project: Project, context: Context, function: str, node: ast.AST, besides: NoDoubt
) -> Iterator[tuple[ast.If, bool]]:
    for asked, outcome in flow_of(project, function).tests(node):
        parts = parts_of(asked.test, outcome)
        case = project, context, function
        if all(no_doubt(*case, part, outcome) or besides(*case, part, outcome) for part in parts):
            yield asked, outcome


def no_doubt(project: Project, context: Context, function: str, part: ast.expr, outcome: bool) -> bool:
    """Is part of a test decided, about the rank, about how far the run has come, or on how many ranks run?"""
    return (
        truths(project, context, part, function) == {outcome}
        or project.once(_on_rank, function, part)
        or _counts(project, function, part)
        or _several(project, context, function, part) is outcome
    )


def _on_rank(project: Project, function: str, part: ast.expr) -> bool:
    """Does it ask for the rank, and say of which one it is true? What a rank has only had a hand in may be
    the same on all of them, and false, unless a test on the rank is around it: then it is one rank's own."""
    if _side(project, function, part):
        return True
    around = [test.test for test, _ in flow_of(project, function).tests(part)]
    own = bool(ranks_apart(project, function, part) & Bits.RANK)
    return own and any(_side(project, function, test) for test in around)


def _side(project: Project, function: str, part: ast.expr) -> bool:
    sides, sites = project.get(Sides), project.get(CallSites)
    return any(sides.of(sites.form(part, frame), frame) is not None for frame in project.frames(function))


def _several(project: Project, context: Context, function: str, part: ast.expr) -> bool | None:
    """What a test on the number of ranks gives where there are several; None for other tests."""
    sides, sites = project.get(Sides), project.get(CallSites)
    forms = ((sites.form(part, frame), frame) for frame in project.frames(function))
    found = {sides.several(*form) for form in forms}
    if found != {None}:
        return found.pop() if len(found) == 1 else None
    if not (isinstance(part, ast.Compare) and unparse(part.comparators[0]) == "1"):
        return None
    origins = Settings(project, context).origins(part.left, function)
    sizes = bool(origins) and all(bare_name(_made(o.expr)) in WORLD_SIZES for o in origins)
    return _OF_SEVERAL.get(part.ops[0].__class__) if sizes else None


def _made(expr: ast.expr) -> ast.expr:
    return expr.func if isinstance(expr, ast.Call) else expr


def _counts(project: Project, function: str, test: ast.expr) -> bool:
    """Does it ask for every so many steps, or how far a loop is? It comes out both ways in time."""
    if any(isinstance(n, ast.BinOp) and isinstance(n.op, ast.Mod) for n in walk(test)):
        return True
    body = project.resolver.body(function)
    read = {n.id for n in walk(test) if isinstance(n, ast.Name)}
    rounds = any(_is_round(source) for name in read for source in body.names.get(name, ()))
    return isinstance(test, ast.Compare) and (rounds or bool(read & body.counted))


def _is_round(source: NodeSource) -> bool:
    """The number of a loop's round: of `range`, or the first that `enumerate` gives."""
    call = source.expr
    if source.via is not Via.ELEMENT or not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
        return False
    return call.func.id == "range" or (call.func.id == "enumerate" and source.index == 0)
