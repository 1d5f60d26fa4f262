"""MM309: a GradScaler steps parameters that are float16 themselves."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import libcst as cst

from mmcodemod.api import (
    Answer,
    Applicability,
    Context,
    Dismissal,
    Excluded,
    Fatal,
    Finding,
    Fix,
    Note,
    Project,
    Rule,
    Settings,
    Severity,
    Site,
    Unclear,
    both,
    comes_to,
    conclude,
    half_parameters,
    site,
    weigh,
)


def trigger(project: Project) -> Iterator[Site]:
    """The lines that make parameters float16 whose gradients a scaler unscales."""
    for found in project.get(half_parameters.half_parameters):
        yield site(project, found.function, found.made, found)


def pattern(node: cst.CSTNode) -> bool:
    """A call."""
    return isinstance(node, cst.Call)


def check(project: Project, site: Site) -> Iterator[Finding | Dismissal]:
    found: half_parameters.HalfParameters = site.data
    verdict = weigh(project, found.step.function, lambda context: _judge(project, context, found))
    message = (
        f"The parameters of `{found.model}` are float16 here, and so are their gradients, which the "
        "GradScaler refuses to unscale: the first step stops with an error."
    )
    notes = (
        Note(project.place(site.path, found.built), "the optimizer that is given them"),
        Note(project.place(found.step.path, found.step.call), "the scaler unscales them here"),
    )
    yield conclude(RULE.code, site, verdict, message, ast.unparse(site.node), notes)


def _judge(project: Project, context: Context, found: half_parameters.HalfParameters) -> Answer:
    tests = both(
        comes_to(project, context, found.function, found.made),
        comes_to(project, context, found.step.function, found.step.call),
    )
    return both(tests, _scaler(project, context, found))


def _scaler(project: Project, context: Context, found: half_parameters.HalfParameters) -> Answer:
    """Is the scaler switched on? One that is not does nothing."""
    settings = Settings(project, context if context.entry else None)
    answers: list[Answer] = []
    for origin in settings.origins(found.step.receiver, found.step.function):
        call = origin.expr
        if not isinstance(call, ast.Call) or any(k.arg is None for k in call.keywords):
            answers.append(Unclear("how the scaler is made", plausible=False))
            continue
        enabled = next((k.value for k in call.keywords if k.arg == "enabled"), None)
        truths = settings.truths(enabled, origin.function) if enabled is not None else {True}
        if truths == {False} and enabled is not None:
            at = project.place(origin.function.partition("::")[0], enabled)
            answers.append(Excluded(Note(at, "the scaler is switched off")))
        elif truths != {True} and enabled is not None:
            answers.append(Unclear(f"whether `{ast.unparse(enabled)}` is true", plausible=False))
        else:
            answers.append(Fatal())
    order = (Fatal, Unclear, Excluded)
    return min(answers, key=lambda a: order.index(type(a)), default=Unclear("how the scaler is made", False))


def fix(project: Project, site: Site, finding: Finding) -> Fix:
    """Shown only: the memory of the float32 weights has to be there."""
    advice = "keep the trained parameters in float32 and run the forward under `torch.autocast`"
    return Fix(advice, Applicability.DISPLAY, ())


RULE = Rule(
    code="MM309",
    name="half-params-with-gradscaler",
    summary="A GradScaler steps parameters that are float16 themselves",
    family="numerics",
    severity=Severity.ERROR,
    since="0.1.0",
    trigger=trigger,
    pattern=pattern,
    check=check,
    fix=fix,
)
