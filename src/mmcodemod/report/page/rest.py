"""What the page says besides findings: places that are safe, files that could not be read, pages of rules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from mmcodemod.model.finding import Dismissal, Problem
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
    """The places that were considered and are safe, each with the reason and its evidence."""
    every = ordered_dismissals(shown.report.dismissed)
    rows = (_dismissal(one, shown, frames) for one in every[:MOST_DISMISSED])
    more = _left_out(len(every) - MOST_DISMISSED, "dismissal")
    return element("ul", joined(rows), more, class_="dismissals") if every else EMPTY


def _dismissal(one: Dismissal, shown: Shown, frames: Frames) -> Html:
    name = element("span", shown.names.get(one.rule, ""))
    rule = element("a", element("b", one.rule), " ", name, class_="rule", href=f"#rule-{one.rule}")
    place = element("code", element("bdi", str(one.at)), class_="place")
    head = element("p", place, " ", rule, class_="by")
    reason = element("p", prose(one.reason), class_="message")
    runs = shown.sets[shown.runs_of(one.contexts)]
    evidence = notes(one.evidence, frames)
    return element("li", head, reason, evidence, class_="dismissal", data_rule=one.rule, data_set=runs)


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


def _rules(shown: Shown, pages: Mapping[str, str]) -> Iterator[Html]:
    report = shown.report
    for code in sorted({f.rule for f in report.findings} | {d.rule for d in report.dismissed}):
        name = element("span", shown.names.get(code, ""))
        head = element("summary", element("b", code), " ", name)
        anchor = element("span", id=f"rule-{code}")
        known = pages.get(code) or f"`mmcodemod explain {code}` shows its page."
        yield element(
            "details", head, anchor, element("div", rendered(known), class_="page"), class_="rule-page"
        )
