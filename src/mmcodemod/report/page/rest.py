"""What the page says besides findings: places that are safe, files that could not be read, pages of rules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from mmcodemod.model.finding import Dismissal, Note, Problem
from mmcodemod.model.report import Report
from mmcodemod.report.order import ordered_dismissals
from mmcodemod.report.page.element import EMPTY, Html, element, joined, prose
from mmcodemod.report.page.frames import Frames
from mmcodemod.report.page.markdown import rendered
from mmcodemod.report.page.places import notes
from mmcodemod.report.page.shown import Shown
from mmcodemod.report.words import count

MOST_DISMISSED = 1000
MOST_PROBLEMS = 300


def dismissed(shown: Shown, frames: Frames) -> Html:
    """What was considered and not reported, each with the reason and its evidence."""
    every = ordered_dismissals(shown.report.dismissed)
    rows = (_dismissal(one, shown, frames) for one in every[:MOST_DISMISSED])
    more = _left_out(len(every) - MOST_DISMISSED, "dismissal")
    return element("ul", joined(rows), more, class_="dismissals") if every else EMPTY


def _dismissal(one: Dismissal, shown: Shown, frames: Frames) -> Html:
    name = element("span", shown.names.get(one.rule, ""))
    rule = element("a", element("b", one.rule), " ", name, class_="rule", href=f"#rule-{one.rule}")
    runs = shown.runs_of(one.contexts)
    told = element("span", f"in {count(len(runs), 'run')}" if runs else "", class_="whole")
    places = notes((Note(one.at, one.reason), *_evidence(one)), frames)
    head = element("p", rule, told, class_="by")
    return element("li", head, places, class_="dismissal", data_rule=one.rule, data_set=shown.sets[runs])


def _evidence(one: Dismissal) -> Iterator[Note]:
    """The lines that make it safe; the reason is not said twice."""
    for note in one.evidence:
        yield Note(note.at, "" if note.note == one.reason else note.note)


def problems(shown: Shown) -> Html:
    """One line for each file or rule that could not be handled."""
    every = sorted(set(shown.report.problems))
    rows = (_problem(one) for one in every[:MOST_PROBLEMS])
    more = _left_out(len(every) - MOST_PROBLEMS, "problem")
    return element("ul", joined(rows), more, class_="problems") if every else EMPTY


def _problem(one: Problem) -> Html:
    where = f"{one.path}:{one.line}" if one.line else one.path
    place = element("code", element("bdi", where), class_="place")
    return element("li", place, " ", element("b", one.kind), " ", prose(one.message))


def _left_out(number: int, noun: str) -> Html:
    told = f"{count(number, f'more {noun}')} left out; the JSON report has all."
    return element("li", told, class_="remark") if number > 0 else EMPTY


def rules(shown: Shown, pages: Mapping[str, str]) -> Html:
    """The page of every rule that occurs, closed."""
    return joined(_rules(shown, pages))


def _codes(report: Report) -> list[str]:
    """Rules with findings first."""
    found = {f.rule for f in report.findings}
    return [*sorted(found), *sorted({d.rule for d in report.dismissed} - found)]


def _rules(shown: Shown, pages: Mapping[str, str]) -> Iterator[Html]:
    for code in _codes(shown.report):
        name = element("span", shown.names.get(code, ""))
        head = element("summary", element("h3", element("b", code), " ", name))
        anchor = element("span", id=f"rule-{code}")
        known = pages.get(code) or f"`mmcodemod explain {code}` shows its page."
        yield element(
            "details", head, anchor, element("div", rendered(known), class_="page"), class_="rule-page"
        )
