"""MM108: parameters are gathered from all ranks where only some ranks come."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import libcst as cst

from mmcodemod.api import (
    GATHERED,
    PARTED,
    Answer,
    Cause,
    Context,
    Dismissal,
    Divergence,
    Excluded,
    Fatal,
    Finding,
    Note,
    Place,
    Project,
    Rule,
    Severity,
    Side,
    Site,
    Strategy,
    both,
    by_no_flag,
    call_at,
    conclude,
    differs,
    node_of,
    partitioned_by,
    runs_with,
    site,
    uneven_gathers,
    weigh,
    without_zero3,
)

from .codemod import fix

STRATEGIES = {
    GATHERED: (Strategy.ZERO3,),
    PARTED: (Strategy.ZERO3, Strategy.ZERO2, Strategy.ZERO1),
}
GETS_THERE = {
    Side.MAIN: "only the main rank gets there",
    Side.OTHERS: "the main rank does not get there",
    Side.SOME: "only some ranks get there",
}
BY_CONTRACT = ("_save",)  # what the Trainer calls on the ranks that write, and on no other


def trigger(project: Project) -> Iterator[Site]:
    """Tests on the rank with a gather on one side, and decorated functions."""
    for found in project.get(uneven_gathers):
        node = node_of(project, found)
        if node is not None:
            yield site(project, found.frame.function, node, found)


def pattern(node: cst.CSTNode) -> bool:
    """An `if`, a conditional expression, a call behind `and`, or a function with a decorator."""
    if isinstance(node, cst.FunctionDef):
        return bool(node.decorators)
    return isinstance(node, (cst.If, cst.IfExp, cst.Call))


def check(project: Project, site: Site) -> Iterator[Finding | Dismissal]:
    found: Divergence = site.data
    at = Place(site.path, site.at.line, site.at.column) if found.cause is Cause.DECORATOR else site.head
    off = without_zero3(project, site.function, site.node)
    if off is not None:
        yield Dismissal(RULE.code, at, "runs only without ZeRO-3", (off,))
        return
    verdict = weigh(project, site.function, lambda context: _answer(project, context, site, found))
    anchor = f"{site.symbol}: {', '.join(letter.name for letter in found.letters)}"
    yield conclude(RULE.code, site, verdict, _message(found), anchor, _notes(found), at)


def _answer(project: Project, context: Context, site: Site, found: Divergence) -> Answer:
    """A gather that ZeRO-1 makes as well decides alone."""
    letters = sorted(found.letters, key=lambda letter: letter.hidden != PARTED)
    strategy = runs_with(project, context, STRATEGIES[letters[0].hidden])
    answer = both(differs(project, context, found, found.letters), strategy)
    call = _call(project, found)
    if call is None or isinstance(answer, Excluded):
        return answer
    way = by_no_flag(project, context, site.function, call)
    if not isinstance(way, Fatal):
        return both(answer, way)
    if context.strategy in (Strategy.ZERO1, Strategy.ZERO2):
        return answer
    return both(answer, partitioned_by(project, context, site.function, call, loaded=True))


def _call(project: Project, found: Divergence) -> ast.Call | None:
    """The call in the function itself that gathers, or that leads to the gather."""
    first = found.letters[0]
    return first.via[0].call if first.via else call_at(project, first, found.frame)


def _message(found: Divergence) -> str:
    first = found.letters[0]
    through = [edge.callee.function.partition("::")[2] for edge in first.via]
    where = f" (through `{through[0]}`)" if through else ""
    return (
        f"The run hangs here: `{first.name}`{where} puts the parameters together from the shards of all "
        f"ranks, and {_who(found)}, so it waits until a timeout ends the run."
    )


def _who(found: Divergence) -> str:
    if found.side is None or found.side is Side.SOME:
        return GETS_THERE[Side.SOME]
    main = (found.side is Side.MAIN) == bool(found.then)
    return GETS_THERE[Side.MAIN if main else Side.OTHERS]


def _notes(found: Divergence) -> tuple[Note, ...]:
    """Where the gathers are, with the calls that lead to the first."""
    notes = []
    for edge in found.letters[0].via:
        at = Place(edge.caller.function.partition("::")[0], edge.line)
        notes.append(Note(at, f"calls `{edge.callee.function.partition('::')[2]}`"))
    notes += [Note(x.at, f"`{x.name}` needs every rank") for x in found.letters[:3] if x.at]
    return tuple(dict.fromkeys(notes))


RULE = Rule(
    code="MM108",
    name="zero3-gather-under-rank-guard",
    summary="Parameters are gathered from the shards of all ranks where only some ranks come",
    family="sharding",
    severity=Severity.ERROR,
    since="0.1.0",
    options=("strategy",),
    trigger=trigger,
    pattern=pattern,
    check=check,
    fix=fix,
)
