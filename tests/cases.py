"""Reads samples/: cases.md files, and showcases (folders `before` and, when there, `after`).

A case is a `## heading` with fenced files: the info string is language, path, then `after` or `crlf` where
meant. Expectations stand at the end of a line (`# expect: MM302 info, MM303`) or in a line of prose
(`expect: ds.json:7 MM303`). `dismissed: train.py:12 MM301` wants a dismissal with evidence, `todo: reason`
marks a known miss, `gpu-memory: 24GiB` is what the user says of the GPUs. A showcase may say the same in
`expect.md` beside `before`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

SAMPLES = Path(__file__).parents[1] / "samples"
SEVERITIES = ("info", "warning", "error")

_FENCE = re.compile(r"^(?P<mark>`{3,})(?P<info>[^`]*)$")
_MARKED = re.compile(r"[ \t]*# expect: (?P<codes>MM\d{3}(?: \w+)?(?:, ?MM\d{3}(?: \w+)?)*)[ \t]*$")
_PROSE = re.compile(r"^(?P<verb>expect|dismissed): (?P<path>\S+?):(?P<line>\d+) (?P<codes>.+?)\s*$")
_MEMORY = re.compile(r"^gpu-memory: (?P<size>.+)$")
_TODO = re.compile(r"^todo: (?P<reason>.+)$")


class MalformedCase(Exception):
    """A case that cannot be read; the message names file and line."""


@dataclass(frozen=True, order=True)
class Mark:
    """A rule that is expected (or dismissed) at a line; `severity` is "" when any will do."""

    path: str
    line: int
    rule: str
    severity: str = ""


@dataclass
class Case:
    """One small tree and what must be said of it."""

    slug: str
    title: str
    where: str
    files: dict[str, bytes] = field(default_factory=dict)
    after: dict[str, bytes] = field(default_factory=dict)
    expected: list[Mark] = field(default_factory=list)
    dismissed: list[Mark] = field(default_factory=list)
    todo: str = ""
    gpu_memory: str = ""
    exact: bool = True  # False: a showcase without expect.md, of which only its own rule is known

    @property
    def id(self) -> str:
        return f"{self.slug}: {self.title}"


def all_cases(samples: Path = SAMPLES) -> list[Case]:
    """Every case of every cases.md, then every showcase."""
    written = [c for file in sorted(samples.glob("*/cases.md")) for c in parse(file)]
    folders = sorted(f.parent for f in samples.glob("**/before") if f.is_dir())
    return written + [showcase(folder, samples) for folder in folders]


def parse(file: Path) -> list[Case]:
    """The cases of one cases.md."""
    return parse_text(file.read_text(encoding="utf-8"), file.parent.name, file.name)


def parse_text(text: str, slug: str, name: str = "cases.md") -> list[Case]:
    """The cases of a text. A `# heading` and prose before the first `## heading` introduce the file."""
    cases: list[Case] = []
    lines = text.splitlines()
    at = 0
    while at < len(lines):
        fence = _FENCE.match(lines[at])
        if fence:
            end = _end_of_fence(lines, at, fence["mark"], name)
            if cases:
                _file(cases[-1], fence["info"].split(), lines[at + 1 : end], f"{name}:{at + 1}")
            at = end
        elif lines[at].startswith("## "):
            cases.append(Case(slug, lines[at][3:].strip(), f"{name}:{at + 1}"))
        elif cases:
            _prose(cases[-1], lines[at], f"{name}:{at + 1}")
        at += 1
    _refuse_doubles(cases)
    return cases


def _end_of_fence(lines: list[str], start: int, mark: str, name: str) -> int:
    for at in range(start + 1, len(lines)):
        if lines[at].rstrip() == mark:
            return at
    raise MalformedCase(f"{name}:{start + 1}: the fence has no end")


def _file(case: Case, info: list[str], lines: list[str], where: str) -> None:
    """Take one fence: `language path [after] [crlf]`."""
    if len(info) < 2 or set(info[2:]) - {"after", "crlf"}:
        raise MalformedCase(f"{where}: a fence says `language path`, then `after` or `crlf`; not {info}")
    path, is_after = info[1], "after" in info
    into = case.after if is_after else case.files
    if path in into:
        raise MalformedCase(f"{where}: {path} twice")
    if not is_after:
        lines = [_take_marks(case, path, number, line, where) for number, line in enumerate(lines, 1)]
    end = "\r\n" if "crlf" in info else "\n"
    into[path] = "".join(line + end for line in lines).encode()


def _take_marks(case: Case, path: str, number: int, line: str, where: str) -> str:
    """Strip `# expect: ...` off a line and remember it."""
    found = _MARKED.search(line)
    if found is None:
        if "# expect:" in line:
            raise MalformedCase(f"{where}: line {number}: cannot read {line.strip()!r}")
        return line
    case.expected += _marks(path, number, found["codes"], where)
    return line[: found.start()]


def _prose(case: Case, line: str, where: str) -> None:
    todo, marked, memory = _TODO.match(line), _PROSE.match(line), _MEMORY.match(line)
    if memory:
        case.gpu_memory = memory["size"]
    elif todo:
        case.todo = todo["reason"]
    elif marked:
        into = case.expected if marked["verb"] == "expect" else case.dismissed
        into += _marks(marked["path"], int(marked["line"]), marked["codes"], where)
    elif line.startswith(("expect:", "dismissed:", "todo:")):
        raise MalformedCase(f"{where}: cannot read {line!r}")


def _marks(path: str, line: int, codes: str, where: str) -> Iterator[Mark]:
    for part in codes.split(","):
        code, _, severity = part.strip().partition(" ")
        if not re.fullmatch(r"MM\d{3}", code) or severity not in ("", *SEVERITIES):
            raise MalformedCase(f"{where}: {part.strip()!r} is not a code and a severity")
        yield Mark(path, line, code, severity)


def _refuse_doubles(cases: list[Case]) -> None:
    seen: set[str] = set()
    for case in cases:
        if case.title in seen:
            raise MalformedCase(f"{case.where}: the heading {case.title!r} stands twice")
        seen.add(case.title)
        if not case.files:
            raise MalformedCase(f"{case.where}: {case.title!r} has no files")
        for mark in (*case.expected, *case.dismissed):
            if mark.path not in case.files:
                raise MalformedCase(f"{case.where}: {mark.path} is not a file of {case.title!r}")


def showcase(folder: Path, samples: Path = SAMPLES) -> Case:
    """The case that `folder/before`, `folder/after` and `folder/expect.md` make."""
    case = Case(folder.relative_to(samples).parts[0], "showcase", str(folder.relative_to(samples)))
    case.files, case.after = _read(folder / "before"), _read(folder / "after")
    case.after = {p: data for p, data in case.after.items() if data != case.files.get(p)}
    case.exact = (folder / "expect.md").is_file()
    if case.exact:
        for number, line in enumerate((folder / "expect.md").read_text(encoding="utf-8").splitlines(), 1):
            _prose(case, line, f"{case.where}/expect.md:{number}")
    return case


def _read(folder: Path) -> dict[str, bytes]:
    files = (f for f in sorted(folder.rglob("*")) if f.is_file() and "__pycache__" not in f.parts)
    return {f.relative_to(folder).as_posix(): f.read_bytes() for f in files}
