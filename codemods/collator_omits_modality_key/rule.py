"""MM204: a collator leaves the modality out of a batch that has none."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import libcst as cst

from mmcodemod.api import (
    Answer,
    Applicability,
    Context,
    Dismissal,
    Entry,
    Excluded,
    Fatal,
    Finding,
    Fix,
    FunctionFacts,
    Note,
    Omission,
    Place,
    Project,
    Rule,
    Severity,
    Site,
    availability,
    branches,
    collators,
    conclude,
    dataset_stand_ins,
    described,
    doubted,
    encoder_loops,
    frozen,
    function_scope,
    grouping_sampler,
    inference_only,
    keys_asked,
    launched,
    model_stand_ins,
    multimodal_name,
    omissions,
    runs_with,
    site,
    stand_in,
    text_model,
    trains_modality,
    weigh,
)

# Shown only: models check the number of image tokens against the number of features.
ADVICE = (
    "give a batch that has none one blank stand-in (`Image.new` through the same processor) and its tokens "
    "in `input_ids`, with attention mask 0 and label -100"
)


@frozen()
class Candidate:
    """A collator and the places that decide whether its batch has the modality."""

    facts: FunctionFacts
    found: tuple[Omission, ...]


def trigger(project: Project) -> Iterator[Site]:
    """Collators whose batch has a modality only when some test on it holds."""
    for facts in collators(project):
        found = omissions(project, facts)
        if found or stand_in(project, facts) is not None:
            yield site(project, facts.id, facts.node, Candidate(facts, tuple(found)))
    for facts, at in project.get(dataset_stand_ins):
        yield site(project, facts.id, facts.node, at)


def pattern(node: cst.CSTNode) -> bool:
    """A function definition."""
    return isinstance(node, cst.FunctionDef)


def check(project: Project, site: Site) -> Iterator[Finding | Dismissal]:
    if isinstance(site.data, Place):
        note = Note(site.data, "a sample without the modality gets a stand-in here")
        yield Dismissal(RULE.code, site.data, "the dataset makes a stand-in", (note,))
        return
    found: Candidate = site.data
    line = stand_in(project, found.facts)
    if line is not None:
        note = Note(Place(site.path, line), "a batch without the modality gets a stand-in here")
        yield Dismissal(RULE.code, Place(site.path, line), "the collator makes a stand-in", (note,))
        return
    at = _place(project, site, found)
    model_side = project.get(model_stand_ins)
    if model_side:
        notes = tuple(Note(p, "the model runs its encoder on a stand-in here") for p in model_side[:2])
        yield Dismissal(RULE.code, at, "the model makes a stand-in", notes)
        return
    always = _always(project, found)
    if always:
        reason = "every batch has the modality: samples always have it, or a stand-in is made"
        yield Dismissal(RULE.code, at, reason, always)
        return
    if not _told_at_the_model(project):
        yield from _judged(project, site, found, at)


def _place(project: Project, site: Site, found: Candidate) -> Place:
    """The call that leads to the test, or the test itself: where a stand-in would go."""
    first = found.found[0]
    node: ast.AST = first.call or first.test.test
    return project.place(site.path, node)


def _always(project: Project, found: Candidate, entry: Entry | None = None) -> tuple[Note, ...]:
    """The datasets' lines that set every key which the tests ask for, in the runs from an entry or in all."""
    evidence: list[Note] = []
    for omission in found.found:
        scope = function_scope(project, omission.where)
        for key in sorted(keys_asked(omission.test.test, scope)) or [""]:
            known = availability(project, key, entry) if key else None
            if known is None or known.known is not True:
                return ()
            evidence += known.evidence
    return tuple(dict.fromkeys(evidence))


def _told_at_the_model(project: Project) -> bool:
    """Does a model of the tree branch on the modality? One cause, one finding: MM201 tells it there."""
    return any(
        b.lone and b.facts.id in project.trained and inference_only(project, b.facts) is None
        for b in (*project.get(branches), *project.get(encoder_loops))
    )


def _judged(project: Project, site: Site, found: Candidate, at: Place) -> Iterator[Finding | Dismissal]:
    verdict = weigh(project, site.function, lambda context: _answer(project, context, found))
    yield conclude(
        RULE.code,
        site,
        verdict,
        _message(found),
        "; ".join(sorted({ast.unparse(o.test.test) for o in found.found})),
        _notes(found),
        at=at,
        fix=Fix(ADVICE, Applicability.DISPLAY),
    )


def _answer(project: Project, context: Context, found: Candidate) -> Answer:
    always = _always(project, found, context.entry) if context.entry else ()
    if always:
        return Excluded(always[0])
    text = text_model(project, context)
    if text is not None and not project.get(_sharded_mixed):
        return Excluded(text)
    answer = launched(runs_with(project, context), context)
    if text is not None:
        answer = doubted(
            answer, f"whether a model with an encoder is trained like this, too: {text.note}", True
        )
    sets = described(project, context)
    answer = doubted(answer, sets and f"whether a sample of {sets} may lack the modality", False)
    if not trains_modality(project, found.facts):
        answer = doubted(answer, "whether a model with an encoder is trained")
    answer = doubted(answer, _not_seen(project, found, context.entry), plausible=False)
    sampler = project.get(grouping_sampler)
    return doubted(answer, sampler and f"whether `{sampler}` gives all ranks the same kind in a step", False)


def _sharded_mixed(project: Project) -> bool:
    """Does a sharded run name a multimodal model, and data of which a part may be text? Use through
    `project.get`."""
    sharded = (c for c in project.contexts if isinstance(runs_with(project, c), Fatal))
    return any(multimodal_name(c) is not None and not described(project, c) for c in sharded)


def _not_seen(project: Project, found: Candidate, entry: Entry | None) -> str:
    """The fact that is open where no dataset is seen to leave a key out; "" where one is."""
    keys: dict[str, None] = {}
    for omission in found.found:
        for key in sorted(keys_asked(omission.test.test, function_scope(project, omission.where))):
            if availability(project, key, entry).lacking:
                return ""
            keys[key] = None
    return f"whether a sample may lack {' and '.join(f'`{key}`' for key in keys)}" if keys else ""


def _notes(found: Candidate) -> tuple[Note, ...]:
    return tuple(Note(Place(o.where.path, o.line), o.condition) for o in found.found[:4])


def _message(found: Candidate) -> str:
    first = found.found[0]
    where = "" if first.where is found.facts else f", decided in `{first.where.name}`,"
    return (
        f"The run hangs when all samples of one rank are text: the batch of `{found.facts.qualname}`{where} "
        f"has the modality {first.condition}, so the model skips its encoder on that "
        "rank while the others gather the encoder's parameters."
    )


RULE = Rule(
    code="MM204",
    name="collator-omits-modality-key",
    summary="A collator leaves the modality out of a batch that has none",
    family="modality",
    severity=Severity.WARNING,
    since="0.1.0",
    options=("strategy",),
    trigger=trigger,
    pattern=pattern,
    check=check,
)
