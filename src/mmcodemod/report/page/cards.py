"""Findings: a card for each, and one line for each where there are very many."""

from __future__ import annotations

from collections.abc import Iterator

from mmcodemod.model.finding import Finding
from mmcodemod.model.fix import Fix
from mmcodemod.model.grade import Applicability, Severity
from mmcodemod.model.place import Place
from mmcodemod.report.page.element import EMPTY, Html, element, joined, prose
from mmcodemod.report.page.frames import Frames
from mmcodemod.report.page.patch import patch
from mmcodemod.report.page.places import notes, path
from mmcodemod.report.page.runs import chips
from mmcodemod.report.page.shown import WORDS, Item, Shown
from mmcodemod.report.words import count
from mmcodemod.source.tree import Tree

MOST_CARDS = 400
MOST_OPEN = 40  # cards that show their code at once

_ADVICE = {
    Applicability.SAFE: ("safe", "`mmcodemod fix --apply` writes it"),
    Applicability.UNSAFE: ("unsafe", "read it first; `mmcodemod fix --unsafe --apply` writes it"),
    Applicability.DISPLAY: ("by hand", ""),
}


def cards(shown: Shown, tree: Tree, frames: Frames) -> Html:
    """All findings, the loudest first."""
    full, rest = shown.items[:MOST_CARDS], shown.items[MOST_CARDS:]
    made = joined(_card(item, shown, tree, frames, at < MOST_OPEN) for at, item in enumerate(full))
    if not rest:
        return made
    told = f"{count(len(rest), 'more finding')}, one line each, to keep the page small."
    rows = element("ul", *(_row(item, shown) for item in rest), class_="rows")
    return joined([made, element("p", told, class_="remark"), rows])


def _card(item: Item, shown: Shown, tree: Tree, frames: Frames, unfold: bool) -> Html:
    severity = item.finding.severity
    inside = joined(_inside(item.finding, tree, frames))
    loud = severity is not Severity.INFO
    label = "Code and path" if loud else "Code, path and advice"
    body = element("details", element("summary", label), inside, class_="body", open=unfold and loud)
    message = element("p", prose(item.finding.message), class_="message")
    return element(
        "article",
        _head(item, shown),
        message,
        chips(item, shown),
        body,
        id=item.id,
        class_=f"finding {severity.value}",
        tabindex=-1,
        **_keys(item, shown),
    )


def _keys(item: Item, shown: Shown) -> dict[str, str | int]:
    """What filters go by."""
    severity = item.finding.severity.value
    return {"data_rule": item.finding.rule, "data_severity": severity, "data_set": shown.sets[item.runs]}


def _head(item: Item, shown: Shown) -> Html:
    finding = item.finding
    badge = element("span", WORDS[finding.severity.value], class_="badge")
    place = element("a", element("bdi", _position(finding.at)), class_="place", href=f"#{item.id}")
    line = element("p", badge, " ", _rule(finding.rule, shown), " ", _sureness(finding), class_="by")
    symbol = [element("span", "in ", element("code", element("bdi", finding.symbol)), class_="symbol")]
    return element("header", line, element("h3", place, *(symbol if finding.symbol else [])))


def _position(at: Place) -> str:
    return f"{at.path}:{at.line}:{at.column}"


def _rule(code: str, shown: Shown) -> Html:
    name = element("span", shown.names.get(code, ""))
    return element("a", element("b", code), " ", name, class_="rule", href=f"#rule-{code}")


def _sureness(finding: Finding) -> Html:
    word = finding.confidence.value
    title = "how sure the weakest step is that leads here"
    return element("span", f"confidence: {word}", class_=f"sure {word}", title=title)


def _inside(finding: Finding, tree: Tree, frames: Frames) -> Iterator[Html]:
    yield frames.frame(finding.at)
    yield from (element("p", prose(note), class_="here-note") for note in _here(finding)[:1])
    if finding.fix:
        yield _fix(finding.fix, tree, finding.severity is not Severity.INFO)
    yield from _part("How the run gets here", path(finding.trace, finding.at, frames))
    elsewhere = [note for note in finding.related if note.at != finding.at]
    yield from _part("See also", notes(elsewhere, frames))


def _here(finding: Finding) -> list[str]:
    """Notes on the place itself."""
    return [note.note for note in finding.related if note.at == finding.at]


def _part(title: str, content: Html) -> Iterator[Html]:
    if content:
        yield element("h4", title)
        yield content


def _fix(fix: Fix, tree: Tree, written: bool) -> Html:
    """The advice, and what would change; `fix` writes nothing for notes."""
    word, how = _ADVICE[fix.applicability]
    label = element("span", word, class_=f"applicability {fix.applicability.value}")
    changes = patch(tree, fix)
    command = element("p", prose(how), class_="how") if how and changes and written else EMPTY
    title = element("p", label, " ", prose(fix.title))
    return element("div", element("h4", "Fix"), title, changes, command, class_="fix")


def _row(item: Item, shown: Shown) -> Html:
    finding = item.finding
    parts = (
        element("span", WORDS[finding.severity.value], class_="badge"),
        _rule(finding.rule, shown),
        element("code", element("bdi", _position(finding.at)), class_="place"),
        element("span", prose(finding.message), class_="message"),
    )
    runs = f" {count(len(item.runs), 'run')}" if item.runs else ""
    return element(
        "li",
        joined(parts, " "),
        runs,
        id=item.id,
        class_=f"finding {finding.severity.value}",
        tabindex=-1,
        **_keys(item, shown),
    )
