"""Joins what a log says with what the check finds: the places that can explain it, likeliest first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from mmcodemod.model.finding import Dismissal, Finding
from mmcodemod.model.grade import Severity
from mmcodemod.model.report import Report
from mmcodemod.model.triage import (
    PROPER,
    Candidate,
    Death,
    Frame,
    Heard,
    Likely,
    Quote,
    Reason,
    Seen,
    Triage,
    Unplaced,
)
from mmcodemod.triage.belonging import Belonging, belonging
from mmcodemod.triage.places import Files

TEXT = 10  # points for each of a signature's weight; the others are measured against it
SEVERITY = {Severity.ERROR: 6, Severity.WARNING: 3, Severity.INFO: -10}
THE_LINE, THE_FUNCTION, THE_FILE, ON_THE_WAY = 14, 8, 2, 4
_COMMON = frozenset(("__init__", "forward", "__call__", "__getitem__"))  # several classes of a file have them
SAME_NAME = 60  # lines by which one of these may have moved
NEAR = 3  # lines by which a place may have moved since the run
OTHER_RUN, SAME_RUN = -20, 6
CONSEQUENCE = 2  # what a frame is divided by when its rank died because another one had
_FEW = 4  # reasons of one kind


def triage(seen: Seen, report: Report, paths: Iterable[str]) -> Triage:
    """The answer for a repository that was checked. `paths` are its files."""
    files, heard = Files(paths), _by_rule(seen.heard)
    runs = belonging(seen, report.contexts, files)
    places: list[Finding | Dismissal] = [*report.findings, *report.dismissed]
    candidates = [_candidate(p, heard[p.rule], seen, runs, files) for p in places if p.rule in heard]
    placed = {c.rule for c in candidates}
    own = {f.path: path for d in seen.deaths for f, path in files.frames(d)}
    return Triage(
        seen=seen,
        candidates=tuple(sorted(candidates, key=_order)),
        unplaced=_unplaced(heard, placed),
        elsewhere=_elsewhere(seen),
        contexts=tuple(sorted(runs.likely)) if runs.told else (),
        own=own,
    )


def unchecked(seen: Seen) -> Triage:
    """The answer without a repository."""
    return Triage(seen, (), _unplaced(_by_rule(seen.heard), set()), _elsewhere(seen), checked=False)


def _by_rule(heard: Iterable[Heard]) -> dict[str, list[Heard]]:
    """What was heard of each rule, heaviest first."""
    found: dict[str, list[Heard]] = {}
    for one in sorted(heard, key=lambda h: (-h.signature.weight, h.quotes[0].line)):
        if one.signature.rule:
            found.setdefault(one.signature.rule, []).append(one)
    return found


def _elsewhere(seen: Seen) -> tuple[Heard, ...]:
    return tuple(h for h in seen.heard if not h.signature.rule)


def _unplaced(heard: dict[str, list[Heard]], placed: set[str]) -> tuple[Unplaced, ...]:
    """Rules that the log looks like, heaviest first. Next to a text that names one cause, those that share a
    symptom with many others say nothing."""
    found = [Unplaced(rule, tuple(texts)) for rule, texts in heard.items() if rule not in placed]
    return tuple(sorted(found, key=lambda u: (-u.heard[0].signature.weight, u.rule)))


def _order(candidate: Candidate) -> tuple[int, int, str, str, int]:
    levels = list(Likely)
    at = candidate.place.at
    return (levels.index(candidate.likely), -candidate.score, candidate.rule, at.path, at.line)


def _candidate(
    place: Finding | Dismissal, heard: Sequence[Heard], seen: Seen, runs: Belonging, files: Files
) -> Candidate:
    frames = _frame_reasons(place, seen, files)
    reasons = [*_texts(heard), *frames, *_runs(place, runs)]
    proved = any(_ends_at(place, death, files) for death in seen.deaths)
    if isinstance(place, Finding) and not (proved and place.severity is Severity.INFO):
        reasons.append(Reason(f"the check says {place.severity.value}", SEVERITY[place.severity]))
    score = sum(r.points for r in reasons)
    likely = _likely(place, heard[0].signature.weight, bool(frames), runs, seen)
    return Candidate(place, likely, score, tuple(r for r in reasons if r.points))


def _likely(place: Finding | Dismissal, weight: int, touched: bool, runs: Belonging, seen: Seen) -> Likely:
    """A text of its own and a place that the check stands for explain; less is possible."""
    if isinstance(place, Dismissal):
        return Likely.THOUGHT_SAFE
    elsewhere = runs.told and place.contexts and not runs.likely & set(place.contexts)
    loud = place.severity is not Severity.INFO or (touched and weight > PROPER)
    return Likely.EXPLAINS if weight >= PROPER and loud and not elsewhere else Likely.POSSIBLE


def _texts(heard: Sequence[Heard]) -> Iterator[Reason]:
    """The heaviest text counts in full, others of the same rule a little."""
    for i, one in enumerate(heard[:_FEW]):
        weight = one.signature.weight
        yield Reason(one.signature.about, weight * TEXT if not i else weight, one.quotes[0])


def _runs(place: Finding | Dismissal, runs: Belonging) -> Iterator[Reason]:
    if not runs.told or not place.contexts:
        return
    whose = f"{len(runs.likely)} of the {runs.among} runs here, those that {runs.why}"
    shared = sorted(runs.likely & set(place.contexts))
    if shared:
        text = f"the log can be of {whose}; this place concerns {_listed(shared)}"
        yield Reason(text, SAME_RUN, _line_of(runs))
    else:
        text = f"the log can be of {whose}; this place concerns none of them, but {_listed(place.contexts)}"
        yield Reason(text, OTHER_RUN, _line_of(runs))


def _listed(runs: Sequence[str]) -> str:
    return ", ".join(runs[:_FEW]) + (f" (+{len(runs) - _FEW})" if len(runs) > _FEW else "")


def _line_of(runs: Belonging) -> Quote | None:
    return Quote(runs.line, "") if runs.line else None


def _frame_reasons(place: Finding | Dismissal, seen: Seen, files: Files) -> list[Reason]:
    """The frames that touch the place, or the way to it; each only once, the best first."""
    found: dict[str, Reason] = {}
    for death in seen.deaths:
        for frame, path in files.frames(death):
            points, how = _touches(place, frame, path)
            if points:
                points = max(points // (CONSEQUENCE if death.consequence else 1), 1)
                where = f"{path}:{frame.line}{_in(frame)}"
                text = f"{_who(death)} died below {where}, {how}"
                if points >= THE_LINE and _ends_at(place, death, files):
                    text = f"{_who(death)} died at {where}, {how}: its traceback ends there"
                reason = Reason(text, points, _at(death))
                kept = found.get(reason.text)
                found[reason.text] = reason if kept is None or kept.points < points else kept
    best = sorted(found.values(), key=lambda r: -r.points)
    better = [r for r in best if r.points > THE_FILE] or best[:1]
    return better[:1] + [Reason(r.text, min(r.points, ON_THE_WAY), r.quote) for r in better[1:_FEW]]


def _ends_at(place: Finding | Dismissal, death: Death, files: Files) -> bool:
    """Is the place the last line of the repository in a traceback? Then the run died there, however sure the
    check is. A rank that died in consequence proves nothing."""
    frame, path = next(reversed(files.frames(death)), (None, ""))
    if frame is None or death.consequence or path != place.at.path:
        return False
    return place.at.line <= frame.line <= place.at.last_line


def _touches(place: Finding | Dismissal, frame: Frame, path: str) -> tuple[int, str]:
    """How near a frame is to the place: points, and a phrase."""
    at = place.at
    if path == at.path:
        if at.line - NEAR <= frame.line <= at.last_line + NEAR:
            return THE_LINE, "which is the place"
        symbol = place.symbol.rpartition(".")[2] if isinstance(place, Finding) else ""
        moved = SAME_NAME if symbol in _COMMON else 10**9
        if symbol and frame.function.rpartition(".")[2] == symbol and abs(frame.line - at.line) <= moved:
            return THE_FUNCTION, "in the function of the place"
        return THE_FILE, "in the file of the place"
    steps = place.trace if isinstance(place, Finding) else ()
    if any(s.at.path == path and abs(s.at.line - frame.line) <= NEAR for s in steps):
        return ON_THE_WAY, "on the way to the place"
    return 0, ""


def _who(death: Death) -> str:
    if not death.ranks:
        return "a process"
    numbers = all(r.isdecimal() for r in death.ranks)
    more = f" (+{len(death.ranks) - 4})" if len(death.ranks) > 4 else ""
    kind = "" if not numbers else "ranks " if len(death.ranks) > 1 else "rank "
    return kind + ", ".join(death.ranks[:4]) + more


def _in(frame: Frame) -> str:
    return f" in {frame.function}" if frame.function and frame.function != "<module>" else ""


def _at(death: Death) -> Quote:
    return Quote(death.line, "", death.ranks[0] if death.ranks else "")
