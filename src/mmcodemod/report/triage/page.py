"""What all parts of one answer need."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from mmcodemod.model.frozen import frozen
from mmcodemod.model.triage import Quote, Triage
from mmcodemod.report.colour import PLAIN, Palette
from mmcodemod.report.escape import visible
from mmcodemod.report.wrapped import paragraph


@frozen()
class Style:
    """How a person wants to see it. `most`: candidates of each kind; `every`: all of them, also those that
    are thought safe where something else explains the log."""

    palette: Palette = PLAIN
    columns: int = 100
    most: int = 5
    every: bool = False


PLAINLY = Style()


@frozen()
class Page:
    """The answer, the rule names, and how a person wants to see it."""

    triage: Triage
    names: Mapping[str, str]
    style: Style
    _quoted: set[str] = field(default_factory=set)  # what was quoted already

    def wrapped(self, text: str, first: str, most: int = 0) -> list[str]:
        """A paragraph, of at most so many lines (0: however many)."""
        rows = paragraph(visible(" ".join(text.split())), first, self.style.columns)
        return shortened(rows, most or len(rows), self.style.columns)

    def rule(self, code: str) -> str:
        return f"{code} {self.names.get(code, '')}".rstrip()

    def title(self, text: str) -> list[str]:
        return ["", self.style.palette.paint("bold", text)]

    def once(self, quote: str) -> bool:
        """Is this quoted for the first time?"""
        new = quote not in self._quoted
        self._quoted.add(quote)
        return new


def shortened(rows: list[str], most: int, columns: int) -> list[str]:
    """At most so many rows; what is cut ends with an ellipsis."""
    return rows if len(rows) <= most else [*rows[: most - 1], f"{rows[most - 1][: columns - 1]}…"]


def quoted(text: str, page: Page) -> list[str]:
    """Text of the log in at most three lines; nothing when the same was quoted before."""
    room = page.style.columns - 12
    safe = visible(text)
    rows = [safe[i : i + room] for i in range(0, len(safe), room)]
    return shortened(rows, 3, room) if page.once(safe) else []


def quotation(quote: Quote, page: Page) -> list[str]:
    """A piece of the log with its line."""
    rows = quoted(quote.text, page) or ["as above"]
    return [f"    line {quote.line} | {row}" if not i else f"      | {row}" for i, row in enumerate(rows)]
