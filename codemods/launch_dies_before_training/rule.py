"""MM515: a launch of the tree ends before it trains, because its program cannot run as the tree stands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mmcodemod.api import (
    Answer,
    Context,
    Death,
    Dismissal,
    Fatal,
    Finding,
    Origin,
    Place,
    Project,
    Rule,
    Severity,
    Site,
    Unclear,
    config_answers,
    config_site,
    dies,
)


def trigger(project: Project) -> Iterator[Site]:
    """Each line at which launches surely end before they train."""
    found: dict[Place, dict[Death, list[Context]]] = {}
    for context in project.contexts:
        death = dies(project, context) if context.origin is Origin.LAUNCHED else None
        if death is not None and (death.sure or death.kept) and not death.rule:
            found.setdefault(death.at, {}).setdefault(death, []).append(context)
    for at, deaths in sorted(found.items()):
        sure = {death: contexts for death, contexts in deaths.items() if death.sure}
        yield config_site(at, sure or deaths)


def check(project: Project, site: Site) -> Iterator[Finding | Dismissal]:
    deaths: dict[Death, list[Context]] = site.data
    answers = [(c, _answer(death)) for death, contexts in deaths.items() for c in contexts]

    def message(context: Context, answer: Answer) -> str:
        return _message(list(deaths))

    anchor = "; ".join(death.why for death in deaths)
    yield from config_answers.concluded(
        project, RULE.code, site.at, answers, message, anchor, ends=lambda *_: None
    )


def _answer(death: Death) -> Answer:
    """A note, where somebody may keep what the tree lacks outside of version control."""
    return Unclear(death.fact, plausible=False) if death.kept else Fatal()


def _message(deaths: Sequence[Death]) -> str:
    first, *others = deaths
    more = "".join(f"; for another launch, {death.why}" for death in others)
    ends = f"this line ends it ({first.error}), if nothing does before"
    begins = "With what is in the tree the run" if first.kept else "The run"
    return f"{begins} never trains: {ends}: {first.why}{more}."


RULE = Rule(
    code="MM515",
    name="launch-dies-before-training",
    summary="A launch ends before it trains, because its program cannot run as the tree stands",
    family="launch",
    severity=Severity.ERROR,
    since="0.1.0",
    trigger=trigger,
    check=check,
)
