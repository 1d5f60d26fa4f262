"""Runs that a change stops: their launch still names a file that it deletes, moves or breaks."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from mmcodemod.model.context import Context
from mmcodemod.model.finding import Problem
from mmcodemod.model.option import UNKNOWN
from mmcodemod.model.place import Place
from mmcodemod.review.lines import Lines

_ABSENT = " is not in the tree"
"""How the notes of a configuration end that a launch names and that is not there."""
_BROKEN = ("syntax", "config")
"""Kinds of problems after which Python, or the reader of a configuration, stops as well."""


@dataclass(frozen=True, order=True, slots=True)
class Stop:
    """A file that cannot be used any more, the line that names it (new version), and the run: its id at the
    base, "" for one that the base has not."""

    path: str
    at: Place
    run: str = ""


@dataclass(frozen=True)
class Stops:
    """What is known of both versions. `runs`: id of a run at the base -> its id in the new version;
    `problems`: those of the new version that the base has not."""

    lines: Lines
    base: Sequence[Context]
    head: Sequence[Context]
    runs: Mapping[str, str]
    problems: Sequence[Problem]

    def found(self) -> tuple[Stop, ...]:
        """By file and place, each once."""
        return tuple(sorted({*self._configurations(), *self._programs()}))

    def sentences(self) -> Iterator[str]:
        """One for each file."""
        places: dict[str, set[tuple[str, int]]] = {}
        for stop in self.found():
            places.setdefault(stop.path, set()).add((stop.at.path, stop.at.line))
        for path, named in sorted(places.items()):
            (first, line), *more = sorted(named)
            rest = f" (+{len(more)})" if more else ""
            who = "those runs do not start" if more else "that run does not start"
            yield f"{path}, which {first}:{line}{rest} names, {self.unusable[path]}: {who}."

    @cached_property
    def unusable(self) -> dict[str, str]:
        """Path -> what the change does to the file."""
        there = {change.new for change in self.lines.changes}
        moved = {old: new for old, new in self.lines.renamed.items() if old not in there}
        gone = {old: f"is moved to {new}" if new else "is deleted" for old, new in moved.items()}
        broken = [p for p in self.problems if p.kind in _BROKEN and not p.message.endswith(_ABSENT)]
        broken = [p for p in broken if p.path in there]
        unread = {p.path: f"cannot be read any more ({p.message})" for p in reversed(broken)}
        return {**unread, **{path: f"{words} by this change" for path, words in gone.items()}}

    def _configurations(self) -> Iterator[Stop]:
        olds = {self.runs[context.id]: context for context in self.base if context.id in self.runs}
        for context in self.head:
            old = olds.get(context.id)
            for path in self._lost(old, context):
                yield Stop(path, _named(context), old.id if old else "")

    def _lost(self, old: Context | None, new: Context) -> Iterable[str]:
        """The files that a run of the new version names in vain."""
        yield from (path for path in new.configs if path in self.unusable)
        absent = _absent(new)
        if absent is None:
            return
        before = {path for path in (old.configs if old else ()) if path in self.unusable}
        name = posixpath.normpath(absent.removesuffix(_ABSENT)).removeprefix("../")
        yield from before or (p for p in self.unusable if f"/{p}".endswith(f"/{name}"))

    def _programs(self) -> Iterator[Stop]:
        """Runs of the base whose launch is as it was and starts nothing that could be followed."""
        started = {_line(context.begins) for context in self.head}
        for context in self.base:
            entry, launcher = context.entry, context.launcher
            if entry is None or launcher is None or entry.path not in self.unusable:
                continue
            at = self.lines.moved(launcher)
            if at is not None and _line(at) not in started:
                yield Stop(entry.path, at, context.id)


def _absent(context: Context) -> str | None:
    """The note of a configuration that the run names and that is not there."""
    options = (*context.options.values(), context.strategy_from)
    notes = (o.note for o in options if o.value is UNKNOWN and o.note.endswith(_ABSENT))
    return next(notes, None)


def _named(context: Context) -> Place:
    named = context.option("deepspeed").at or context.begins
    return named or Place(context.id, 0)


def _line(at: Place | None) -> tuple[str, int]:
    return (at.path, at.line) if at else ("", 0)
