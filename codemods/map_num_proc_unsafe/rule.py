"""MM412: a dataset is mapped by many processes, or by processes that take a model or the GPU along."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.api import (
    Applicability,
    Dismissal,
    Fatal,
    Finding,
    Fix,
    Note,
    Place,
    Project,
    Rule,
    Severity,
    Site,
    conclude,
    frozen,
    mapping,
    weigh,
)

MANY = 16  # processes; each holds a copy of what the function refers to
ALONE = (None, 0, 1)  # no process but the own one


@frozen()
class Candidate:
    """A call that maps, and why it is unsafe: `literal` many processes, or `takes` along what cannot be
    shared. Neither: the number comes from the user."""

    found: mapping.Mapped
    literal: int = 0
    takes: str = ""


def trigger(project: Project) -> Iterator[Site]:
    """The numbers of processes that are written in the code, one site for each."""
    seen: set[Place] = set()
    for found in project.get(mapping.mapped):
        for site in (*_numbers(project, found), *_functions(project, found), *_given(project, found)):
            if site.at not in seen:
                seen.add(site.at)
                yield site


def _numbers(project: Project, found: mapping.Mapped) -> Iterator[Site]:
    for origin in found.literals:
        if origin.expr.value >= MANY:  # type: ignore[attr-defined]
            number = origin.expr.value  # type: ignore[attr-defined]
            yield _site(project, origin.expr, origin.function, Candidate(found, literal=number))


def _functions(project: Project, found: mapping.Mapped) -> Iterator[Site]:
    takes = mapping.takes_along(project, found)
    given = getattr(found.given, "value", "?") if isinstance(found.given, ast.Constant) else "?"
    if takes and given not in ALONE:
        yield _site(project, found.call, found.function, Candidate(found, takes=takes[1]))


def _given(project: Project, found: mapping.Mapped) -> Iterator[Site]:
    """Numbers that no code of the tree writes."""
    if not found.literals and isinstance(found.given, (ast.Attribute, ast.Name)):
        yield _site(project, found.given, found.function, Candidate(found))


def _site(project: Project, node: ast.expr, function: str, data: Candidate) -> Site:
    path = function.partition("::")[0]
    return Site(path, project.place(path, node), function=function, node=node, data=data)


def check(project: Project, site: Site) -> Iterator[Finding | Dismissal]:
    candidate: Candidate = site.data
    if not candidate.literal and not candidate.takes:
        note = Note(site.at, project.line(site.path, site.at.line))
        yield Dismissal(RULE.code, site.at, "the user says how many processes", (note,))
        return
    found = candidate.found
    verdict = weigh(project, site.function, lambda context: Fatal())
    related = _related(project, site, found)
    message, advice = _message(candidate), _advice(candidate)
    fix = Fix(advice, Applicability.DISPLAY)
    anchor = f"{found.method}: {candidate.takes or candidate.literal}"
    yield conclude(RULE.code, site, verdict, message, anchor, related, fix=fix)


def _related(project: Project, site: Site, found: mapping.Mapped) -> tuple[Note, ...]:
    path = found.function.partition("::")[0]
    at = project.place(path, found.given)
    note = Note(at, project.line(path, at.line))
    takes = mapping.takes_along(project, found)
    used = (Note(takes[0], project.line(takes[0].path, takes[0].line)),) if takes else ()
    return (*(() if at == site.at else (note,)), *used)


def _message(candidate: Candidate) -> str:
    method = "the mapped dataset" if candidate.found.method == "dict" else f"`{candidate.found.method}`"
    if candidate.takes:
        return (
            f"The processes that {method} forks use {candidate.takes}: CUDA cannot be used again in a forked "
            "process, and every one of them gets a copy of a model."
        )
    return (
        f"Each rank that gets here forks {candidate.literal} processes for {method}, whatever the machine "
        "has: one that runs out of memory ends without a message, and the whole map with it."
    )


def _advice(candidate: Candidate) -> str:
    if candidate.takes:
        return f"map in one process (`num_proc=None`), batched, or keep {candidate.takes} out of the function"
    return (
        "let the user say how many, with None as default; with one process the map takes longer, so the "
        "timeout of the process group must be longer, too (MM410)"
    )


RULE = Rule(
    code="MM412",
    name="map-num-proc-unsafe",
    summary="A dataset is mapped by many processes, or by processes that take a model or the GPU along",
    family="collectives",
    severity=Severity.INFO,
    since="0.1.0",
    trigger=trigger,
    check=check,
)
