"""What `--profile` says on standard error: seconds by stage, then by rule."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from mmcodemod.model.report import Stats

SMALL = 0.01
"""The part of all rules' seconds below which a rule has no line of its own."""


def lines(stats: Stats, names: Mapping[str, str]) -> list[str]:
    """Stages as they ran, rules with the slowest first. `names` maps codes to rule names."""
    stages = [_line(seconds, stage) for stage, seconds in stats.seconds.items()]
    return [*stages, *_by_rule(stats.rule_seconds, names)]


def _by_rule(seconds: Mapping[str, float], names: Mapping[str, str]) -> Iterator[str]:
    if not seconds:
        return
    yield "by rule (what several of them share counts for the first):"
    least = SMALL * sum(seconds.values())
    for code in sorted(seconds, key=lambda code: (-seconds[code], code)):
        if seconds[code] >= least:
            yield _line(seconds[code], f"{code} {names.get(code, '')}".rstrip())
    small = [each for each in seconds.values() if each < least]
    if small:
        yield _line(sum(small), f"{len(small)} more, each below {SMALL:.0%}".replace("%", " %"))


def _line(seconds: float, what: str) -> str:
    return f"{seconds:8.3f} s  {what}"
