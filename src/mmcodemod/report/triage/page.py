"""What all parts of one answer need."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mmcodemod.model.triage import Quote, Triage
from mmcodemod.report.colour import PLAIN, Palette
from mmcodemod.report.escape import visible
from mmcodemod.report.text import paragraph


@dataclass(frozen=True)
class Style:
    """How a person wants to see it. `most`: candidates of each kind."""

    palette: Palette = PLAIN
    columns: int = 100
    most: int = 5


PLAINLY = Style()


@dataclass(frozen=True)
class Page:
    """The answer, the rule names, and how a person wants to see it."""

    triage: Triage
    names: Mapping[str, str]
    style: Style

    def wrapped(self, text: str, first: str) -> list[str]:
        return paragraph(visible(" ".join(text.split())), first, self.style.columns)

    def rule(self, code: str) -> str:
        return f"{code} {self.names.get(code, '')}".rstrip()

    def title(self, text: str) -> list[str]:
        return ["", self.style.palette.paint("bold", text)]


def quoted(text: str, page: Page) -> list[str]:
    """Text of the log in at most three lines."""
    room = page.style.columns - 12
    safe = visible(text)
    return [safe[i : i + room] for i in range(0, len(safe), room)][:3]


def quotation(quote: Quote, page: Page) -> list[str]:
    """A piece of the log with its line."""
    rows = quoted(quote.text, page)
    return [f"    line {quote.line} | {row}" if not i else f"      | {row}" for i, row in enumerate(rows)]
