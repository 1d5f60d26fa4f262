"""Where a divergence shows in the code, and what the tests on the rank that are none come to."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.facts.body import own_nodes
from mmcodemod.facts.match_cases import asks_constants
from mmcodemod.facts.skeleton import At, Block, Branch, Imports, Leave, inner_blocks
from mmcodemod.knowledge.ranks import MAIN_FIRST, ON_MAIN
from mmcodemod.model.frozen import frozen
from mmcodemod.model.place import Place
from mmcodemod.project.alphabet import Alphabet
from mmcodemod.project.bits import Bits
from mmcodemod.project.callsites import CallSites
from mmcodemod.project.divergence import SUMMARIES, Cause, Divergence, plain, saves
from mmcodemod.project.infer import Frame
from mmcodemod.project.model import Project
from mmcodemod.project.sequences import Letter
from mmcodemod.project.sides import Side, Sides

_Node = ast.If | ast.IfExp | ast.Call | ast.Try | ast.Match
_KINDS: dict[str, type[_Node]] = {"If": ast.If, "IfExp": ast.IfExp, "BoolOp": ast.Call, "Try": ast.Try}


def node_of(project: Project, found: Divergence) -> ast.AST | None:
    """Where a divergence shows; the function that is decorated, when that makes it."""
    if found.cause is Cause.DECORATOR:
        return project.index.function(found.frame.function).node
    return node_at(project, found.frame, found.kind, found.at)


def node_at(project: Project, frame: Frame, kind: str, at: At) -> ast.AST | None:
    """The `if`, conditional expression or `try` at a position, the call that a short circuit skips, or the
    `match` of a case that compares with constants."""
    nodes = own_nodes(project.index.function(frame.function).node)
    if kind == "match_case":
        return next((n for n in nodes if isinstance(n, ast.Match) and _has_case(n, at)), None)
    wanted = [n for n in nodes if isinstance(n, _Node) and isinstance(n, _KINDS.get(kind, ()))]
    here = [n for n in wanted if (n.lineno, n.col_offset) == at]
    return max(here, key=lambda n: (n.end_lineno or 0, n.end_col_offset or 0)) if here else None


def _has_case(node: ast.Match, at: At) -> bool:
    cases = (case for case in node.cases if asks_constants(case))
    return any((case.pattern.lineno, case.pattern.col_offset) == at for case in cases)


def call_at(project: Project, letter: Letter, frame: Frame) -> ast.Call | None:
    """The call in `frame` that is the collective; None where it is reached through another call."""
    path = frame.function.partition("::")[0]
    calls = project.resolver.body(frame.function).calls
    if letter.via or letter.at is None:
        return None
    return next((call for call in calls if project.place(path, call) == letter.at), None)


@frozen()
class RankTest:
    """A test in a function that makes collective calls. `leaver` is the jump of the side that leaves; `one`
    when that side is the one of a single process."""

    frame: Frame
    node: ast.AST
    leaver: Leave | None
    one: bool
    collective: Place


def harmless_tests(project: Project) -> list[RankTest]:
    """The tests on the rank or on the number of ranks after which all ranks still make the same calls. Use
    through `project.get(harmless_tests)`."""
    loud = {(d.frame.function, d.at) for d in project.get(plain)}
    summaries = project.get(SUMMARIES[Alphabet.PLAIN])
    found: dict[tuple[str, tuple[int, int]], RankTest] = {}
    for frame in sorted(summaries.direct):
        at = min(letter.at for letter in summaries.direct[frame].values() if letter.at)
        for test in _tests(project, frame):
            if (frame.function, test.at) not in loud:
                made = _harmless(project, frame, test, at)
                if made is not None:
                    found.setdefault((frame.function, test.at), made)
    return [found[key] for key in sorted(found)]


def _harmless(project: Project, frame: Frame, test: Branch, at: Place) -> RankTest | None:
    sides = project.get(Sides)
    several = sides.several(test.test, frame)
    if several is not None:
        asks = _leaver(test.orelse if several else test.then) is not None
    else:
        asks = sides.of(test.test, frame) in (Side.MAIN, Side.OTHERS)
    node = node_at(project, frame, test.kind, test.at) if asks else None
    leaver = _leaver(test.then) or _leaver(test.orelse)
    return RankTest(frame, node, leaver, several is not None, at) if node is not None else None


def _leaver(block: Block) -> Leave | None:
    return block[-1] if block and isinstance(block[-1], Leave) and block[-1].kind != "raise" else None


def _tests(project: Project, frame: Frame) -> Iterator[Branch]:
    """The `if` statements of a frame that have calls or jumps inside."""
    for test in _branches(project.get(CallSites).skeleton(frame.function)):
        if test.kind == "If" and {step.__class__ for step in (*test.then, *test.orelse)} != {Imports}:
            yield test


def _branches(block: Block) -> Iterator[Branch]:
    for step in block:
        if isinstance(step, Branch):
            yield step
        for inner in inner_blocks(step):
            yield from _branches(inner)


@frozen()
class SavedByAll:
    """A save that waits for all ranks, which no test on the rank keeps from any."""

    function: str
    call: ast.Call
    letter: Letter


def saved_by_all(project: Project) -> list[SavedByAll]:
    """Use through `project.get(saved_by_all)`."""
    by_rank = [found for found in project.get(saves) if found.bits & Bits.RANK]
    loud = {letter.at for found in by_rank for letter in found.letters}
    summaries = project.get(SUMMARIES[Alphabet.SAVES])
    made: dict[Place, SavedByAll] = {}
    for frame in sorted(summaries.direct):
        for letter in summaries.direct[frame].values():
            call = call_at(project, letter, frame)
            if letter.hidden and letter.at and call is not None and letter.at not in loud:
                made.setdefault(letter.at, SavedByAll(frame.function, call, letter))
    return [made[at] for at in sorted(made)]


def only_on_main(project: Project) -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef, Place]]:
    """Functions that a decorator runs on the main rank alone: id, node, and where the decorator stands."""
    for facts in project.mentioning(*sorted(ON_MAIN)):
        if not ON_MAIN.isdisjoint(facts.decorators):
            node = facts.node
            assert isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
            last = node.decorator_list[-1]
            yield facts.id, node, Place(facts.path, last.lineno, last.col_offset + 1)


def main_first(project: Project) -> Iterator[tuple[str, ast.Call]]:
    """Calls that make a context manager in which the main rank goes first: function and call."""
    for facts in project.mentioning(*sorted(MAIN_FIRST)):
        entered = set(map(id, project.calls_of(facts.id, MAIN_FIRST)))
        for node in own_nodes(facts.node) if entered else ():
            for item in node.items if isinstance(node, ast.With) else ():
                if isinstance(item.context_expr, ast.Call) and id(item.context_expr) in entered:
                    yield facts.id, item.context_expr
