"""MM206: the loss is a mean over the labels that count, and a cut sample may have none: NaN."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import libcst as cst

from mmcodemod.api import (
    Answer,
    Context,
    Dismissal,
    Finding,
    LabelCut,
    MeanLoss,
    Note,
    Place,
    Project,
    Rule,
    Severity,
    Site,
    Unclear,
    conclude,
    cuts_of_run,
    doubted,
    finite_afterwards,
    inference_only,
    label_cuts,
    labels_asked_for,
    lengthy_prompts,
    masked_prompt,
    mean_losses,
    preference_loss,
    prompts_of_run,
    refused_samples,
    site,
    stops_at_nan,
    weigh,
)

from .codemod import fix

BATCH = "per_device_train_batch_size"


def trigger(project: Project) -> Iterator[Site]:
    """Mean losses whose labels are cut at a length, in trees that take the labels from prompts."""
    for loss in project.get(mean_losses):
        if project.get(masked_prompt) is not None and label_cuts(project, loss.key):
            yield site(project, loss.facts.id, loss.call, loss)


def pattern(node: cst.CSTNode) -> bool:
    """A call."""
    return isinstance(node, cst.Call)


def check(project: Project, site: Site) -> Iterator[Finding | Dismissal]:
    loss: MeanLoss = site.data
    safe = _safe(project, loss)
    if safe is not None:
        yield Dismissal(RULE.code, site.at, safe.note, (safe,))
        return
    cut = label_cuts(project, loss.key)[0]
    verdict = weigh(project, site.function, lambda context: _answer(project, context, loss))
    stop = next((at for c in verdict.contexts if (at := stops_at_nan(project, c))), None)
    anchor = ast.unparse(loss.call)
    yield conclude(RULE.code, site, verdict, _message(loss, cut, stop), anchor, _notes(project, cut, stop))


def _safe(project: Project, loss: MeanLoss) -> Note | None:
    """What keeps a NaN away: a question about the labels that are left, or `nan_to_num` on the loss."""
    asked = project.get(labels_asked_for)
    if asked is not None:
        return Note(asked, "the code asks which labels are left")
    for call in project.calls_of(loss.facts.id, ("nan_to_num", "nan_to_num_")):
        return Note(project.place(loss.facts.path, call), "a NaN loss becomes a number here")
    again = finite_afterwards(project, loss.facts, loss.call)
    if again is not None:
        return Note(again, "another loss is taken here where this one is no number")
    at = inference_only(project, loss.facts)
    return Note(at, "runs only for inference") if at is not None else None


def _answer(project: Project, context: Context, loss: MeanLoss) -> Answer:
    """Loud only where the NaN ends the run and a sample is a batch of its own: of several, all would have to
    be so."""
    own = cuts_of_run(project, context, loss.key)
    cut = (own or label_cuts(project, loss.key))[0]
    fact = f"whether in some batch no sample has an answer in what `{ast.unparse(cut.node)}` keeps"
    alone = context.option(BATCH).value in (1, "1")
    answer: Answer = Unclear(fact, plausible=alone and stops_at_nan(project, context) is not None)
    doubts = (
        _filter(project, loss.key),
        _other_data(project, context, own),
        _other_loss(project, context, loss),
    )
    for doubt in doubts:
        answer = doubted(answer, doubt, plausible=False)
    return answer


def _other_data(project: Project, context: Context, cuts: list[LabelCut]) -> str:
    """That no code of the run is seen to cut labels, or to take them from prompts, as an open fact."""
    if cuts and prompts_of_run(project, context):
        return ""
    return f"whether the run's own data {'has prompts without labels' if cuts else 'is cut like that'}"


def _other_loss(project: Project, context: Context, loss: MeanLoss) -> str:
    """A loss that compares two answers is made of the scores: the model's own may go nowhere."""
    pairs = preference_loss(project, context) if loss.facts.name == "forward" else None
    return f"whether anything reads this loss of the model: {pairs.note} ({pairs.at})" if pairs else ""


def _filter(project: Project, key: str) -> str:
    """A filter of samples that may be for this, or what leaves room for the answer, as an open fact."""
    at: Place | None = project.get(refused_samples)
    if at is not None:
        return f"whether the test in line {at.line} of {at.path} leaves out all such samples"
    room = lengthy_prompts(project, key)
    return (
        f"whether line {room.line} of {room.path} sees to it that no sample is so" if room is not None else ""
    )


def _notes(project: Project, cut: LabelCut, stop: Place | None) -> tuple[Note, ...]:
    masked = project.get(masked_prompt)
    path = cut.function.partition("::")[0]
    told = ((masked, "prompts have no labels"), (stop, "ends the run where the loss is no number"))
    more = tuple(Note(at, text) for at, text in told if at is not None)
    return (Note(project.place(path, cut.node), "the labels are cut here"), *more)


def _message(loss: MeanLoss, cut: LabelCut, stop: Place | None) -> str:
    after = "ends the run" if stop else "spoils every mean of losses that it enters"
    call, kept = ast.unparse(loss.call), ast.unparse(cut.node)
    return (
        f"The loss is NaN for a batch without a label that counts: `{call}` is a mean over labels that are "
        f"not -100, and `{kept}` may keep a prompt alone. Its gradients are zero, but the NaN {after}."
    )


RULE = Rule(
    code="MM206",
    name="all-labels-masked",
    summary="The loss is a mean over the labels that count, and a cut sample may have none: NaN",
    family="modality",
    severity=Severity.WARNING,
    since="0.1.0",
    preview=True,
    options=("strategy", BATCH),
    trigger=trigger,
    pattern=pattern,
    check=check,
    fix=fix,
)
