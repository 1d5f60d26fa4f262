"""Dismissals for a person: by rule and reason, each said once, with all the places that it holds for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from mmcodemod.model.finding import Dismissal, Note
from mmcodemod.report.escape import visible
from mmcodemod.report.order import ordered_dismissals
from mmcodemod.report.words import heading, plain
from mmcodemod.report.wrapped import paragraph

_Said = tuple[tuple[str, tuple[str, ...]], ...]
"""What stands below some places: notes, each with the places that it speaks of."""


def dismissed(dismissals: Iterable[Dismissal], names: Mapping[str, str], columns: int) -> list[str]:
    """The lines of all dismissals."""
    rules: dict[str, dict[str, list[Dismissal]]] = {}
    for dismissal in ordered_dismissals(dismissals):
        rules.setdefault(dismissal.rule, {}).setdefault(dismissal.reason, []).append(dismissal)
    lines = ["dismissed (considered and not reported, with the reason)"]
    for code in sorted(rules):
        lines.append(f"  {heading(code, names)}")
        for reason, those in rules[code].items():
            lines += [*paragraph(plain(reason), " " * 4, columns), *_places(those, columns)]
    return lines


def _places(those: list[Dismissal], columns: int) -> list[str]:
    """The places of one reason; those with the same evidence stand together."""
    groups: dict[_Said, list[str]] = {}
    for dismissal in those:
        groups.setdefault(_said(dismissal), []).append(visible(str(dismissal.at)))
    lines = []
    for said, places in groups.items():
        lines += paragraph(", ".join(dict.fromkeys(places)), " " * 6, columns)
        lines += [row for note, where in said for row in _evidence(note, where, columns)]
    return lines


def _evidence(note: str, places: tuple[str, ...], columns: int) -> list[str]:
    if not places:
        return paragraph(note, " " * 8, columns)
    text = ", ".join(places) + (f" ({note})" if note else "")
    return paragraph(text, f"{' ' * 8}see ", columns)


def _said(dismissal: Dismissal) -> _Said:
    """The evidence, without what the reason says already."""
    found: dict[str, list[str]] = {}
    for note in dismissal.evidence:
        here = (note.at.path, note.at.line) == (dismissal.at.path, dismissal.at.line)
        text = "" if _says_again(note, dismissal.reason, here) else plain(note.note)
        if text or not here:
            found.setdefault(text, []).extend([] if here else [visible(str(note.at))])
    return tuple((text, tuple(dict.fromkeys(places))) for text, places in found.items())


def _says_again(note: Note, reason: str, here: bool) -> bool:
    """Are all words of a note in the reason; or, where both speak of one place, those of the reason in it?"""
    said, why = _words(note.note), _words(reason)
    return said <= why or (here and why <= said)


def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", text))
