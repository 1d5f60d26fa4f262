"""MM605: a frozen encoder is run with gradients recorded, because its inputs are made to require them."""

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
    Finding,
    Fix,
    Note,
    Place,
    Project,
    Rule,
    Severity,
    Site,
    conclude,
    encoder_gradients,
    frozen,
    frozen_encoders,
    inference_only,
    site,
    weigh,
)


@frozen()
class Found:
    """`run` is None where the finding is the hook itself."""

    encoder: frozen_encoders.Encoder
    hook: frozen_encoders.Spot
    run: frozen_encoders.Spot | None = None


def trigger(project: Project) -> Iterator[Site]:
    """Hooks that make the inputs of a frozen encoder require gradients, and where that encoder runs."""
    for encoder in project.get(frozen_encoders.frozen_encoders):
        for hook in encoder.hooks:
            yield site(project, hook.function, hook.node, Found(encoder, hook))
        for run in encoder.runs:
            yield site(project, run.function, run.node, Found(encoder, encoder.hooks[0], run))


def pattern(node: cst.CSTNode) -> bool:
    """A call."""
    return isinstance(node, cst.Call)


def check(project: Project, site: Site) -> Iterator[Finding | Dismissal]:
    found: Found = site.data
    safe = _safe(project, found)
    if safe is not None:
        yield Dismissal(RULE.code, site.at, safe.note, (safe,))
        return

    def judge(context: Context) -> Answer:
        return encoder_gradients.recorded(project, context, found.encoder, found.hook)

    verdict = weigh(project, site.function, judge)
    if verdict.severity and not verdict.contexts:  # nobody was asked: whether anything reaches it is open
        answer = judge(project.contexts[0])
        if isinstance(answer, Excluded):
            yield Dismissal(RULE.code, site.at, answer.why.note, (answer.why,))
            return
    related = tuple(_related(project, found))
    yield conclude(RULE.code, site, verdict, _message(found), ast.unparse(site.node), related)


def _safe(project: Project, found: Found) -> Note | None:
    """Why no forward pass of it is recorded in vain, whatever the run; the line that says so."""
    encoder = found.encoder
    for run in encoder.runs:
        before = encoder_gradients.upstream(project, run)
        if before is not None:
            return before
    of = [found.run] if found.run else encoder.runs
    facts = [project.index.function(run.function) for run in of]
    quiet = [encoder_gradients.switched_off_at(project, run) for run in of]
    if of and all(quiet):
        return Note(_place(project, of[0]), f"`{encoder.text}` runs without gradients")
    if found.run and (at := inference_only(project, facts[0])) is not None:
        return Note(at, "runs only for inference")
    return None


def _place(project: Project, spot: frozen_encoders.Spot) -> Place:
    return project.place(spot.function.partition("::")[0], spot.node)


def _related(project: Project, found: Found) -> Iterator[Note]:
    """Where it is frozen, and the other of the two places."""
    yield Note(_place(project, found.encoder.freezes[0]), f"`{found.encoder.text}` is frozen here")
    if found.run:
        yield Note(_place(project, found.hook), "makes its inputs require gradients")
    for run in found.encoder.runs[:1] if found.run is None else ():
        yield Note(_place(project, run), "runs with gradients recorded")


def _message(found: Found) -> str:
    name = found.encoder.text
    if found.run:
        return (
            f"The frozen `{name}` runs with gradients recorded, because the output of its embeddings is made "
            "to require them: the activations of all its layers are kept for a backward pass that trains "
            "nothing in it (with checkpointing, its layers are computed again)."
        )
    return (
        f"The output of the embeddings of `{name}` is made to require gradients, and `{name}` is frozen: "
        "each forward pass keeps the activations of all its layers for a backward pass that trains nothing "
        "in it (with checkpointing, its layers are computed again)."
    )


def fix(project: Project, site: Site, finding: Finding) -> Fix:
    """Shown: whether it is frozen may be the choice of a run."""
    found: Found = site.data
    if found.run:
        return Fix(f"run `{found.encoder.text}` under `torch.no_grad()` where it is frozen", SHOWN)
    return Fix("make its inputs require gradients only where a part of it trains", SHOWN)


SHOWN = Applicability.DISPLAY

RULE = Rule(
    code="MM605",
    name="frozen-encoder-under-autograd",
    summary="A frozen encoder runs with gradients recorded, because its inputs are made to require them",
    family="cost",
    severity=Severity.INFO,
    since="0.1.0",
    options=(),
    trigger=trigger,
    pattern=pattern,
    check=check,
    fix=fix,
)
