"""The list of rules, for people and as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict

from mmcodemod.model.frozen import frozen
from mmcodemod.model.rule import Rule
from mmcodemod.model.rule_stats import RuleStats
from mmcodemod.report import json


@frozen(order=True)
class Row:
    """What the list says of one rule."""

    code: str
    name: str
    family: str
    severity: str
    fixable: bool
    summary: str
    preview: bool = False


def row(rule: Rule) -> Row:
    severity, fixable = rule.severity.value, rule.fix is not None
    return Row(rule.code, rule.name, rule.family, severity, fixable, rule.summary, rule.preview)


def render(rows: Sequence[Row]) -> str:
    """One line a rule, sorted by code."""
    longest = max((len(r.name) for r in rows), default=0)
    lines = (
        f"{r.code}  {r.name:<{longest}}  {r.severity:<7}  {'fix' if r.fixable else '   '}  {_told_first(r)}"
        for r in sorted(rows)
    )
    return "".join(f"{line}\n" for line in lines)


def _told_first(row: Row) -> str:
    return f"(preview) {row.summary}" if row.preview else row.summary


def render_json(rows: Sequence[Row]) -> str:
    values: list[json.Value] = [asdict(r) for r in sorted(rows)]
    return json.dump({**json.header(), "rules": values})


_COLUMNS = ("positive", "negative", "proofs", "right", "wrong", "unclear")


def stats(rows: Sequence[Row], known: Mapping[str, RuleStats]) -> str:
    """One line a rule with its numbers, below the names of the columns. A rule without numbers has dashes:
    a plug-in's, and the findings that mmcodemod makes about its own comments."""
    longest = max((len(r.name) for r in rows), default=0)
    lines = [("", "", _COLUMNS), *((r.code, r.name, _numbers(known.get(r.code))) for r in sorted(rows))]
    return "".join(
        f"{code:<5}  {name:<{longest}}  {'  '.join(map('{:>8}'.format, cells))}\n"
        for code, name, cells in lines
    )


def _numbers(of: RuleStats | None) -> tuple[str, ...]:
    if of is None:
        return ("-",) * len(_COLUMNS)
    return tuple(map(str, (of.positive, of.negative, len(of.proved), of.right, of.wrong, of.unclear)))


def stats_json(rows: Sequence[Row], known: Mapping[str, RuleStats]) -> str:
    """The list of rules, with `stats` in each: null where there are no numbers."""
    values = [{**asdict(r), "stats": _told(known.get(r.code))} for r in sorted(rows)]
    return json.dump({**json.header(), "rules": list[json.Value](values)})


def _told(of: RuleStats | None) -> json.Value:
    if of is None:
        return None
    cases: json.Object = {"positive": of.positive, "negative": of.negative}
    trial: json.Object = {"right": of.right, "wrong": of.wrong, "unclear": of.unclear}
    return {"cases": cases, "proved": list[json.Value](of.proved), "field_trial": trial}
