"""Places with a word on each, as a list that opens: a click shows the code."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from mmcodemod.model.finding import Note, Step
from mmcodemod.model.grade import Confidence
from mmcodemod.model.place import Place
from mmcodemod.report.page.element import EMPTY, Html, element, joined, prose
from mmcodemod.report.page.frames import Frames

MOST = 30  # steps or notes of one list

_SURENESS = {Confidence.INFERRED: "inferred", Confidence.ASSUMED: "assumed"}


def path(trace: Sequence[Step], end: Place, frames: Frames) -> Html:
    """The way of a run to a place, step by step; the place itself comes last."""
    if not trace:
        return EMPTY
    steps = [_entry(s.at, prose(s.note), frames, _sure(s)) for s in _cut(trace)]
    more = [_more(len(trace))] if len(trace) > MOST else []
    half = MOST // 2
    here = element("li", element("p", _where(end), " ", "here"), class_="here")
    return element("ol", *steps[:half], *more, *steps[half:], here, class_="path")


def notes(found: Sequence[Note], frames: Frames) -> Html:
    """Other places of a finding, or the evidence of a dismissal."""
    rows = [_entry(note.at, prose(note.note), frames) for note in found[:MOST]]
    more = [_more(len(found))] if len(found) > MOST else []
    return element("ul", *rows, *more, class_="places") if rows else EMPTY


def _cut(trace: Sequence[Step]) -> Iterable[Step]:
    """Both ends of a long trace."""
    return trace if len(trace) <= MOST else [*trace[: MOST // 2], *trace[-MOST // 2 :]]


def _more(number: int) -> Html:
    return element("li", element("p", f"… {number - MOST} more"))


def _entry(at: Place, note: Html, frames: Frames, sure: Html = EMPTY) -> Html:
    """One place; it opens when there is code to show."""
    code = frames.frame(at)
    line = joined(_line(at, note, sure))
    if not code:
        return element("li", element("p", line))
    return element("li", element("details", element("summary", line), code))


def _line(at: Place, note: Html, sure: Html) -> Iterator[Html]:
    yield _where(at)
    yield element("span", note, sure, class_="note")


def _where(at: Place) -> Html:
    return element("code", element("bdi", str(at)), class_="place")


def _sure(step: Step) -> Html:
    word = _SURENESS.get(step.how.confidence)
    title = f"the call was resolved by: {step.how.value}"
    return joined([Html(" "), element("span", word, class_=f"sure {word}", title=title)]) if word else EMPTY
