"""Small phrases: counts with the right grammar, labels of contexts, the summary line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from mmcodemod.model.context import Context, Origin
from mmcodemod.model.finding import Finding
from mmcodemod.model.fix import Fix
from mmcodemod.model.grade import Applicability, Severity
from mmcodemod.model.report import Report
from mmcodemod.report.escape import visible

FEW = 3  # names in a list that is cut

_ADVICE = {
    Applicability.SAFE: "safe: ",
    Applicability.UNSAFE: "unsafe (--unsafe): ",
    Applicability.DISPLAY: "by hand: ",
}


def count(number: int, noun: str) -> str:
    """`1 file`, `2 files`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def few(labels: Sequence[str], most: int = FEW) -> str:
    """`a, b, c (+2)`."""
    rest = f" (+{len(labels) - most})" if len(labels) > most else ""
    return ", ".join(labels[:most]) + rest


def plain(text: str) -> str:
    """A message on one line, harmless to whatever shows it as it is."""
    return visible(" ".join(text.split()))


def heading(code: str, names: Mapping[str, str]) -> str:
    """`MM303 ds-gradient-clipping-absent`."""
    return f"{code} {names.get(code, '')}".rstrip()


def advice(fix: Fix) -> str:
    """`safe: add "gradient_clipping": "auto"`."""
    return _ADVICE[fix.applicability] + plain(fix.title)


def from_top(path: str, folder: str) -> str:
    """A path of the tree, relative to the top of the repository in which the tree is `folder`."""
    return f"{folder}/{path}" if folder else path


def labels(contexts: Iterable[Context]) -> dict[str, str]:
    """Context id -> its shortest unambiguous name: the end of its path, with the line where needed. All ends
    have as many folders as the one that needs the most, so that they compare."""
    ids = [context.id for context in contexts]
    taken = Counter(form for i in ids for form in _forms(i))
    found = {i: next((form for form in _forms(i) if taken[form] == 1), i) for i in ids}
    deepest = max((form.count("/") for form in found.values()), default=0)
    return {i: visible(_deeper(form, i, deepest)) for i, form in found.items()}


def _deeper(form: str, context_id: str, folders: int) -> str:
    """The same end of an id with so many folders, or with all that there are."""
    before = context_id.partition(":")[0].removesuffix(form.partition(":")[0]).rstrip("/").split("/")
    missing = folders - form.count("/")
    return "/".join([*(p for p in before[len(before) - missing :] if p), form]) if missing > 0 else form


def runs(report: Report) -> str:
    """`2 runs will fail or train wrongly, 8 may, 3 look right`; empty when the tree shows no run."""
    return ", ".join(said for _, said in outlook(report))


def outlook(report: Report) -> list[tuple[Severity | None, str]]:
    """What the runs have to expect, by the loudest finding of each: an error says that a run will fail, a
    warning that it may, None stands for no finding. Which look right is not said when a baseline hides
    findings."""
    loudest = {c.id: -1 for c in report.contexts if c.origin is not Origin.LIBRARY}
    for finding in report.findings:
        for i in loudest.keys() & finding.contexts:
            loudest[i] = max(loudest[i], finding.severity.rank)
    numbers = Counter(loudest.values())
    told = [(s, numbers[-1 if s is None else s.rank]) for s in (*reversed(Severity), None)]
    told = [(s, number) for s, number in told if number and not (s is None and report.known)]
    return [(s, _expected(s, number, first=not at)) for at, (s, number) in enumerate(told)]


def _expected(severity: Severity | None, number: int, first: bool) -> str:
    """`2 runs may fail or train wrongly`, and behind another such phrase `2 may`."""
    one = number == 1
    verb = {
        Severity.ERROR: "will fail or train wrongly",
        Severity.WARNING: "may fail or train wrongly" if first else "may",
        Severity.INFO: f"{'has' if one else 'have'} notes",
        None: f"{'looks' if one else 'look'} right",
    }[severity]
    return f"{count(number, 'run') if first else number} {verb}"


def tally(findings: Iterable[Finding]) -> str:
    """`2 errors, 1 warning`, or `no findings`."""
    counts = Counter(finding.severity for finding in findings)
    words = [(Severity.ERROR, "error"), (Severity.WARNING, "warning"), (Severity.INFO, "note")]
    return ", ".join(count(counts[s], word) for s, word in words if counts[s]) or "no findings"


def summary(
    report: Report,
    seconds: float | None = None,
    hint: str = " (--show-dismissed)",
    read: int = 0,
    shows_known: str = "",
) -> str:
    """The last line of a check. `read`: how many files there were, told when none of them is Python;
    `shows_known`: the command that shows what is left out because it is known."""
    counts = tally(report.findings)
    if report.known:
        counts = counts.replace("no findings", "no new findings")
        counts += f", {report.known} {visible(report.known_as)}"
        counts += f" ({visible(shows_known)})" if shows_known else ""
    if report.dismissed:
        counts += f", {len(report.dismissed)} dismissed{hint}"
    files = count(report.stats.files or read, "file")
    took = "" if seconds is None else f" in {seconds:.1f} s"
    return " · ".join(part for part in (runs(report), counts, files + took) if part)


def _forms(context_id: str) -> list[str]:
    """Shorter names of a context, the best first: ends of its path, then the same with the line."""
    path, _, line = context_id.partition(":")
    parts = path.split("/")
    ends = ["/".join(parts[at:]) for at in range(len(parts) - 1, -1, -1)]
    return [end for end in ends if end] + [f"{end}:{line}" for end in ends if end and line]
