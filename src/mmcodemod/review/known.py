"""What the base says of known findings: its configuration names a baseline, which the base holds as well."""

from __future__ import annotations

import posixpath
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from mmcodemod.engine.baseline import BadBaseline, Entry, Scope, compare, parse
from mmcodemod.engine.config import Configuration
from mmcodemod.model.finding import Finding
from mmcodemod.review.revisions import Pair

Findings = tuple[Finding, ...]


@dataclass(frozen=True)
class Known:
    """`unknown` leaves out the findings that the baseline knows; `notes` say in full sentences what could not
    be read."""

    unknown: Callable[[Findings], Findings] = tuple
    notes: tuple[str, ...] = ()


def known(pair: Pair, configuration: Configuration, selects: Callable[[str], bool]) -> Known:
    """By the base alone: the baseline of a change does not count for itself."""
    if not configuration.baseline or posixpath.isabs(configuration.path):
        return Known()  # a configuration from outside the repository says nothing of files in it
    path = posixpath.normpath(posixpath.join(posixpath.dirname(configuration.path), configuration.baseline))
    text = pair.base.text(path)
    if text is None:
        return _without(f"{path}, the baseline that the configuration names, is not in the base")
    try:
        entries = parse(text.encode(), path)
    except BadBaseline as error:
        return _without(f"The baseline of the base cannot be used: {error}")
    there = {entry.path for entry in pair.head.entries}
    scope = Scope(
        inside(pair.folder, posixpath.dirname(path)),
        lambda gone: posixpath.join(pair.folder, gone) not in there,
        lambda _: True,
        selects,
    )
    return Known(partial(_left, entries, scope))


def inside(folder: str, of: str) -> str:
    """Where a folder is in another one; "" when it is that one, or is not in it. Both relative to the top of
    the repository."""
    way = posixpath.relpath(folder or ".", of or ".")
    return "" if way == "." or way.startswith("..") else way


def _left(entries: tuple[Entry, ...], scope: Scope, findings: Findings) -> Findings:
    return compare(findings, entries, scope).kept


def _without(why: str) -> Known:
    return Known(notes=(f"{why}: no finding counts as known.",))
