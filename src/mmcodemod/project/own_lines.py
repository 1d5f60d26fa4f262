"""Launches that are alike share an answer, whose note names a line of the first of them: each is told it with
the line of its own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TypeVar

from mmcodemod.model.context import Context
from mmcodemod.model.place import Place
from mmcodemod.model.verdict import Excluded, Fatal

T = TypeVar("T")
_Line = tuple[str, Place | None, Place | None]


def at_home(answer: T, of: Context, to: Context, asked: Iterable[str]) -> T:
    """An answer about the launch `of` as that about `to`, which is equal in the options that were `asked`
    for. What is no answer with a note, and a note on a line that is not the launch's, stay as they are."""
    if of is to or not isinstance(answer, (Fatal, Excluded)) or answer.why is None:
        return answer
    why = answer.why
    lines = [(name, own) for name, place, own in _lines(of, to, asked) if place == why.at and own is not None]
    named = (own for name, own in lines if name and name in why.note)
    own = next(named, None) or next((own for _, own in lines), why.at)
    return answer if own == why.at else replace(answer, why=replace(why, at=own))


def _lines(of: Context, to: Context, asked: Iterable[str]) -> Iterator[_Line]:
    """What a note may be about, by name, where it stands in the one launch and where in the other."""
    yield "", of.strategy_from.at, to.strategy_from.at
    for name in sorted(asked):
        one, other = dict.get(of.options, name), dict.get(to.options, name)  # who listens hears nothing
        if one is not None and other is not None:
            yield name, one.at, other.at
    yield "", of.launcher, to.launcher
