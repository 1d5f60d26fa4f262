"""The report as one HTML file that loads nothing. Its script only hides, marks and opens what is there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mmcodemod.model.grade import Severity
from mmcodemod.model.report import Report
from mmcodemod.report.escape import storable, visible
from mmcodemod.report.page.cards import cards
from mmcodemod.report.page.element import EMPTY, Html, element, joined, shown
from mmcodemod.report.page.frames import Frames
from mmcodemod.report.page.matrix import matrix
from mmcodemod.report.page.rest import dismissed, problems, rules
from mmcodemod.report.page.runs import listed
from mmcodemod.report.page.shown import Shown, ranges, ready
from mmcodemod.report.standalone import embedded, filled
from mmcodemod.report.version import VERSION
from mmcodemod.report.words import count, outlook, tally
from mmcodemod.source.tree import Tree

SCRIPTS = ("state.js", "filter.js", "go.js", "main.js")
STYLES = ("colours.css", "page.css", "matrix.css", "findings.css", "media.css")

_MEETS = "Which run meets which finding"
_CLASSES = {Severity.ERROR: "bad", Severity.WARNING: "doubtful", Severity.INFO: "noted", None: "good"}


def render(
    report: Report,
    tree: Tree,
    names: Mapping[str, str],
    pages: Mapping[str, str] | None = None,
    title: str = "",
) -> str:
    """The page. The tree is read for code frames; `names` maps codes to rule names, `pages` codes to the text
    of rule.md; `title` says what was checked."""
    parts = _parts(ready(report, names), tree, pages or {}, title)
    return filled("page/assets", SCRIPTS, STYLES, parts)


def _parts(made: Shown, tree: Tree, pages: Mapping[str, str], title: str) -> dict[str, str]:
    frames = Frames(tree)
    found = cards(made, tree, frames)
    safe = dismissed(made, frames)
    return {
        "title": shown(title or "mmcodemod report"),
        "verdict": _verdict(made.report),
        "facts": _facts(made.report),
        "matrix": _section("matrix", _where(made.report), matrix(made)),
        "findings": _section("findings", "Findings", found),
        "runs": _folded("runs", "Runs", len(made.runs), listed(made), unfold=not made.items),
        "dismissed": _folded("dismissed", "Considered and not reported", len(made.report.dismissed), safe),
        "problems": _folded("problems", "Not analysed", len(set(made.report.problems)), problems(made)),
        "rules": _section("rules", "The rules", rules(made, pages)),
        "cut": _cut(frames),
        "version": VERSION,
        "data": embedded(_data(made)),
    }


def _loudest(report: Report) -> Severity | None:
    return max((f.severity for f in report.findings), key=lambda s: s.rank, default=None)


def _where(report: Report) -> str:
    """The title of the matrix: no more certain than its loudest finding."""
    titles = {Severity.ERROR: "Which run fails where", Severity.WARNING: "Which run may fail where"}
    loudest = _loudest(report)
    return titles.get(loudest, _MEETS) if loudest else _MEETS


def _verdict(report: Report) -> Html:
    """What somebody whose run died wants to know first: red what fails, amber what may."""
    told = outlook(report) or [(_loudest(report), tally(report.findings).capitalize())]
    return element("h1", joined((element("span", said, class_=_CLASSES[s]) for s, said in told), ", "))


def _facts(report: Report) -> Html:
    said = f"{len(report.dismissed)} considered and not reported" if report.dismissed else ""
    told = (tally(report.findings), said, count(report.stats.files, "file") + " of Python")
    return element("p", joined((part for part in told if part), " · "), class_="facts")


def _section(name: str, title: str, content: Html) -> Html:
    if not content:
        return EMPTY
    head = element("h2", title, id=f"{name}-title")
    return element("section", head, content, id=name, aria_labelledby=f"{name}-title")


def _folded(name: str, title: str, number: int, content: Html, unfold: bool = False) -> Html:
    """A section that opens; `number` is what it holds."""
    if not content:
        return EMPTY
    head = element("summary", element("h2", f"{title} ({number})"))
    return element("section", element("details", head, content, open=unfold), id=name, class_="folded")


def _cut(frames: Frames) -> Html:
    told = f"{count(frames.left_out, 'code frame')} left out: the page would be too large."
    return element("p", told, class_="remark") if frames.left_out else EMPTY


def _data(made: Shown) -> dict[str, Any]:
    """What the script needs to know of runs: names, and which are in each set (as ranges of numbers)."""
    return {
        "runs": [[_text(run.context.id), run.strategy] for run in made.runs],
        "sets": [ranges(members) for members in made.sets],
        "names": {code: _text(made.names.get(code, "")) for code in _codes(made.report)},
    }


def _codes(report: Report) -> list[str]:
    return sorted({f.rule for f in report.findings} | {d.rule for d in report.dismissed})


def _text(text: str) -> str:
    return visible(storable(text))
