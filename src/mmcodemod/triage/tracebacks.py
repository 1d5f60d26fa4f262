"""Tracebacks of several ranks, put together again although their lines stand mixed."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from mmcodemod.model.pattern import regex
from mmcodemod.model.triage import Death, Frame
from mmcodemod.triage.lines import Line

MOST_FRAMES = 200  # of one traceback: recursion makes thousands
MOST_KINDS = 64  # of tracebacks that differ
PATIENCE = 400  # lines of others that may stand inside a traceback
LONGEST = 600  # characters of a message
MOST_BELOW = 40  # lines of a message, below the first

_FRAME = regex(
    r'\s{0,40}File "(?P<path>[^"]{1,500})", line (?P<line>\d{1,9})(?:,? in (?P<function>.{1,200}))?$'
)
_RICH = regex(
    r"[│|] (?P<path>[^ ]{1,300}\.py):(?P<line>\d{1,9}) in (?P<function>[\w<>.]{1,200}) {1,200}[│|]?$"
)
_ERROR = regex(r"(?P<error>(?:[A-Za-z_]\w{0,80}\.){0,12}[A-Za-z_]\w{0,80})(?::(?: (?P<message>.*))?)?$")
_LOOKS_LIKE_ONE = regex(r"Error|Exception|Interrupt|Exit$|Failed|Warning$|Signal|Stop|Timeout|NotMet")
_CPP = regex(r"\s{0,8}what\(\): {1,4}(?P<message>.{1,2000})")
_CONSEQUENCES = regex(
    r"Broken pipe|Connection reset by peer|Connection closed by (?:remote )?peer|SIGTERM|ChildFailedError"
    r"|CalledProcessError|SignalException|KeyboardInterrupt|SystemExit|Read error \[|died with <Signals"
    r"|remote process exited|Connection refused|NCCL communicator was aborted|BrokenPipeError"
    r"|StoreTimeout|DistNetworkError|process group has been destroyed"
)
STARTS = "Traceback (most recent call last)"


@dataclass
class _Open:
    """A traceback whose end has not come; `starts` counts those of ranks that the log does not tell apart."""

    line: int
    time: str
    frames: list[Frame] = field(default_factory=list)
    starts: int = 1
    foreign: int = 0


@dataclass
class _Unfinished:
    """A death whose message ends with a colon: what is wrong stands in the indented lines below."""

    death: Death
    below: list[str] = field(default_factory=list)

    @property
    def whole(self) -> Death:
        """With the line that decides: the first parameter that does not fit, else the first line."""
        fit = [text for text in self.below if "size mismatch" in text]
        return replace(self.death, message=_cut(" ".join([self.death.message, *(fit or self.below)[:1]])))


@dataclass
class Tracebacks:
    """Takes lines, and keeps what died. Memory is bounded by the number of ranks that speak at a time."""

    _open: dict[str, _Open] = field(default_factory=dict)
    _deaths: dict[object, Death] = field(default_factory=dict)
    _unfinished: dict[str, _Unfinished] = field(default_factory=dict)
    dropped: int = 0
    _idle: int = 0

    @property
    def waiting(self) -> bool:
        """Is a traceback incomplete, so that the next line matters whatever it says? Not for ever: the end of
        it may never come."""
        return bool(self._open or self._unfinished) and self._idle < PATIENCE * 4

    def deaths(self) -> tuple[Death, ...]:
        """All that died, in the order of the log; those whose last line never came as well."""
        for rank in sorted(self._open):
            self._close(rank, "", "")
        for rank in sorted(self._unfinished):
            self._finish(rank)
        return tuple(sorted(self._deaths.values(), key=lambda d: d.line))

    def take(self, line: Line) -> None:
        """One line of the log."""
        self._idle += 1
        if line.rank in self._unfinished and self._below(line):
            return
        if STARTS in line.text:
            self._start(line)
        elif (found := _FRAME.match(line.text) or _RICH.search(line.text)) is not None:
            self._frame(line, found)
        elif "what():" in line.text and (found := _CPP.match(line.text)):
            self._keep(Death("C++ exception", _cut(found["message"]), line.number, (), _ranks(line.rank)))
        elif line.rank in self._open:
            self._other(line)

    def _start(self, line: Line) -> None:
        self._idle = 0
        known = self._open.get(line.rank)
        if known is None:
            self._begin(line)
        else:
            known.starts += 1

    def _begin(self, line: Line) -> _Open:
        if len(self._open) >= 4096:  # a log that only begins tracebacks
            self._close(next(iter(self._open)), "", "")
        return self._open.setdefault(line.rank, _Open(line.number, line.time))

    def _frame(self, line: Line, found: re.Match[str]) -> None:
        known = self._open.get(line.rank) or self._begin(line)
        known.foreign = self._idle = 0
        frame = Frame(found["path"], int(found["line"]), (found["function"] or "").strip())
        if known.starts > 1 and frame in known.frames:
            return  # the same line of another rank
        if len(known.frames) >= MOST_FRAMES:
            del known.frames[MOST_FRAMES // 2]
        known.frames.append(frame)

    def _other(self, line: Line) -> None:
        """A line of source, the exception, or something that another process wrote in between."""
        known = self._open[line.rank]
        if not line.text or line.text[0] in " \t│|+╭╰":
            return
        found = _ERROR.match(line.text[: LONGEST + 1000])
        if found and known.frames and ("." in found["error"] or _LOOKS_LIKE_ONE.search(found["error"])):
            self._close(line.rank, found["error"], found["message"] or "")
            return
        known.foreign += 1
        if known.foreign > PATIENCE:
            self._close(line.rank, "", "")

    def _close(self, rank: str, error: str, message: str) -> None:
        known = self._open[rank]
        if error and known.starts > 1:
            known.starts -= 1  # another rank has yet to say what it died of
        else:
            del self._open[rank]
        if known.frames:
            short = error.rpartition(".")[2]
            death = Death(short, _cut(message), known.line, tuple(known.frames), _ranks(rank), known.time)
            if message.endswith(":") and len(self._unfinished) < MOST_KINDS:
                self._finish(rank)
                self._unfinished[rank] = _Unfinished(death)
            else:
                self._keep(death)

    def _below(self, line: Line) -> bool:
        """Does the line belong to the message that waits for it?"""
        below = self._unfinished[line.rank].below
        if line.text[:1] in (" ", "\t") and len(below) < MOST_BELOW and not _FRAME.match(line.text):
            below.append(line.text.strip()[:LONGEST])
            return True
        self._finish(line.rank)
        return False

    def _finish(self, rank: str) -> None:
        if (waiting := self._unfinished.pop(rank, None)) is not None:
            self._keep(waiting.whole)

    def _keep(self, death: Death) -> None:
        """Ranks that died in the same way are one death; numbers in the message may differ."""
        key = (death.error, re.sub(r"\d+", "0", death.message), death.frames)
        if (known := self._deaths.get(key)) is not None:
            ranks = tuple(dict.fromkeys((*known.ranks, *death.ranks)))[:4096]
            self._deaths[key] = replace(known, ranks=ranks, count=known.count + 1)
        elif len(self._deaths) < MOST_KINDS:
            said = f"{death.error}: {death.message}"
            self._deaths[key] = replace(death, consequence=_CONSEQUENCES.search(said) is not None)
        else:
            self.dropped += 1


def _cut(message: str) -> str:
    return message if len(message) <= LONGEST else f"{message[: LONGEST - 1]}…"


def _ranks(rank: str) -> tuple[str, ...]:
    return (rank,) if rank else ()
