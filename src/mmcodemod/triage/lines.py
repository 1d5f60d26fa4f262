"""A log as lines, in memory that does not grow with it: whoever writes it, and however long a line is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol

from mmcodemod.model.pattern import regex

BLOCK = 1 << 18
"""Bytes that are read at a time."""

LONGEST = 1 << 14
"""Bytes of a line that are looked at; what is behind is passed over."""

_MARKERS = 5  # prefixes that are taken off one line: those of a container, srun, torchrun, NCCL

_ANSI = regex(r"\x1b(?:\[[0-?]{0,32}[ -/]{0,4}[@-~]|\][^\x07\x1b]{0,200}(?:\x07|\x1b\\)|[@-Z\\-_])")
_BARE_ANSI = regex(r" ?\[(?:\d{1,3}(?:;\d{1,3}){0,4})?m")  # where a copy has lost the escape character
_BAR = regex(r"\[rank\d{1,5}\]:")
_CLOCK = r"\d\d:\d\d:\d\d(?:[.,]\d{1,9})?"
_TIME = rf"(?P<time>\d{{4}}-\d\d-\d\d[T ]{_CLOCK}(?:Z|[+-]\d\d:?\d\d)?|{_CLOCK})"
_PREFIXES = tuple(
    map(
        re.compile,
        (
            r"\[rank(?P<rank>\d{1,5})\]: ?",  # torch, in front of what a rank writes
            r"\[default(?P<local>\d{1,5})\]: ?",  # torchrun --tee
            r"\[\d{1,4},(?P<rank>\d{1,5})\]<std(?:out|err)>: ?",  # mpirun --tag-output
            r" {0,3}(?P<rank>\d{1,4}): ",  # srun --label
            r"\((?:[\w.]{1,60} )?pid=(?P<process>\d{1,9})(?:, ip=[\w.:]{1,60})?\) ?",  # ray
            rf"\[?{_TIME}\]?(?: |$)",
            r"(?P<host>[A-Za-z][\w.-]{0,80}): (?=\[rank|\[default|Traceback|  File |\[\d{4}-)",  # pdsh
            r"\[\d{1,9}\] (?=\[|Traceback|  File )",  # numbers of lines in a copy
            r"> ?(?=\[|Traceback|  File )",
        ),
    )
)
_NAMES = {"rank": "{}", "local": "local {}", "process": "pid {}", "host": "{}"}


@dataclass(frozen=True, slots=True)
class Line:
    """A line of one rank ("" where the log does not tell), without colours and prefixes. `number` counts line
    feeds from 1; a progress bar that draws itself anew makes several lines of one number."""

    number: int
    text: str
    rank: str = ""
    time: str = ""


class Source(Protocol):
    """Anything that bytes can be read from."""

    def read(self, number: int, /) -> bytes: ...


def blocks(stream: Source) -> Iterator[bytes]:
    """The log in pieces that end with a line (a carriage return ends one, too: a progress bar may draw itself
    for hours without a line feed); of a line that is too long, only the beginning."""
    kept, skipping = b"", False
    while data := stream.read(BLOCK):
        end = max(data.rfind(b"\n"), data.rfind(b"\r")) + 1
        begun = _first_end(data) if skipping else 0
        rest = data[end:] if end else b""
        if end:
            yield kept + data[begun:end]
        elif not skipping:
            rest = kept + data
        kept, skipping = (kept, True) if skipping and not end else (rest[:LONGEST], len(rest) > LONGEST)
    if kept:
        yield kept


def _first_end(data: bytes) -> int:
    """Where the first line ends."""
    ends = [at for at in (data.find(b"\n"), data.find(b"\r")) if at >= 0]
    return min(ends, default=0)


def pieces(line: bytes) -> Iterable[bytes]:
    """The parts of a line that carriage returns overwrite on a terminal."""
    if b"\r" not in line:
        return (line[:LONGEST],)
    return [part[:LONGEST] for part in line.split(b"\r") if part]


def cleaned(number: int, raw: bytes) -> Line:
    """A line without its colours, and without what launchers and loggers put in front of it."""
    text = raw.decode("utf-8", "replace")
    if "\x1b" in text:
        text = _ANSI.sub("", text)
    if "[" in text and "m" in text:
        text = _BARE_ANSI.sub("", text)
    rank, time = "", ""
    text = _behind_a_bar(text)
    for _ in range(_MARKERS):
        found = next((m for p in _PREFIXES if (m := p.match(text))), None)
        if found is None:
            break
        text = text[found.end() :]
        named = {key: value for key, value in found.groupdict().items() if value}
        time = time or named.pop("time", "")
        named.pop("time", None)
        rank = _rank(rank, named)
    return Line(number, text.rstrip(), rank, time)


def _behind_a_bar(text: str) -> str:
    """A progress bar has no line end: the next rank that writes goes on in its line."""
    if "%|" not in text[:400]:
        return text
    found = _BAR.search(text, 0, 1000)
    return text[found.start() :] if found else text


def _rank(known: str, named: dict[str, str]) -> str:
    """The number of the rank counts more than what else names a process."""
    for key, value in named.items():
        if key == "rank" or not known:
            return _NAMES[key].format(value)
    return known
