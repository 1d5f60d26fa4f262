"""MM314: gradients of several batches are added up, and nothing divides the loss by their number."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import libcst as cst

from mmcodemod.api import (
    Answer,
    Context,
    Dismissal,
    Excluded,
    Fatal,
    Finding,
    Note,
    Project,
    Rule,
    Settings,
    Severity,
    Site,
    Unclear,
    accumulated,
    both,
    comes_to,
    conclude,
    site,
    weigh,
)

from .codemod import fix

Accumulated = accumulated.Accumulated
LENGTHENED = frozenset(("SGD", "ASGD", "Rprop"))


def trigger(project: Project) -> Iterator[Site]:
    """Backward passes in loops in which the optimizer steps after several of them."""
    for found in project.get(accumulated.accumulated):
        yield site(project, found.function, found.passed.call, found)


def pattern(node: cst.CSTNode) -> bool:
    """A call."""
    return isinstance(node, cst.Call)


def check(project: Project, site: Site) -> Iterator[Finding | Dismissal]:
    found: Accumulated = site.data
    verdict = weigh(project, site.function, lambda context: _judge(project, context, found))
    notes = [Note(project.place(site.path, found.test.test), "the optimizer steps once in so many batches")]
    if found.clip is not None:
        notes.append(Note(project.place(site.path, found.clip), "clips what was added up"))
    yield conclude(RULE.code, site, verdict, _message(found), ast.unparse(site.node), tuple(notes))


def _message(found: Accumulated) -> str:
    every = ast.unparse(found.every)
    felt = (
        "clipping cuts them that much deeper" if found.clip else "the optimizer's steps are that much longer"
    )
    return (
        f"The gradients of `{every}` batches are added up before the optimizer steps, and nothing divides "
        f"the loss by `{every}`: they are that many times larger than those of one such batch, and {felt}."
    )


def _judge(project: Project, context: Context, found: Accumulated) -> Answer:
    settings = Settings(project, context if context.entry else None)
    answer = both(_every(project, settings, found), _felt(project, found))
    for node in (found.passed.call, found.step.call):
        answer = both(answer, comes_to(project, context, found.function, node))
    if found.sums:
        answer = both(answer, Unclear("whether the loss is a sum over samples on purpose", plausible=False))
    return answer


def _every(project: Project, settings: Settings, found: Accumulated) -> Answer:
    """Are there several batches to a step?"""
    text, path = ast.unparse(found.every), found.function.partition("::")[0]
    values = {s.value for s in settings.of(found.every, found.function)}
    given = [s for s in settings.of(found.every, found.function) if s.at]
    numbers = [v for v in values if isinstance(v, (int, float))]
    if values and len(numbers) == len(values):
        at = given[0].at if given and given[0].at else project.place(path, found.every)
        if all(n <= 1 for n in numbers):
            return Excluded(Note(at, f"`{text}` is {numbers[0]}: every batch is a step"))
        if all(n > 1 for n in numbers):
            return Fatal(Note(at, f"`{text}` is {numbers[0]}"))
    return Unclear(f"whether `{text}` is more than 1", plausible=False)


def _felt(project: Project, found: Accumulated) -> Answer:
    """Does the size of the gradients reach the weights?"""
    names = accumulated.optimizer_names(project, found)
    if found.clip is not None or (names and names <= LENGTHENED):
        return Fatal()
    if names and all("adam" in name.lower() for name in names):
        at = project.place(found.function.partition("::")[0], found.step.call)
        return Excluded(Note(at, "Adam divides by the size of the gradients, and nothing clips them"))
    return Unclear("whether the optimizer feels the size of the gradients", plausible=False)


RULE = Rule(
    code="MM314",
    name="accumulation-loss-scale",
    summary="Gradients of several batches are added up without dividing the loss",
    family="numerics",
    severity=Severity.WARNING,
    since="0.1.0",
    preview=True,
    options=("strategy",),
    trigger=trigger,
    pattern=pattern,
    check=check,
    fix=fix,
)
