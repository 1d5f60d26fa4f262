"""MM405: one rank ends its training loop by what it alone knows."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import libcst as cst

from mmcodemod.api import (
    Answer,
    Bits,
    Cause,
    Context,
    Dismissal,
    Divergence,
    Excluded,
    Finding,
    Note,
    Project,
    Rule,
    Severity,
    Side,
    Site,
    both,
    conclude,
    doubted,
    launched,
    plain,
    runs_out,
    site,
    stops,
    together,
    weigh,
)

from .codemod import fix

KNOWN = {
    Bits.VALUE: "this rank's own loss, or its own share of the evaluation",
    Bits.RANK: "the number of the rank",
    Bits.LOCAL: "this rank's own clock",
}


def trigger(project: Project) -> Iterator[Site]:
    """Tests that end a training loop on one rank; not those of which MM406 speaks."""
    spoken = {(d.frame.function, *d.at) for d in project.get(plain) if _spoken(d)}
    for stop in project.get(stops.stops):
        if (stop.function, stop.node.lineno, stop.node.col_offset) not in spoken:
            yield site(project, stop.function, stop.node, stop)


def _spoken(found: Divergence) -> bool:
    """A jump by the rank, or by this machine's files or clock, before a collective that shows."""
    alone = found.side in (Side.MAIN, Side.OTHERS) or found.bits == Bits.LOCAL
    return alone and found.cause in (Cause.LEAVE, Cause.ARM)


def pattern(node: cst.CSTNode) -> bool:
    """An `if`."""
    return isinstance(node, cst.If)


def check(project: Project, site: Site) -> Iterator[Finding | Dismissal]:
    stop: stops.Stop = site.data
    wrapped = together.wrapped_for(project, stop.passed, stop.function)
    verdict = weigh(project, site.function, lambda context: _waits(project, context, stop, wrapped))
    place = project.place(stop.passed.path, stop.passed.call)
    notes = (
        Note(project.place(site.path, stop.leaver), "ends the loop on this rank"),
        Note(place, "the backward pass that the other ranks wait in"),
    )
    yield conclude(RULE.code, site, verdict, _message(stop), _anchor(site), notes, site.head)


def _waits(project: Project, context: Context, stop: stops.Stop, wrapped: together.Wrapped | None) -> Answer:
    never = stops.never_left(project, context, stop)
    if never is not None:
        return Excluded(never)
    waits = together.waits(project, context, stop.function, stop.node, wrapped)
    answer = launched(both(waits, runs_out(project, context, stop)), context)
    if stop.why is Bits.LOCAL:
        return doubted(answer, "whether the clocks of two ranks come to the limit in different steps", False)
    return answer


def _message(stop: stops.Stop) -> str:
    return (
        f"`{ast.unparse(stop.node.test)}` is decided by {KNOWN[stop.why]}, and ends the training loop: ranks "
        f"that decide otherwise go on, and wait in `{ast.unparse(stop.passed.call)}` until a timeout ends "
        "the run."
    )


def _anchor(site: Site) -> str:
    return f"{site.symbol}: {ast.unparse(site.node.test)}"


RULE = Rule(
    code="MM405",
    name="rank-local-early-stop",
    summary="One rank ends its training loop by what it alone knows",
    family="collectives",
    severity=Severity.ERROR,
    since="0.1.0",
    preview=True,
    options=("strategy",),
    trigger=trigger,
    pattern=pattern,
    check=check,
    fix=fix,
)
