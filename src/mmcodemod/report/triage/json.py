"""The JSON of a triage (docs/triage.md). Equal input gives equal bytes."""

from __future__ import annotations

from collections.abc import Mapping

from mmcodemod.model.finding import Finding
from mmcodemod.model.triage import Candidate, Death, Heard, Quote, Reason, Seen, Stand, Triage
from mmcodemod.report.json import Object, Value, dump, findings, header


def render(triage: Triage, log: str, names: Mapping[str, str]) -> str:
    """The whole answer. `names` maps codes to rule names."""
    return dump(
        {
            **header(),
            "log": log,
            "explained": triage.explained,
            "checked": triage.checked,
            "seen": _seen(triage),
            "contexts": list[Value](triage.contexts),
            "candidates": [_candidate(c, names) for c in triage.candidates],
            "unplaced": [
                {**_rule(u.rule, names), "signatures": [_heard(h) for h in u.heard]} for u in triage.unplaced
            ],
            "elsewhere": [_heard(h) for h in triage.elsewhere],
        }
    )


def _seen(triage: Triage) -> Object:
    seen = triage.seen
    first = seen.first
    return {
        "lines": seen.lines,
        "bytes": seen.size,
        "ranks": list[Value](seen.ranks),
        "first": None if first is None else seen.deaths.index(first),
        "deaths": [_death(d, triage.own) for d in seen.deaths],
        "deaths_left_out": seen.more_deaths,
        "watchdog": [_stand(s) for s in seen.stands],
        "started": [{"line": s.line, "words": list[Value](s.words)} for s in seen.started],
        "ends": [_quote(q) for q in seen.ends],
        **_circumstances(seen),
    }


def _circumstances(seen: Seen) -> Object:
    return {
        "time": seen.time,
        "versions": dict[str, Value](seen.versions),
        "strategies": list[Value](seen.strategies),
    }


def _death(death: Death, own: Mapping[str, str]) -> Object:
    frames: list[Value] = [
        {"path": f.path, "line": f.line, "function": f.function, "file": own.get(f.path)}
        for f in death.frames
    ]
    return {
        "error": death.error,
        "message": death.message,
        "line": death.line,
        "time": death.time,
        "ranks": list[Value](death.ranks),
        "count": death.count,
        "consequence": death.consequence,
        "frames": frames,
    }


def _stand(stand: Stand) -> Object:
    return {
        "rank": stand.rank,
        "sequence": stand.sequence if stand.sequence >= 0 else None,
        "operation": stand.operation,
        "numel": stand.numel if stand.numel >= 0 else None,
        "timeout_ms": stand.limit if stand.limit >= 0 else None,
        "line": stand.line,
    }


def _candidate(candidate: Candidate, names: Mapping[str, str]) -> Object:
    place = candidate.place
    told: Object = {"likely": candidate.likely.value, "score": candidate.score}
    reasons: Object = {"reasons": [_reason(r) for r in candidate.reasons]}
    if isinstance(place, Finding):
        found = findings((place,), names)
        return {**told, **_rule(place.rule, names), **reasons, "finding": found[0], "dismissal": None}  # type: ignore[index]
    dismissed: Object = {
        "path": place.at.path,
        "line": place.at.line,
        "reason": place.reason,
        "evidence": [{"path": n.at.path, "line": n.at.line, "note": n.note} for n in place.evidence],
    }
    return {**told, **_rule(place.rule, names), **reasons, "finding": None, "dismissal": dismissed}


def _rule(code: str, names: Mapping[str, str]) -> Object:
    return {"rule": code, "name": names.get(code, code)}


def _reason(reason: Reason) -> Object:
    return {
        "text": reason.text,
        "points": reason.points,
        "quote": _quote(reason.quote) if reason.quote else None,
    }


def _heard(heard: Heard) -> Object:
    signature = heard.signature
    return {
        "symptom": signature.symptom.value,
        "weight": signature.weight,
        "about": signature.about,
        "count": heard.count,
        "ranks": list[Value](heard.ranks),
        "quotes": [_quote(q) for q in heard.quotes],
    }


def _quote(quote: Quote) -> Object:
    return {"line": quote.line, "rank": quote.rank, "text": quote.text}
