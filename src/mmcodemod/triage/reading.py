"""Reads a log once, from front to back, and keeps what a person would mark in it.

Most of a log is progress. A block that holds none of a few literals is not even cut into lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import IO

from mmcodemod.facts.versions import allows
from mmcodemod.model.pattern import regex
from mmcodemod.model.triage import Heard, Quote, Seen, Signature, Stand, Started
from mmcodemod.triage import launches
from mmcodemod.triage.lines import Line, blocks, cleaned, pieces
from mmcodemod.triage.safe import masked, masked_words, quoted
from mmcodemod.triage.tracebacks import Tracebacks

HEAD = 2000  # lines from the top in which commands and versions are looked for
MOST_QUOTES = 8
MOST_STANDS = 4096
MOST_STARTED = 16
MOST_RANKS = 4096

FAILURE = (
    *("rror", "raceback", "xception", "imed out", "imeout", "ismatch", "isagreement", "nan", "NaN"),
    *("exit", "kill", "Killed", "Segmentation", "dumped", "DUE TO", "spawned with", "overflow"),
)
"""Words of failures. To look for each literal in each block would take ten times as long, so a block without
any of these is passed over, unless a literal stands in it that is known to come without them (`_alone`)."""

_ENDS = regex(
    r"exits with return code = -?[1-9]\d{0,4}|failed \(exitcode: -?\d{1,5}\)|exitcode {1,3}: -?\d{1,5} \(pid"
    r"|oom[-_]kill event|srun: error: .{0,80}: (?:Killed|Exited with exit code \d{1,3}|Aborted)"
    r"|DUE TO (?:TIME LIMIT|PREEMPTION|NODE FAILURE)"
    r"|Segmentation fault|[Cc]ore dumped|^Killed$|Fatal Python error"
)
_WHEN = regex(
    r"\[[EF](\d{3,4} \d\d:\d\d:\d\d)|(?:^| )[EW](\d{4} \d\d:\d\d:\d\d)|time {1,9}: (\d{4}-\d\d-\d\d_[\d:]{8})"
)
_END_LITERALS = ("exit", "kill", "Killed", "srun: error", "DUE TO", "Segmentation", "dumped", "Fatal Python")
_LITERALS = ("Traceback (most", 'File "', "what():", *launches.LITERALS, *_END_LITERALS)
_INTERESTING = tuple(literal.encode() for literal in _LITERALS)


@dataclass
class _Count:
    """What was heard of one signature."""

    quotes: list[Quote] = field(default_factory=list)
    count: int = 0
    ranks: dict[str, None] = field(default_factory=dict)


@dataclass
class _Reader:
    """What is kept of a log. Everything in it is bounded."""

    signatures: tuple[Signature, ...]
    counts: dict[int, _Count] = field(default_factory=dict)
    traces: Tracebacks = field(default_factory=Tracebacks)
    stands: dict[tuple[str, int, str], Stand] = field(default_factory=dict)
    started: dict[tuple[str, ...], Started] = field(default_factory=dict)
    ends: list[Quote] = field(default_factory=list)
    versions: dict[str, str] = field(default_factory=dict)
    strategies: dict[str, None] = field(default_factory=dict)
    ranks: dict[str, None] = field(default_factory=dict)
    time: str = ""

    def __post_init__(self) -> None:
        self.patterns = [re.compile(s.text) for s in self.signatures]
        wanted: dict[bytes, list[int]] = {}
        for number, signature in enumerate(self.signatures):
            for literal in signature.literals:
                wanted.setdefault(literal.encode(), []).append(number)
        self.wanted = wanted
        self.needed = tuple(dict.fromkeys((*wanted, *_INTERESTING)))
        self.triggers = tuple(word.encode() for word in (*FAILURE, *_alone(self.signatures)))

    def present(self, block: bytes, head: bool) -> tuple[bytes, ...]:
        """The literals that stand somewhere in these lines. At the head of a log (and so in all that is
        pasted) nothing is passed over."""
        if not head and not any(trigger in block for trigger in self.triggers):
            return ()
        return tuple(literal for literal in self.needed if literal in block)

    def take(self, number: int, raw: bytes, literals: Iterable[bytes]) -> None:
        """One line, or one state of a progress bar. No other literals than these can stand in it."""
        line = cleaned(number, raw)
        if line.rank and len(self.ranks) < MOST_RANKS:
            self.ranks[line.rank] = None
        for i in sorted({i for literal in literals if literal in raw for i in self.wanted.get(literal, ())}):
            self._hear(i, line)
        self.traces.take(line)
        self._circumstances(line, number <= HEAD)

    def _hear(self, i: int, line: Line) -> None:
        found = self.patterns[i].search(line.text)
        if found is None:
            return
        count = self.counts.setdefault(i, _Count())
        count.count += 1
        if len(count.ranks) < MOST_RANKS:
            count.ranks[line.rank] = None
        if len(count.quotes) < MOST_QUOTES and all(q.rank != line.rank for q in count.quotes[1:]):
            count.quotes.append(Quote(line.number, quoted(line.text, found.start()), line.rank))

    def _circumstances(self, line: Line, head: bool) -> None:
        text = line.text
        if "Watchdog" in text and (stand := launches.stand(line)) and len(self.stands) < MOST_STANDS:
            self.stands.setdefault((stand.rank, stand.sequence, stand.operation), stand)
            self._at(line)
        if any(literal in text for literal in _END_LITERALS) and (found := _ENDS.search(text)):
            if len(self.ends) < 64:
                self.ends.append(Quote(line.number, quoted(text, found.start()), line.rank))
                self._at(line)
        for strategy in launches.strategies(text):
            self.strategies[strategy] = None
        if head or any(literal in text for literal in launches.LITERALS):
            self._launch(line, head)

    def _at(self, line: Line) -> None:
        """When the first process ended."""
        if not self.time:
            found = _WHEN.search(line.text)
            self.time = line.time or (next(filter(None, found.groups())) if found else "")

    def _launch(self, line: Line, head: bool) -> None:
        found = launches.started(line)
        if found and len(self.started) < MOST_STARTED:
            self.started.setdefault(found.words, found)
        if head:
            for name, version in launches.versions(line.text).items():
                self.versions.setdefault(name, version)


def _alone(signatures: Iterable[Signature]) -> tuple[str, ...]:
    """Literals of lines that need not hold a word of failure, as the examples show."""
    found = dict.fromkeys(
        literal
        for signature in signatures
        for literal in signature.literals
        if any(literal in e and not any(word in e for word in FAILURE) for e in signature.examples)
    )
    return tuple(one for one in found if not any(o in one for o in found if o != one))


@dataclass
class _Counted:
    """A stream that counts its bytes."""

    stream: IO[bytes]
    size: int = 0

    def read(self, number: int) -> bytes:
        data = self.stream.read(number)
        self.size += len(data)
        return data


def read(stream: IO[bytes], signatures: Iterable[Signature]) -> Seen:
    """All that is worth knowing of a log. Memory does not grow with it."""
    reader, source, number, last = _Reader(tuple(signatures)), _Counted(stream), 1, b"\n"
    for block in blocks(source):
        last = block[-1:]
        literals = reader.present(block, number <= HEAD)
        if not literals and number > HEAD and not reader.traces.waiting:
            number += block.count(b"\n")
            continue
        lines = block.split(b"\n")
        for at, line in enumerate(lines, number):
            whole = at <= HEAD or reader.traces.waiting
            if whole or any(literal in line for literal in literals):
                for piece in pieces(line):
                    if whole or reader.traces.waiting or any(literal in piece for literal in literals):
                        reader.take(at, piece, literals)
        number += len(lines) - 1
    return _seen(reader, number - 1 if last == b"\n" else number, source.size)


def _seen(reader: _Reader, lines: int, size: int) -> Seen:
    deaths = tuple(replace(d, message=masked(d.message)) for d in reader.traces.deaths())
    versions, strategies = reader.versions, tuple(sorted(reader.strategies))
    return Seen(
        lines=lines,
        size=size,
        ranks=tuple(sorted(reader.ranks, key=_by_number)),
        heard=tuple(_heard(reader, versions, strategies)),
        deaths=deaths,
        stands=tuple(sorted(reader.stands.values(), key=lambda s: (_by_number(s.rank), s.line))),
        started=tuple(Started(masked_words(s.words), s.line) for s in reader.started.values()),
        ends=tuple(reader.ends),
        versions=tuple(sorted(versions.items())),
        strategies=strategies,
        more_deaths=reader.traces.dropped,
        time=reader.time,
    )


def _by_number(rank: str) -> tuple[int, str]:
    return (int(rank) if rank.isdecimal() else -1, rank)


def _heard(reader: _Reader, versions: dict[str, str], strategies: tuple[str, ...]) -> Iterator[Heard]:
    """The signatures that count: often enough, and in the circumstances that they name."""
    for i in sorted(reader.counts):
        signature, count = reader.signatures[i], reader.counts[i]
        foreign = bool(strategies and signature.strategies) and not set(strategies) & set(
            signature.strategies
        )
        wrong = any(n in versions and not allows(spec, versions[n]) for n, spec in signature.versions)
        if count.count >= signature.at_least and not foreign and not wrong:
            ranks = tuple(sorted((r for r in count.ranks if r), key=_by_number))
            yield Heard(signature, tuple(count.quotes), count.count, ranks)
