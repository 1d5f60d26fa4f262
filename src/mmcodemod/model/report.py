"""The result of one check, ready for any reporter."""

from __future__ import annotations

from dataclasses import field

from mmcodemod.model.context import Context
from mmcodemod.model.finding import Dismissal, Finding, Problem
from mmcodemod.model.frozen import held


@held()
class Stats:
    """files and lines of Python read, files that LibCST parsed (`scanned`). With --profile: `seconds` by
    stage, in the order of their beginning, and `rule_seconds` by code."""

    files: int = 0
    lines: int = 0
    scanned: int = 0
    seconds: dict[str, float] = field(default_factory=dict)
    rule_seconds: dict[str, float] = field(default_factory=dict)


@held()
class Report:
    """Sorted: findings by (path, line, column, rule), dismissals likewise, problems by path. `known`: how
    many findings are left out because somebody knows them, `known_as` says who."""

    findings: tuple[Finding, ...] = ()
    dismissed: tuple[Dismissal, ...] = ()
    problems: tuple[Problem, ...] = ()
    contexts: tuple[Context, ...] = ()
    stats: Stats = Stats()
    known: int = 0
    known_as: str = "in the baseline"
