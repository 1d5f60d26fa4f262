"""The severity table of the design, in one place: what the tree shows decides how loud a finding is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import field

from mmcodemod.model.context import Context, Origin
from mmcodemod.model.finding import Dismissal, Finding, Note, Spared, Step
from mmcodemod.model.fix import Fix
from mmcodemod.model.frozen import mutable
from mmcodemod.model.grade import Confidence, Severity
from mmcodemod.model.place import Place
from mmcodemod.model.verdict import AND, Answer, Excluded, Fatal, Unclear
from mmcodemod.project.absent_configs import judged
from mmcodemod.project.answers import doubted
from mmcodemod.project.excluding import why_excluded
from mmcodemod.project.kept_out import kept_out
from mmcodemod.project.loudness import severity_of
from mmcodemod.project.model import Project
from mmcodemod.project.reach import Reached
from mmcodemod.project.site import Site
from mmcodemod.project.spared import spared_launches
from mmcodemod.project.switched_off import switched_off
from mmcodemod.project.trace import library_trace, trace_to

Judge = Callable[[Context], Answer]

_TRAINING = (".backward(", "Trainer", "training_step", "deepspeed.initialize", "Accelerator(")


@mutable()
class Verdict:
    """`severity` is None when the place is dismissed; then `reason` and `evidence` say why.
    `facts` are the deciding facts that are unknown."""

    severity: Severity | None = None
    contexts: list[Context] = field(default_factory=list)
    facts: list[str] = field(default_factory=list)
    related: list[Note] = field(default_factory=list)
    trace: tuple[Step, ...] = ()
    confidence: Confidence = Confidence.INFERRED
    reason: str = ""
    evidence: tuple[Note, ...] = ()
    spared: tuple[Spared, ...] = ()

    @property
    def context_ids(self) -> tuple[str, ...]:
        return tuple(c.id for c in self.contexts)

    @property
    def open(self) -> frozenset[str]:
        """The single facts that are open."""
        return frozenset(part for fact in self.facts for part in fact.split(AND))

    @property
    def unless(self) -> str:
        """The unknown deciding facts as the end of a sentence, "" when all are known."""
        parts = dict.fromkeys(p for fact in self.facts if AND in fact for p in fact.split(AND))
        together = AND.join(parts)
        facts = dict.fromkeys(together if AND in f else f for f in self.facts if f not in parts)
        return f" This depends on {' and '.join(facts)}." if facts else ""


def weigh(project: Project, function: str, judge: Judge, inside: bool | None = None) -> Verdict:
    """Judge a place in `function` in every context that reaches it.

    `inside` asks only for paths on which a library factory is building a model (True) or not (False).
    """
    if project.is_library:
        return _library(project, function, judge)
    reaching = [c for c in project.contexts if c.entry and function in project.reach(c.entry)]
    if not reaching:
        return _unreached(project, function)
    answers = judged(project, reaching, lambda run: _unless_kept_out(project, function, judge, run))
    return _weighed(project, function, answers, inside, judge)


def _unless_kept_out(project: Project, function: str, judge: Judge, run: Context) -> Answer:
    """What the judge says, unless the run does not get into the function: that is asked last."""
    answer = judge(run)
    if isinstance(answer, Excluded):
        return answer
    switch = switched_off(project, run, function)
    return Excluded(switch) if switch is not None else kept_out(project, run, function) or answer


def _weighed(
    project: Project,
    function: str,
    answers: list[tuple[Context, Answer]],
    inside: bool | None,
    judge: Judge,
) -> Verdict:
    fatal = [(c, a) for c, a in answers if not isinstance(a, Excluded)]
    spared = spared_launches(answers)
    if not fatal:
        return _configured(project, judge, spared) or _excluded(answers)
    severity, loudest = loudness(fatal)
    chosen = [c for c, _ in loudest]
    trace, confidence = trace_to(project, chosen[0], function, inside)
    facts = list(_open_facts(loudest))
    related = [a.why for _, a in loudest if isinstance(a, Fatal) and a.why]
    if confidence is Confidence.ASSUMED:
        severity, facts = Severity.INFO, [*facts, "whether a call with many possible targets means this one"]
    if facts:
        confidence = confidence.weaker(Confidence.INFERRED)
    return Verdict(severity, chosen, facts, list(dict.fromkeys(related)), trace, confidence, spared=spared)


def _open_facts(loudest: Sequence[tuple[Context, Answer]]) -> Iterator[str]:
    """What the tree does not say, and what would be louder if it did."""
    yield from (a.fact for _, a in loudest if isinstance(a, Unclear))
    aside = [c.id for c, a in loudest if isinstance(a, Fatal) and c.origin is Origin.ASIDE]
    if aside:
        yield f"whether anybody runs {aside[0]}, which nothing in the tree launches or names"
    noted = [c.id for c, a in loudest if isinstance(a, Fatal) and c.origin is Origin.NOTED]
    if noted:
        yield f"whether anybody runs the command at {noted[0]}, which tells nobody to run it"


def loudness(
    answers: Sequence[tuple[Context, Answer]],
) -> tuple[Severity, list[tuple[Context, Answer]]]:
    """The highest severity among contexts that are not excluded, and the contexts that have it."""
    severity = max((severity_of(c, a) for c, a in answers), key=lambda s: s.rank)
    return severity, [(c, a) for c, a in answers if severity_of(c, a) is severity]


def _configured(project: Project, judge: Judge, spared: tuple[Spared, ...]) -> Verdict | None:
    """Launched runs are safe, but a configuration of the tree that nothing launches would not be."""
    answers = project.judging.each(project.configured, judge)
    found = [c for c, answer in answers if isinstance(answer, Fatal)]
    if not found:
        return None
    names = " or ".join(c.configs[0] if c.configs else c.id for c in found[:2])
    facts = [f"a launch with {names}, which nothing in the tree makes"]
    related = [c.strategy_from for c in found[:2]]
    notes = [Note(o.at, "the strategy that would be fatal") for o in related if o.at]
    return Verdict(Severity.INFO, found, facts, notes, confidence=Confidence.ASSUMED, spared=spared)


def _excluded(answers: Sequence[tuple[Context, Answer]]) -> Verdict:
    reason, evidence = why_excluded(answers)
    return Verdict(
        contexts=[c for c, _ in answers], reason=reason or "no context is affected", evidence=evidence
    )


def _library(project: Project, function: str, judge: Judge) -> Verdict:
    context = project.contexts[0]
    answer = judge(context)
    if isinstance(answer, Excluded):
        return _excluded([(context, answer)])
    if function not in project.trained:
        return _unreached(project, function)
    answer, sign = doubted(answer, project.get(_trains_elsewhere), plausible=False), context.strategy_from
    facts = [answer.fact] if isinstance(answer, Unclear) else []
    doubtful = isinstance(answer, Unclear) and not answer.plausible
    severity = Severity.WARNING if sign.at is not None and not doubtful else Severity.INFO
    related = [Note(sign.at, sign.note)] if sign.at else []
    trace = library_trace(project, function)
    return Verdict(severity, [context], facts, related, trace, Confidence.ASSUMED)


def _trains_elsewhere(project: Project) -> str:
    """The open fact about a library of which no file says anything that trains."""
    says = any(project.mentioning(*_TRAINING))
    return "" if says else "whether anybody trains with this code: nothing in the tree does"


def _unreached(project: Project, function: str) -> Verdict:
    entries = [c for c in project.contexts if c.entry and not c.entry.library]
    if project.reached(function) is Reached.CANNOT_TELL:
        fact = "whether training reaches it: calls that are not resolved may"
        return Verdict(Severity.INFO, [], [fact], confidence=Confidence.ASSUMED)
    evidence = tuple(Note(_entry_place(c), "a training entry that does not reach it") for c in entries[:3])
    names = ", ".join(dict.fromkeys(c.entry.path for c in entries if c.entry)) or "any training code"
    return Verdict(reason=f"not reached from {names}", evidence=evidence)


def _entry_place(context: Context) -> Place:
    assert context.entry is not None
    return context.launcher or Place(context.entry.path, 1)


def conclude(
    code: str,
    site: Site,
    verdict: Verdict,
    message: str,
    anchor: str,
    related: tuple[Note, ...] = (),
    at: Place | None = None,
    fix: Fix | None = None,
) -> Finding | Dismissal:
    """What a verdict comes to: a finding with its trace and contexts, or a dismissal with its evidence.

    `anchor` is the text that the fingerprint is made of; `at` is where to point, the site when None.
    """
    place = at or site.at
    if verdict.severity is None:
        return Dismissal(code, place, verdict.reason, verdict.evidence, verdict.context_ids)
    return Finding(
        code,
        place,
        message + verdict.unless,
        verdict.severity,
        verdict.confidence,
        site.symbol,
        verdict.context_ids,
        verdict.trace,
        (*related, *verdict.related),
        fix,
        anchor,
        verdict.spared,
    )
