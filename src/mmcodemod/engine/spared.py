"""What findings of one rule mean for the launches that they spare: one dismissal for each launch."""

from __future__ import annotations

from collections.abc import Iterable

from mmcodemod.model.finding import Dismissal, Finding, Note, Spared
from mmcodemod.model.place import Place

MAX_NAMED = 2  # places named in a reason
MAX_EVIDENCE = 3


def spared(findings: Iterable[Finding]) -> list[Dismissal]:
    """One dismissal for each rule and launch, whatever the number of places that the launch comes past."""
    groups: dict[tuple[str, Place], list[tuple[Finding, Spared]]] = {}
    for finding in findings:
        for one in finding.spared:
            groups.setdefault((finding.rule, one.launch), []).append((finding, one))
    return [_dismissal(rule, launch, group) for (rule, launch), group in groups.items()]


def _dismissal(rule: str, launch: Place, group: list[tuple[Finding, Spared]]) -> Dismissal:
    places = sorted({finding.at for finding, _ in group})
    whys = list(dict.fromkeys(one.why for _, one in group))
    contexts = tuple(sorted({one.context for _, one in group}))
    reason = f"this run comes past {_listed(places)}: {whys[0].note}"
    return Dismissal(rule, launch, reason, _evidence(whys), contexts)


def _listed(places: list[Place]) -> str:
    rest = len(places) - MAX_NAMED
    more = f" (+{rest})" if rest > 0 else ""
    return " and ".join(map(str, places[:MAX_NAMED])) + more


def _evidence(whys: list[Note]) -> tuple[Note, ...]:
    return tuple(whys[:MAX_EVIDENCE])
