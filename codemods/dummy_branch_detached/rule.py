"""MM209: an encoder runs on a stand-in where a batch has none, but its result leaves the graph."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import libcst as cst

from mmcodemod.api import (
    GROUPS,
    Answer,
    Applicability,
    Context,
    Dismissal,
    Dummy,
    Finding,
    Fix,
    Note,
    Place,
    Project,
    Rule,
    Severity,
    Site,
    availability,
    batch_key,
    branches,
    conclude,
    doubted,
    function_scope,
    grouped,
    inference_only,
    lost_dummies,
    module_freezes,
    presence,
    runs_with,
    site,
    weigh,
    without_gradients,
)


def trigger(project: Project) -> Iterator[Site]:
    """Calls of encoders on stand-ins whose result reaches nothing, where the forward passes agree."""
    for dummy in lost_dummies(project):
        if not _apart(project, dummy):
            yield site(project, dummy.facts.id, dummy.run.call, dummy)


def _apart(project: Project, dummy: Dummy) -> bool:
    """Do the forward passes differ: is there no run on real input beside it, or does a branch of the function
    run modules that the stand-in leaves out? MM201 speaks of those."""
    own = [b for b in project.get(branches) if b.facts.id == dummy.facts.id]
    return not dummy.real or any(not b.lone <= dummy.run.modules for b in own)


def pattern(node: cst.CSTNode) -> bool:
    """A call."""
    return isinstance(node, cst.Call)


def check(project: Project, site: Site) -> Iterator[Finding | Dismissal]:
    dummy: Dummy = site.data
    safe = _safe(project, dummy)
    if safe is not None:
        yield Dismissal(RULE.code, site.at, safe.note, (safe,))
        return
    missing = _missing(project, dummy)
    verdict = weigh(project, site.function, lambda context: _answer(project, context, dummy, missing))
    notes = tuple(Note(Place(site.path, r.call.lineno), "the same on real input") for r in dummy.real[:1])
    fix = Fix(_advice(dummy), Applicability.DISPLAY)
    yield conclude(RULE.code, site, verdict, _message(dummy), ast.unparse(dummy.run.call), notes, fix=fix)


def _safe(project: Project, dummy: Dummy) -> Note | None:
    """Inference, or nothing of the modality that has gradients, or a batch that is never without it."""
    at = inference_only(project, dummy.facts)
    if at is not None:
        return Note(at, "runs only for inference")
    path = dummy.facts.path
    if all(without_gradients(project, r.call, dummy.frame) for r in dummy.real):
        return Note(Place(path, dummy.real[0].call.lineno), "real input runs without gradients, too")
    frozen = module_freezes(project, dummy.run.modules)
    if dummy.run.modules <= {f.module for f in frozen if f.always}:
        return Note(frozen[0].at, "the modules are frozen")
    known = [availability(project, key) for key in _keys(project, dummy)]
    always = [note for a in known if a.known for note in a.evidence]
    return (
        Note(always[0].at, "every batch has the modality") if always and all(a.known for a in known) else None
    )


def _keys(project: Project, dummy: Dummy) -> list[str]:
    scope = function_scope(project, dummy.facts)
    found = [k for atom in presence(dummy.test.test, scope) for k in batch_key(project, dummy.facts, atom)]
    return list(dict.fromkeys(found))


def _missing(project: Project, dummy: Dummy) -> str:
    """The fact that is open about batches without the modality, "" when there are such."""
    keys = _keys(project, dummy)
    if any(availability(project, key).known is False for key in keys):
        return ""
    return f"whether some batch is without {' and '.join(f'`{k}`' for k in keys) or 'the modality'}"


def _answer(project: Project, context: Context, dummy: Dummy, missing: str) -> Answer:
    answer = doubted(runs_with(project, context), missing)
    for frozen in module_freezes(project, dummy.run.modules)[:1]:
        fact = f"whether `{frozen.module}` is trained, which {frozen.at} may freeze"
        answer = doubted(answer, fact, plausible=False)
    return grouped(answer, context)


def _message(dummy: Dummy) -> str:
    call, names = ast.unparse(dummy.run.call), ", ".join(f"`{m}`" for m in sorted(dummy.run.modules))
    return (
        f"The forward passes of all ranks agree, the backward passes do not: `{call}` stands in where the "
        f"batch has none (`{ast.unparse(dummy.test.test)}`), but {dummy.lost}, so {names} gets no "
        "backward on this rank, while the ranks with real input reduce its gradients and wait."
    )


def _advice(dummy: Dummy) -> str:
    call = ast.unparse(dummy.run.call)
    return f"run `{call}` with gradients and add `result[:0].sum()` to what goes into the loss, out of place"


RULE = Rule(
    code="MM209",
    name="dummy-branch-detached",
    summary="An encoder runs on a stand-in where a batch has none, but its result leaves the graph",
    family="modality",
    severity=Severity.ERROR,
    since="0.1.0",
    options=("strategy", GROUPS),
    trigger=trigger,
    pattern=pattern,
    check=check,
)
