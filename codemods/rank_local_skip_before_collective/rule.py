"""MM404: what one rank alone knows lets it come past a call that all ranks make together."""

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
    Letter,
    Note,
    Place,
    Project,
    Rule,
    Severity,
    Site,
    batch_values,
    both,
    conclude,
    differs,
    doubted,
    gets_to,
    is_late,
    launched,
    node_of,
    plain,
    shown_apart,
    site,
    skips,
    stops,
    together,
    weigh,
)

from .codemod import fix

DATA = Bits.VALUE | Bits.PRESENCE


def trigger(project: Project) -> Iterator[Site]:
    """Tests on this rank's data, and handlers, on the way to a backward pass or to a collective."""
    seen = {(s.function, s.node.lineno, s.node.col_offset) for s in project.get(stops.stops)}  # MM405
    for skip in project.get(skips.skips):
        at = (skip.function, skip.node.lineno, skip.node.col_offset)
        if at not in seen:
            seen.add(at)
            yield site(project, skip.function, skip.node, skip)
    for found in project.get(plain):
        node = node_of(project, found)
        if isinstance(node, (ast.If, ast.IfExp)) and _by_data(project, found, node):
            if (found.frame.function, *found.at) not in seen:
                yield site(project, found.frame.function, node, found)


def _by_data(project: Project, found: Divergence, node: ast.If | ast.IfExp) -> bool:
    """Does how much there is, or its values, decide here over a call of the function itself?"""
    here = any(not x.via and not is_late(project, x, found.frame) for x in found.letters)
    decides = found.side is None and not found.bits & ~DATA and found.cause in (Cause.ARM, Cause.LEAVE)
    return here and decides and skips.asks_data(project, found.frame.function, node.test)


def pattern(node: cst.CSTNode) -> bool:
    """An `if`, a conditional expression or a `try`."""
    return isinstance(node, (cst.If, cst.IfExp, cst.Try))


def check(project: Project, site: Site) -> Iterator[Finding | Dismissal]:
    if isinstance(site.data, Divergence):
        yield _exchange(project, site, site.data)
    else:
        yield _pass(project, site, site.data)


# -- backward passes --------------------------------------------------------------------------------------


def _pass(project: Project, site: Site, skip: skips.Skip) -> Finding | Dismissal:
    at = site.head if isinstance(site.node, ast.If) else Place(site.path, site.at.line, site.at.column)
    if skip.also is not None:
        also = project.place(site.path, skip.also)
        return Dismissal(RULE.code, at, "both sides run a backward pass", (Note(also, _text(project, also)),))
    wrapped = together.wrapped_for(project, skip.passed, skip.function)
    verdict = weigh(project, site.function, lambda context: _waits(project, context, skip, wrapped))
    place = project.place(skip.passed.path, skip.passed.call)
    notes = [Note(place, "the backward pass that the other ranks wait in")]
    if wrapped is not None and wrapped.at != place:
        notes.append(Note(wrapped.at, "the model that all ranks train"))
    anchor = f"{site.symbol}: {_asked(site.node)}"
    return conclude(RULE.code, site, verdict, _message(skip), anchor, tuple(notes), at)


def _waits(project: Project, context: Context, skip: skips.Skip, wrapped: together.Wrapped | None) -> Answer:
    answer = launched(together.waits(project, context, skip.function, skip.node, wrapped), context)
    if isinstance(answer, Excluded):
        return answer
    goal = (skip.passed.function, skip.passed.call)
    answer = both(answer, gets_to(project, context, skip.function, skip.node, goal))
    if isinstance(skip.node, ast.Try):
        return doubted(answer, EXCEPTION, plausible=skips.out_of_memory(skip.node))
    return doubted(answer, shown_apart.open_fact(project, skip.function, skip.node.test), plausible=False)


EXCEPTION = "whether only some ranks meet the exception"


def _message(skip: skips.Skip) -> str:
    what = f"`{ast.unparse(skip.passed.call)}`"
    if isinstance(skip.node, ast.Try):
        return (
            f"A rank on which an exception is caught here goes on without {what}: the other ranks wait there "
            "for its gradients, or take those of its next step for them."
        )
    return (
        f"`{_asked(skip.node)}` is asked of this rank's own data, and decides whether it runs {what}: the "
        "other ranks wait there for its gradients, or take those of its next step for them."
    )


def _asked(node: ast.AST) -> str:
    return ast.unparse(node.test) if isinstance(node, (ast.If, ast.IfExp)) else "try"


def _text(project: Project, at: Place) -> str:
    return project.line(at.path, at.line)


# -- other collectives ------------------------------------------------------------------------------------


def _exchange(project: Project, site: Site, found: Divergence) -> Finding | Dismissal:
    letters = [letter for letter in found.letters if not letter.via]
    places = _filling(project, found, site.node)
    if places and all(place.shared for place in places):
        notes = tuple(Note(f.at, _text(project, f.at)) for f in places)
        return Dismissal(RULE.code, site.head, "the collator gives all ranks the same", notes)
    verdict = weigh(project, site.function, lambda context: _judge(project, context, found, letters, places))
    message = (
        f"`{_asked(site.node)}` is asked of this rank's own data, and decides whether it gets to "
        f"`{letters[0].name}`, which waits for every rank of its group: the others wait until a timeout ends "
        "the run."
    )
    waits = tuple(Note(x.at, f"`{x.name}` waits for other ranks") for x in letters[:4] if x.at)
    notes = (*waits, *(Note(f.at, "made of this rank's samples") for f in places if not f.shared))
    anchor = f"{site.symbol}: {_asked(site.node)}: {letters[0].name}"
    return conclude(RULE.code, site, verdict, message, anchor, notes, site.head)


def _filling(project: Project, found: Divergence, node: ast.AST) -> list[batch_values.Filled]:
    test = node.test if isinstance(node, (ast.If, ast.IfExp)) else None
    return batch_values.filling(project, found.frame.function, test) if test else []


def _judge(
    project: Project,
    context: Context,
    found: Divergence,
    letters: list[Letter],
    places: list[batch_values.Filled],
) -> Answer:
    """Loud only where the collators are seen to pick some samples alone for what is asked."""
    answer = launched(differs(project, context, found, letters), context)
    if isinstance(answer, Excluded):
        return answer
    own = bool(places) and all(place.picked for place in places)
    node = node_of(project, found)
    asked = _asked(node) if node is not None else "what is asked"
    if node is not None:
        answer = both(answer, gets_to(project, context, found.frame.function, node))
    return doubted(answer, f"whether batches differ in `{asked}`", plausible=own)


RULE = Rule(
    code="MM404",
    name="rank-local-skip-before-collective",
    summary="What one rank alone knows lets it come past a call that all ranks make together",
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
