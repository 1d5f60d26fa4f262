"""What a person sees in a terminal (DESIGN, "What a person sees")."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field

from mmcodemod.model.context import Origin
from mmcodemod.model.finding import Finding, Problem, Step
from mmcodemod.model.frozen import frozen
from mmcodemod.model.grade import Confidence, Severity
from mmcodemod.model.report import Report
from mmcodemod.report.colour import PLAIN, Palette
from mmcodemod.report.commands import with_commands
from mmcodemod.report.dismissed import dismissed
from mmcodemod.report.escape import visible, width
from mmcodemod.report.frame import frame
from mmcodemod.report.order import loudest
from mmcodemod.report.words import FEW, advice, few, labels, summary
from mmcodemod.report.wrapped import paragraph, two_columns
from mmcodemod.source.tree import Tree

_LABEL = len("  contexts  ")
_UNREAD = ("syntax", "encoding", "io", "too-large")  # kinds of problems that leave a whole file out
_ALL_RUNS = "(+N) stands for N more runs: --format html or json names them all"
_GAP = " " * 10  # between a fix and where there is more


@frozen()
class Style:
    """How a person wants to see a report."""

    palette: Palette = PLAIN
    columns: int = 100
    show_dismissed: bool = False
    seconds: float | None = None
    steps: int = 10  # of a trace; at least 4
    summary: bool = True
    notes: bool = False  # in full: with code, path and fix
    shows_known: str = ""  # the command that shows what a baseline leaves out


@frozen()
class _Page:
    """What all parts of one report need."""

    report: Report
    tree: Tree
    names: Mapping[str, str]
    style: Style
    labels: dict[str, str] = field(default_factory=dict)


def render(report: Report, tree: Tree, names: Mapping[str, str], style: Style = Style()) -> str:
    """A whole report. The tree is read for the code frames, `names` maps codes to rule names."""
    page = _Page(report, tree, names, style, labels(report.contexts))
    told = (with_commands(f, report.contexts) for f in loudest(report.findings))
    blocks = ["\n".join(_finding(f, page)) + "\n" for f in told]
    if style.show_dismissed and report.dismissed:
        blocks.append("\n".join(dismissed(report.dismissed, names, style.columns)) + "\n")
    if style.summary:
        blocks.append("".join(f"{line}\n" for line in _last(page)))
    return "\n".join(blocks)


def block(
    finding: Finding, report: Report, tree: Tree, names: Mapping[str, str], style: Style = Style()
) -> str:
    """One finding of a report."""
    page = _Page(report, tree, names, style, labels(report.contexts))
    return "\n".join(_finding(finding, page)) + "\n"


def problem_lines(problems: Iterable[Problem]) -> list[str]:
    """One line for each problem."""
    return [_problem(problem) for problem in sorted(set(problems))]


def statistics(findings: Iterable[Finding], names: Mapping[str, str]) -> str:
    """How many findings each rule has, most first."""
    counts = Counter(finding.rule for finding in findings)
    rows = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return "".join(f"{number:>5}  {code}  {names.get(code, '')}".rstrip() + "\n" for code, number in rows)


def _last(page: _Page) -> list[str]:
    """Where the runs are that (+2) stands for, and the summary."""
    report, style = page.report, page.style
    cut = any(len(finding.contexts) > FEW for finding in report.findings)
    hint = "" if style.show_dismissed else " (--show-dismissed)"
    last = summary(report, style.seconds, hint, len(page.tree.paths), style.shows_known)
    return [*([_ALL_RUNS] if cut else []), last]


def _problem(problem: Problem) -> str:
    where = f"{problem.path}:{problem.line}" if problem.line else problem.path
    so = " (the file was not checked)" if problem.kind in _UNREAD else ""
    return f"{visible(where)}: {problem.kind}: {visible(problem.message)}{so}"


def _finding(finding: Finding, page: _Page) -> list[str]:
    lines = [_header(finding, page), *_wrapped(finding.message, page)]
    if finding.severity is Severity.INFO and not page.style.notes:
        return [*lines, *_contexts(finding, page), f"  more      {_more(finding, page)}"]
    shown = frame(page.tree, finding.at, _label(finding), page.style.palette)
    return [
        *lines,
        *(["", *(f" {line}" for line in shown), ""] if shown else [""]),
        *_trace(finding.trace, page),
        *_related(finding, page),
        *_contexts(finding, page),
        *_advice(finding, page),
    ]


def _header(finding: Finding, page: _Page) -> str:
    at, palette = finding.at, page.style.palette
    where = palette.paint("bold", f"{visible(at.path)}:{at.line}:{at.column}")
    severity = palette.paint(finding.severity.value, finding.severity.value)
    return f"{where}  {severity}  {finding.rule} {page.names.get(finding.rule, '')}".rstrip()


def _wrapped(message: str, page: _Page) -> list[str]:
    return paragraph(visible(" ".join(message.split())), "  ", page.style.columns)


def _label(finding: Finding) -> str:
    """What stands at the mark: the first note about the place itself."""
    here = (note.note for note in finding.related if note.at == finding.at)
    return " ".join(next(here, "").split())


def _trace(trace: Sequence[Step], page: _Page) -> list[str]:
    if not trace:
        return []
    rows = [(str(step.at), _step(step)) for step in trace]
    most = page.style.steps
    if len(rows) > most:
        left_out = len(rows) - most + 1
        rows = [*rows[: most // 2], ("...", f"{left_out} more steps"), *rows[-(most - most // 2 - 1) :]]
    return ["  how the run gets here", *two_columns(rows, page.style.columns)]


def _step(step: Step) -> str:
    guess = "  [assumed]" if step.how.confidence is Confidence.ASSUMED else ""
    return step.note + guess


def _related(finding: Finding, page: _Page) -> list[str]:
    rows = [(str(note.at), note.note) for note in finding.related if note.at != finding.at]
    return ["  see also", *two_columns(rows, page.style.columns)] if rows else []


def _contexts(finding: Finding, page: _Page) -> list[str]:
    if not finding.contexts:
        return []
    text = few([page.labels.get(i, visible(i)) for i in sorted(finding.contexts)])
    launched = {c.id for c in page.report.contexts if c.origin is Origin.LAUNCHED}
    others = sorted(launched.difference(finding.contexts))
    if 0 < len(others) <= FEW and launched.intersection(finding.contexts):
        text += "; not " + few([page.labels[i] for i in others])
    return paragraph(text, "  contexts  ", page.style.columns)


def _advice(finding: Finding, page: _Page) -> list[str]:
    """The fix, and where there is more: on one line when both fit."""
    more = _more(finding, page)
    if finding.fix is None:
        return [f"  more      {more}"]
    rows = [line[_LABEL:] for line in paragraph(advice(finding.fix), " " * _LABEL, page.style.columns)]
    painted = [page.style.palette.paint("fix", row) for row in rows]
    first, *rest = painted
    if not rest and _LABEL + width(rows[0]) + len(_GAP) + width(_explain(finding)) <= page.style.columns:
        return [f"  fix       {first}{_GAP}{more}"]
    return [f"  fix       {first}", *(" " * _LABEL + row for row in rest), f"  more      {more}"]


def _more(finding: Finding, page: _Page) -> str:
    return page.style.palette.paint("dim", _explain(finding))


def _explain(finding: Finding) -> str:
    return f"mmcodemod explain {finding.rule}"
