"""Problems that no finding tells of: what is wrong with one configuration is said once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from mmcodemod.model.context import Context
from mmcodemod.model.finding import Finding, Problem


def untold(
    problems: Iterable[Problem], findings: Iterable[Finding], contexts: Iterable[Context]
) -> tuple[Problem, ...]:
    """All but those of a configuration that holds nothing readable, when a finding in it says so."""
    every = tuple(problems)
    runs = {context.id: context for context in contexts}
    told = {p for f in findings for run in f.contexts if run in runs for p in _told(f, runs[run], every)}
    return tuple(problem for problem in every if problem not in told)


def _told(finding: Finding, run: Context, problems: tuple[Problem, ...]) -> Iterator[Problem]:
    """The problems of a configuration of which nothing can be read (the reader of a launch says so, where the
    launch names it): those of the launch, and those of the file."""
    at = run.option("deepspeed").at
    if at is None or finding.at.path not in run.configs:
        return
    configuration = [p for p in problems if p.kind == "config"]
    named = [p for p in configuration if (p.path, p.line) == (at.path, at.line) and p.message in run.notes]
    if named:
        yield from named
        yield from (p for p in configuration if p.path == finding.at.path)
