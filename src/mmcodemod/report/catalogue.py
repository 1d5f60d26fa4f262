"""The list of rules, for people and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from mmcodemod.model.rule import Rule
from mmcodemod.report import json


@dataclass(frozen=True, order=True)
class Row:
    """What the list says of one rule."""

    code: str
    name: str
    family: str
    severity: str
    fixable: bool
    summary: str


def row(rule: Rule) -> Row:
    return Row(rule.code, rule.name, rule.family, rule.severity.value, rule.fix is not None, rule.summary)


def render(rows: Sequence[Row]) -> str:
    """One line a rule, sorted by code."""
    longest = max((len(r.name) for r in rows), default=0)
    lines = (
        f"{r.code}  {r.name:<{longest}}  {r.severity:<7}  {'fix' if r.fixable else '   '}  {r.summary}"
        for r in sorted(rows)
    )
    return "".join(f"{line}\n" for line in lines)


def render_json(rows: Sequence[Row]) -> str:
    values: list[json.Value] = [asdict(r) for r in sorted(rows)]
    return json.dump({**json.header(), "rules": values})
