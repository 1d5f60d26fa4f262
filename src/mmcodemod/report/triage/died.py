"""What died, where, and when: the part of the answer that needs no rule."""

from __future__ import annotations

import re

from mmcodemod.model.triage import Death, Seen, Stand
from mmcodemod.report.escape import visible
from mmcodemod.report.triage.page import Page
from mmcodemod.report.words import count, few

_DEATHS, _STANDS = 4, 8  # how many of each are shown


def died(page: Page) -> list[str]:
    """The first death, a few others, the collectives, and how the run was started."""
    seen = page.triage.seen
    lines = page.title("what died" + (f", {visible(_time(seen.time))}" if seen.time else ""))
    first = seen.first
    if first is None and not seen.stands:
        lines += [f"  {line}" for line in (_ends(seen) or ["the log shows no failure"])]
    others = [d for d in seen.deaths if d is not first]
    for death in [*([first] if first else []), *others][:_DEATHS]:
        lines += _death(death, page, first=death is first)
    left = len(seen.deaths) - _DEATHS + seen.more_deaths
    lines += [f"  and {count(left, 'more traceback')}"] if left > 0 else []
    return [*lines, *_stands(page), *_circumstances(page)]


def _time(written: str) -> str:
    """As the log writes it; the month and day of glog, `1122`, with a hyphen."""
    return re.sub(r"^(\d\d)(\d\d) ", r"\1-\2 ", written)


def _ends(seen: Seen) -> list[str]:
    return [f"line {q.line}: {visible(q.text)}" for q in seen.ends[:3]]


def _death(death: Death, page: Page, first: bool) -> list[str]:
    said = death.error + (f": {death.message}" if death.message else "")
    if not death.error:
        said = "a traceback without its last line"
    when = f" at {visible(death.time)}" if death.time else ""
    note = "; others die so in consequence" if death.consequence else ""
    which = "first, " if first and len(page.triage.seen.deaths) > 1 and not death.consequence else ""
    lines = [f"  {which}{_who(death.ranks)}{when} (line {death.line} of the log{note})"]
    lines += page.wrapped(said, "    ", most=4)
    own = [(f, page.triage.own[f.path]) for f in death.frames if f.path in page.triage.own]
    for frame, path in own[-3:]:
        lines.append(f"    at {visible(path)}:{frame.line}{_function(frame.function)}")
    if death.frames and not own and page.triage.checked:
        last = death.frames[-1]
        lines.append(f"    no line of this repository; last at {visible(last.path)}:{last.line}")
    return lines


def _function(name: str) -> str:
    return f" in {visible(name)}" if name else ""


def _who(ranks: tuple[str, ...]) -> str:
    if not ranks:
        return "a process"
    if all(r.isdecimal() for r in ranks):
        return f"rank{'s' if len(ranks) > 1 else ''} {few(ranks, 8)}"
    return few([visible(f"rank {r}" if r.isdecimal() else r) for r in ranks], 4)


def _stands(page: Page) -> list[str]:
    stands = page.triage.seen.stands
    if not stands:
        return []
    lines = ["  where the ranks stood when NCCL gave up"]
    groups: dict[tuple[int, str, int], list[Stand]] = {}
    for stand in stands:
        groups.setdefault((stand.sequence, stand.operation, stand.numel), []).append(stand)
    for (sequence, operation, numel), those in sorted(groups.items())[:_STANDS]:
        number = f"collective {sequence}, " if sequence >= 0 else ""
        size = f" of {count(numel, 'number')}" if numel >= 0 else ""
        who = _who(tuple(dict.fromkeys(s.rank for s in those if s.rank)))
        lines.append(f"    {who}: {number}{visible(operation)}{size} (line {those[0].line})")
    return [*lines, *page.wrapped(_verdict(groups, page.triage.seen), "    ")]


def _verdict(groups: dict[tuple[int, str, int], list[Stand]], seen: Seen) -> str:
    """What follows from where the ranks stood."""
    if len({key[1:] for key in groups}) > 1:
        return "They wait in different collectives: their ways have parted before."
    if len(groups) > 1:
        return "They are not at the same collective: some have run one more or less than others."
    waiting = {s.rank for those in groups.values() for s in those}
    quiet = [r for r in seen.ranks if r.isdecimal() and r not in waiting]
    if quiet:
        they = "It waits" if len(waiting) == 1 else "They wait"
        return f"{they} for a rank that never came. Without such a line: {_who(tuple(quiet))}."
    if len(waiting) == 1:
        return "It waits there. Of the other ranks this log says nothing: their own logs may."
    return "They wait in the same collective for a rank that never came, or that came with other sizes."


def _circumstances(page: Page) -> list[str]:
    seen, lines = page.triage.seen, []
    if seen.started:
        words = " ".join(seen.started[0].words)
        lines += page.wrapped(words, "  started   ", most=3)
    if len(page.triage.contexts) == 1:
        lines += page.wrapped(page.triage.contexts[0], "  which is  ")
    elif page.triage.contexts:
        number = len(page.triage.contexts)
        lines += page.wrapped(f"one of {number}: {few(page.triage.contexts, 4)}", "  the run   ")
    if seen.versions:
        lines += page.wrapped(", ".join(f"{n} {v}" for n, v in seen.versions), "  versions  ")
    return lines
