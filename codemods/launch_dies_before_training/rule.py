"""MM515: a launch of the tree ends before it trains, because its program cannot run as the tree stands."""

from __future__ import annotations

from collections.abc import Iterator

from mmcodemod.api import (
    Answer,
    Context,
    Death,
    Dismissal,
    Fatal,
    Finding,
    Origin,
    Project,
    Rule,
    Severity,
    Site,
    config_answers,
    config_site,
    dies,
)


def trigger(project: Project) -> Iterator[Site]:
    """Each line at which launches surely end before they train."""
    found: dict[Death, list[Context]] = {}
    for context in project.contexts:
        death = dies(project, context) if context.origin is Origin.LAUNCHED else None
        if death is not None and death.sure:
            found.setdefault(death, []).append(context)
    for death, contexts in sorted(found.items(), key=lambda pair: (pair[0].at, pair[0].why)):
        yield config_site(death.at, (death, contexts))


def check(project: Project, site: Site) -> Iterator[Finding | Dismissal]:
    death, contexts = site.data
    answers: list[tuple[Context, Answer]] = [(context, Fatal()) for context in contexts]

    def message(context: Context, answer: Answer) -> str:
        return f"The run never trains: it does not get past this line ({death.error}), because {death.why}."

    yield from config_answers.concluded(
        project, RULE.code, site.at, answers, message, death.why, ends=lambda *_: None
    )


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
