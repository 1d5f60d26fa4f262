"""A triage for a person: what died, what can have caused it, what to do next. What a log or a repository
says is written out (escape.py) before a terminal sees it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from mmcodemod.model.finding import Dismissal, Finding
from mmcodemod.model.grade import Applicability, Severity
from mmcodemod.model.triage import PROPER, Candidate, Likely, Reason, Seen, Triage, Unplaced
from mmcodemod.report.escape import visible
from mmcodemod.report.triage.died import died
from mmcodemod.report.triage.page import PLAINLY, Page, Style, quotation, quoted
from mmcodemod.report.words import advice, count

_TITLES = {
    Likely.EXPLAINS: "what can cause it, likeliest first",
    Likely.POSSIBLE: "possible, but little speaks for it",
    Likely.THOUGHT_SAFE: "mmcodemod thinks that these places are safe",
}
_UNPLACED = 6  # how many texts of rules without a place are shown
_INFERENCE = "runs only for inference"  # the reason with which rules dismiss such a place


def render(triage: Triage, log: str, names: Mapping[str, str], style: Style = PLAINLY) -> str:
    """The whole answer. `log` is its name, `names` maps codes to rule names."""
    page = Page(triage, names, style)
    lines = [
        _head(triage.seen, log),
        *died(page),
        *(line for likely in Likely for line in _candidates(page, likely)),
        *_unplaced(page),
        *_elsewhere(page),
        *_next(page),
    ]
    return "\n".join(lines) + "\n"


def _head(seen: Seen, log: str) -> str:
    ranks = [r for r in seen.ranks if r.isdecimal()]
    who = f", {count(len(ranks), 'rank')} speak in it" if len(ranks) > 1 else ""
    return f"{visible(log)}: {count(seen.lines, 'line')}, {_size(seen.size)}{who}"


def _size(size: int) -> str:
    for unit in ("bytes", "KB", "MB"):
        if size < 1000:
            return f"{size:.0f} {unit}"
        size = size / 1000  # type: ignore[assignment]
    return f"{size:.1f} GB"


def _candidates(page: Page, likely: Likely) -> list[str]:
    those = [c for c in page.triage.candidates if c.likely is likely]
    if not those:
        return []
    safe = likely is Likely.THOUGHT_SAFE and not page.style.every
    if safe and page.triage.explained:
        return ["", f"{count(len(those), 'place')} {'is' if len(those) == 1 else 'are'} thought safe (--all)"]
    shown = [c for c in those if not (safe and _untrained(c))]
    most = _most(page.style, likely) or len(those)
    lines = page.title(_TITLES[likely]) if shown else [""]
    for number, candidate in enumerate(shown[:most], 1):
        lines += _candidate(candidate, f"{number}. ", page)
    left, idle = len(shown) - most, len(those) - len(shown)
    lines += [f"  and {count(left, 'more place')} (--most)"] if left > 0 else []
    runs = "runs" if idle == 1 else "run"
    return [
        *lines,
        *([f"  {count(idle, 'place')} that {runs} only for inference left out (--all)"] if idle else []),
    ]


def _untrained(candidate: Candidate) -> bool:
    """Does the place run only for inference, and does no traceback of the log touch it?"""
    place = candidate.place
    touched = any(f" {place.at.path}:" in r.text for r in candidate.reasons)
    return isinstance(place, Dismissal) and place.reason == _INFERENCE and not touched


def _most(style: Style, likely: Likely) -> int:
    """How many places of a kind are shown; 0: all."""
    if style.every:
        return 0
    return style.most if likely is Likely.EXPLAINS else (style.most + 1) // 2


def _candidate(candidate: Candidate, number: str, page: Page) -> list[str]:
    place, palette = candidate.place, page.style.palette
    where = palette.paint("bold", f"{visible(place.at.path)}:{place.at.line}")
    if isinstance(place, Dismissal):
        head = [f"  {number}{where}  {page.rule(place.rule)}"]
        return [*head, *page.wrapped(f"because {place.reason}", "     "), *_evidence(place)]
    severity = palette.paint(place.severity.value, place.severity.value)
    lines = [f"  {number}{where}  {severity}  {page.rule(place.rule)}"]
    lines += page.wrapped(place.message, "     ")
    lines += ["     what speaks for it", *(row for r in candidate.reasons for row in _reason(r, page))]
    if candidate.likely is Likely.EXPLAINS:
        lines += _trace(place, page)
    return [*lines, *_advice(place, page)]


def _evidence(place: Dismissal) -> list[str]:
    return [f"       {visible(str(n.at))}   {visible(n.note)}" for n in place.evidence[:2]]


def _reason(reason: Reason, page: Page) -> list[str]:
    where = f"log {reason.quote.line}: " if reason.quote else ""
    sign = "" if reason.points > 0 else "(against) "
    lines = page.wrapped(f"{sign}{where}{reason.text}", "       ")
    quote = reason.quote.text if reason.quote else ""
    return lines + [f"         | {line}" for line in quoted(quote, page)]


def _trace(place: Finding, page: Page) -> list[str]:
    steps = place.trace
    if not steps:
        return []
    shown = [*steps[:2], *steps[max(len(steps) - 3, 2) :]]
    rows = [row for s in shown for row in page.wrapped(f"{s.at}   {s.note}", "       ")]
    return ["     how the run gets here", *rows]


def _advice(place: Finding, page: Page) -> list[str]:
    more = f"     more   {page.style.palette.paint('dim', f'mmcodemod explain {place.rule}')}"
    if place.fix is None:
        return [more]
    command = _command(place)
    asked = (
        f" ({command}: a note is mended only where its rule is selected)" if command and _note(place) else ""
    )
    return [*page.wrapped(advice(place.fix) + asked, "     fix    "), more]


def _note(place: Finding) -> bool:
    return place.severity is Severity.INFO


def _command(place: Finding) -> str:
    """What shows the patch; "" where nothing can be written."""
    if place.fix is None or not place.fix.edits or place.fix.applicability is Applicability.DISPLAY:
        return ""
    unsafe = " --unsafe" if place.fix.applicability is Applicability.UNSAFE else ""
    return f"mmcodemod fix --select {place.rule}{unsafe}"


def _unplaced(page: Page) -> list[str]:
    """Rules without a place. Symptoms that many share are told only where nothing better is known."""
    those = page.triage.unplaced
    heaviest = max((u.heard[0].signature.weight for u in those), default=0)
    shown = [u for u in those if u.heard[0].signature.weight >= max(heaviest - 1, PROPER)]
    if page.triage.explained and page.triage.checked:
        shown = [u for u in shown if u.heard[0].signature.weight >= 4]
    if not shown:
        return []
    title = "what the log looks like" + (", as many failures do" if heaviest <= PROPER else "")
    lines = page.title(f"{title}, without a place here" if page.triage.checked else title)
    alike: dict[tuple[str, str], list[Unplaced]] = {}
    for one in shown:
        best = one.heard[0]
        alike.setdefault((best.signature.about, best.quotes[0].text), []).append(one)
    groups = list(alike.values())
    for group in groups[:_UNPLACED]:
        lines += _told(group, page)
    left = sum(map(len, groups[_UNPLACED:]))
    return [*lines, *([f"  and {count(left, 'more rule')}"] if left > 0 else [])]


def _told(those: list[Unplaced], page: Page) -> list[str]:
    """Rules that the same line looks like, with what it says."""
    best = those[0].heard[0]
    rules = ", ".join(page.rule(one.rule) for one in those)
    which = those[0].rule if len(those) == 1 else "CODE"
    end = (
        f"; no place here is known to cause it; see mmcodemod explain {which}" if page.triage.checked else ""
    )
    lines = page.wrapped(f"{best.signature.about}: {rules}{end}", "  ")
    return [*lines, *quotation(best.quotes[0], page)]


def _elsewhere(page: Page) -> list[str]:
    those = page.triage.elsewhere
    if not those:
        return []
    lines = page.title("what the log says besides, of causes that no rule looks for")
    for one in those[:_UNPLACED]:
        lines += [*page.wrapped(one.signature.about, "  "), *quotation(one.quotes[0], page)]
    return lines


def _next(page: Page) -> list[str]:
    return [
        *page.title("what to do next"),
        *(row for text in _advices(page) for row in page.wrapped(text, "  ")),
    ]


def _advices(page: Page) -> Iterable[str]:
    triage = page.triage
    best = next(iter(triage.candidates), None)
    if triage.explained and best is not None:
        place = best.place
        yield f"mmcodemod explain {place.rule} says what happens and what to do."
        command = _command(place) if isinstance(place, Finding) else ""
        if command:
            yield f"{command} shows the patch; --apply writes it."
    elif triage.explained:
        yield "Run it in the repository, without --no-check, to get the places."
    elif not triage.seen.died:
        yield "Nothing in this log is a failure that mmcodemod knows, and nothing in it died."
    else:
        yield from _honest(triage)


def _honest(triage: Triage) -> Iterable[str]:
    where = "No place of this repository" if triage.checked else "No rule"
    yield f"{where} explains this failure as far as mmcodemod can see."
    first = triage.seen.first
    if first is not None and not first.consequence:
        yield f"Begin with line {first.line} of the log: what comes later is often a mere consequence."
    elif triage.seen.stands or first is not None:
        yield (
            "What is there are consequences: look for the rank that is silent, or that ended before line "
            f"{first.line if first else triage.seen.stands[0].line}, also in the logs of other machines."
        )
