"""MM201: a module runs only when this rank's batch has the modality."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import libcst as cst

from mmcodemod.api import (
    GROUPS,
    Answer,
    Branch,
    Context,
    Dismissal,
    Entry,
    Excluded,
    Finding,
    ModuleCalls,
    Note,
    Place,
    Project,
    Rule,
    Severity,
    Site,
    Strategy,
    Unclear,
    availability,
    batch_key,
    branches,
    collators,
    conclude,
    doubted,
    flow_of,
    function_scope,
    grouped,
    ignored_at,
    in_root_unit,
    inference_only,
    keys_asked,
    listed_at,
    made_once,
    means_present,
    modality_tests,
    omissions,
    runs_with,
    site,
    stand_in,
    stand_in_of,
    weigh,
)

from .codemod import fix


def trigger(project: Project) -> Iterator[Site]:
    """Branches on a modality of which one side runs a module, outermost first."""
    judged: set[tuple[str, frozenset[str]]] = set()
    for branch in project.get(branches):
        if not branch.lone and not branch.shared:
            continue
        key = (branch.facts.id, branch.lone)
        if branch.lone and key in judged:
            continue
        judged.add(key)
        yield site(project, branch.facts.id, branch.node, branch)


def pattern(node: cst.CSTNode) -> bool:
    """An `if`, statement or expression."""
    return isinstance(node, (cst.If, cst.IfExp))


def check(project: Project, site: Site) -> Iterator[Finding | Dismissal]:
    branch: Branch = site.data
    safe = (
        _model_side(project, site, branch)
        or _inference(project, site, branch)
        or _run_wide(project, site, branch)
        or _data_side(project, site, branch)
    )
    if safe:
        yield safe
    elif branch.lone and not _in_loop(project, branch):
        yield from _judged(project, site, branch)


def _in_loop(project: Project, branch: Branch) -> bool:
    """Does a loop decide how often the modules run? Then MM203 counts."""
    return flow_of(project, branch.facts.id).loop_of(branch.node) is not None


def _model_side(project: Project, site: Site, branch: Branch) -> Dismissal | None:
    """The other side, or another branch of the function, runs the same modules with a stand-in."""
    if branch.lone:
        return _stand_in(project, site, branch)
    if not branch.shared:
        return None
    fallback = branch.false if means_present(branch.atoms[0].node) else branch.true
    line = fallback[0].call.lineno
    names = ", ".join(sorted(branch.shared))
    note = Note(Place(site.path, line), f"runs {names} when the batch has none")
    return Dismissal(RULE.code, site.at, f"both sides run {names}", (note,))


def _stand_in(project: Project, site: Site, branch: Branch) -> Dismissal | None:
    call = stand_in_of(branch.facts, project.get(modality_tests).get(branch.facts.id, []))
    if call is None or any(c.call is call for c in (*branch.true, *branch.false)):
        return None  # on a side of this test alone it helps only those who take that side
    if not project.get(ModuleCalls).of(call, branch.frame).modules & branch.lone:
        return None
    note = Note(Place(site.path, call.lineno), "runs on a stand-in when the batch has none")
    return Dismissal(RULE.code, site.at, "another branch runs the modules on a stand-in", (note,))


def _inference(project: Project, site: Site, branch: Branch) -> Dismissal | None:
    at = inference_only(project, branch.facts)
    if at is None:
        return None
    return Dismissal(
        RULE.code, site.at, "runs only for inference", (Note(at, project.line(at.path, at.line)),)
    )


def _run_wide(project: Project, site: Site, branch: Branch) -> Dismissal | None:
    """What is asked for is made once in a run, as data sets are, and not by each batch."""
    made = [[] if a.key else made_once(project, branch.facts, a.name) for a in branch.atoms]
    if not all(made):
        return None
    places = dict.fromkeys(place for several in made for place in several)
    notes = tuple(Note(place, "made here, once, before the steps") for place in places)
    return Dismissal(RULE.code, site.at, "no batch decides: what is asked for is made once in a run", notes)


def _data_side(project: Project, site: Site, branch: Branch) -> Dismissal | None:
    """Every batch has the modality, because the dataset or the collator puts a stand-in."""
    evidence: list[Note] = []
    for atom in branch.atoms:
        known = [availability(project, key) for key in batch_key(project, branch.facts, atom)]
        if not any(a.known for a in known) or any(a.known is False for a in known):
            return None
        evidence += [note for a in known if a.known for note in a.evidence]
    if not evidence:
        return None
    reason = "every batch has the modality: samples without one get a stand-in"
    return Dismissal(RULE.code, site.at, reason, tuple(dict.fromkeys(evidence)))


def _judged(project: Project, site: Site, branch: Branch) -> Iterator[Finding | Dismissal]:
    verdict = weigh(project, site.function, lambda context: _answer(project, context, branch))
    entry = verdict.contexts[0].entry if verdict.contexts else None
    related = (*_call_notes(site, branch), *_missing(project, branch, entry)[1])
    test = ast.unparse(branch.node.test)
    yield conclude(RULE.code, site, verdict, _message(branch), test, related, at=site.head)


def _missing(project: Project, branch: Branch, entry: Entry | None) -> tuple[str, tuple[Note, ...]]:
    """("" when a batch without the modality is proven possible in the runs from an entry, else the unknown
    fact; the evidence)."""
    keys: list[str] = []
    for atom in branch.atoms:
        for key in batch_key(project, branch.facts, atom):
            found = availability(project, key, entry)
            if found.known is False:
                return "", found.evidence
            keys.append(key)
    left_out = _left_out(project, entry)
    if left_out:
        return "", left_out
    named = " and ".join(f"`{k}`" for k in dict.fromkeys(keys)) or "the modality"
    return f"whether every batch has {named}: nothing in the tree always sets it", ()


def _left_out(project: Project, entry: Entry | None) -> tuple[Note, ...]:
    """Where the collators that training runs leave out of a batch what a dataset has left out of a sample."""
    found, reached = [], project.trained if entry is None else project.reach(entry)
    for facts in collators(project):
        if facts.id in reached and stand_in(project, facts) is None:
            for omission in omissions(project, facts)[:2]:
                asked = keys_asked(omission.test.test, function_scope(project, omission.where))
                if not any(availability(project, key, entry).known is False for key in asked):
                    continue
                at = Place(omission.where.path, omission.test.lineno)
                found.append(Note(at, f"a batch gets the modality {omission.condition}"))
    return tuple(found)


def _answer(project: Project, context: Context, branch: Branch) -> Answer:
    whole = _unseen_by_fsdp(project, branch)
    if whole is not None and context.strategy in (Strategy.FSDP1, Strategy.FSDP2):
        return Excluded(whole)
    once = in_root_unit(context, branch.lone)
    if once is not None:
        return Excluded(once)
    sharded = runs_with(project, context)
    if isinstance(sharded, Excluded):
        return sharded
    if isinstance(sharded, Unclear):
        sharded = Unclear(sharded.fact, plausible=False)
    missing, _ = _missing(project, branch, context.entry)
    return grouped(doubted(sharded, missing, plausible=False), context)


def _unseen_by_fsdp(project: Project, branch: Branch) -> Note | None:
    """Where all modules that only one side runs are put into lists, which FSDP does not look into, or where
    FSDP is told to leave them out."""
    lone = [c for c in (*branch.true, *branch.false) if c.modules & branch.lone]
    places = [listed_at(project, run, branch.frame) for run in lone]
    if places and places[0] is not None and None not in places:
        return Note(places[0], "a list holds the module, so FSDP does not shard it")
    ignored = ignored_at(project, branch.lone)
    return Note(ignored, "FSDP is told to leave the module whole") if ignored else None


def _call_notes(site: Site, branch: Branch) -> tuple[Note, ...]:
    calls = [c for c in (*branch.true, *branch.false) if c.modules & branch.lone]
    return tuple(
        Note(Place(site.path, c.call.lineno), f"runs {', '.join(sorted(c.modules))}") for c in calls[:3]
    )


def _message(branch: Branch) -> str:
    names = ", ".join(f"`{name}`" for name in sorted(branch.lone))
    several = len(branch.lone) > 1
    if any(c.modules & branch.lone for c in branch.true):
        runs = f"{'run' if several else 'runs'} only where it holds"
    else:
        runs = f"{'do' if several else 'does'} not run where it holds"
    test = ast.unparse(branch.node.test)
    return (
        f"The run hangs as soon as two ranks disagree on `{test}`: {names} {runs}, so one rank skips "
        "the all-gather of parameters in which the others wait."
    )


RULE = Rule(
    code="MM201",
    name="modality-conditional-forward",
    summary="A module runs only on the ranks whose batch has the modality",
    family="modality",
    severity=Severity.ERROR,
    since="0.1.0",
    options=("strategy", GROUPS),
    trigger=trigger,
    pattern=pattern,
    check=check,
    fix=fix,
)
