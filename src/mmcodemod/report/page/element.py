"""Markup that is safe by construction: whatever is not `Html` is escaped where it goes in."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from mmcodemod.model.pattern import regex
from mmcodemod.report.escape import storable, visible

_CODE = regex(r"`([^`]+)`")
_OPTION = regex(r"(--[\w-]+)")
_LONGEST = 4000  # characters of one text: longer ones are hostile


class Html(str):
    """Text that is markup already."""

    __slots__ = ()


EMPTY = Html("")


def shown(text: str) -> Html:
    """Any text on one line: nothing in it can act as markup, hide or turn what stands beside it."""
    cut = text if len(text) <= _LONGEST else text[:_LONGEST] + "…"
    return Html(escape(visible(storable(cut))))


def element(name: str, *content: str, **attributes: str | int | bool | None) -> Html:
    """An element. `class_` and `data_rule` become `class` and `data-rule`; None and False leave one out."""
    inside = "".join(part if isinstance(part, Html) else shown(part) for part in content)
    return Html(f"<{name}{''.join(_attribute(n, v) for n, v in attributes.items())}>{inside}</{name}>")


def joined(parts: Iterable[str], between: str = "") -> Html:
    """Several parts, each escaped where it must be."""
    return Html(shown(between).join(p if isinstance(p, Html) else shown(p) for p in parts))


def prose(text: str) -> Html:
    """A sentence: `names` between backquotes are set as code, and no --option is broken at its hyphens."""
    parts = _CODE.split(" ".join(text.split()))
    return joined(element("code", part) if at % 2 else unbroken(part) for at, part in enumerate(parts))


def unbroken(text: str) -> Html:
    """Text that wraps between its options, not in them."""
    parts = _OPTION.split(text)
    return joined(element("span", part, class_="option") if at % 2 else part for at, part in enumerate(parts))


def _attribute(name: str, value: str | int | bool | None) -> str:
    if value is None or value is False:
        return ""
    named = name.rstrip("_").replace("_", "-")
    return f" {named}" if value is True else f' {named}="{shown(str(value))}"'
