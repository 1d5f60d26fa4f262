"""Run rules over a project: trigger, judge, confirm with LibCST, fix. A crashing rule is one Problem."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING

from mmcodemod.engine.fold import folded
from mmcodemod.engine.previewed import previewed
from mmcodemod.engine.profile import OFF, Profile
from mmcodemod.engine.spared import spared
from mmcodemod.model.finding import Dismissal, Finding, Problem
from mmcodemod.model.fix import Fix
from mmcodemod.model.frozen import mutable
from mmcodemod.model.rule import Rule
from mmcodemod.project.model import Project
from mmcodemod.project.site import Site

if TYPE_CHECKING:
    from mmcodemod.scan.confirm import Scanner


@mutable()
class Outcome:
    """What all rules together found."""

    findings: list[Finding] = field(default_factory=list)
    dismissed: list[Dismissal] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    scanned: int = 0


def run_rules(
    project: Project,
    rules: Sequence[Rule],
    tell: Callable[[str], None] = lambda _: None,
    profile: Profile = OFF,
    preview: bool = False,
) -> Outcome:
    """Judge every candidate of every rule. `tell` hears what goes on, `profile` counts seconds; without
    `preview` the rules in preview speak in notes."""
    outcome = Outcome()
    scanning = _Lazy(project)
    for number, rule in enumerate(rules, start=1):
        tell(f"judging {number}/{len(rules)} rules: {rule.name}")
        with profile.rule(rule.code):
            outcome.problems += _run(project, rule, outcome, scanning)
    outcome.dismissed = folded([*outcome.dismissed, *spared(outcome.findings)])
    outcome.findings = [replace(f, spared=()) for f in outcome.findings]
    if not preview:
        outcome.findings = previewed(rules, outcome.findings)
    outcome.problems += scanning.problems
    outcome.scanned = scanning.scanned
    return outcome


class _Lazy:
    """A Scanner that imports LibCST only when something is confirmed."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._scanner: Scanner | None = None

    def __call__(self) -> Scanner:
        if self._scanner is None:
            from mmcodemod.scan.confirm import Scanner

            self._scanner = Scanner(self._project)
        return self._scanner

    @property
    def problems(self) -> list[Problem]:
        return self._scanner.problems if self._scanner else []

    @property
    def scanned(self) -> int:
        return self._scanner.scanned if self._scanner else 0


def _run(
    project: Project, rule: Rule, outcome: Outcome, scanning: Callable[[], Scanner]
) -> Iterator[Problem]:
    """One rule, isolated: this is the place where a rule may crash without taking the run with it."""
    try:
        for site in rule.trigger(project):
            for result in list(rule.check(project, site)):
                _keep(project, rule, site, result, outcome, scanning)
    except Exception as error:  # isolates one rule
        yield Problem("", "rule", f"{rule.code} {rule.name} crashed: {type(error).__name__}: {error}")


def _keep(
    project: Project,
    rule: Rule,
    site: Site,
    result: Finding | Dismissal,
    outcome: Outcome,
    scanning: Callable[[], Scanner],
) -> None:
    if isinstance(result, Dismissal):
        outcome.dismissed.append(result)
        return
    if site.kind and rule.pattern is not None:
        scanned = scanning().file(site.path, {site.kind})
        node = scanned.node(site) if scanned else None
        if node is None:
            outcome.findings.append(result)  # LibCST cannot read it: told as a problem, no fix
            return
        if not rule.pattern(node):
            return
    fix = _fix(project, rule, site, result, outcome.problems)
    capped = result.severity.capped(rule.severity)
    outcome.findings.append(replace(result, fix=fix or result.fix, severity=capped))


def _fix(project: Project, rule: Rule, site: Site, finding: Finding, problems: list[Problem]) -> Fix | None:
    """What the rule writes; nothing where LibCST, which goes down the code step by step, cannot write it."""
    if rule.fix is None:
        return None
    try:
        return rule.fix(project, site, finding)
    except RecursionError:
        why = f"{rule.code}: no fix, the code is nested too deeply to be rewritten"
        problems.append(Problem(site.path, "fix", why, finding.at.line))
        return None
