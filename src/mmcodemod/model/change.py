"""A change of a tree: its files and hunks, and what a review says of it."""

from __future__ import annotations

from dataclasses import field
from enum import Enum

from mmcodemod.model.finding import Finding, Problem
from mmcodemod.model.frozen import held
from mmcodemod.model.place import Place
from mmcodemod.model.report import Report

READ_BADLY = ("io", "too-large", "encoding", "syntax", "scan", "analysis")
"""Kinds of problems after which it is not known what a file holds."""


@held(slots=True)
class Hunk:
    """Lines of a file that a change touches, with those around. Starts are 1-based (of a side without lines:
    the line before, as git writes it); each of `lines` begins with " ", "+" or "-" and has no line feed (a
    carriage return before it stays). `old_open` and `new_open`: the file ends with the hunk's last old or
    new line, and that line has no line end."""

    old_start: int
    old_count: int
    new_start: int
    new_count: int
    lines: tuple[str, ...] = ()
    old_open: bool = False
    new_open: bool = False


@held(slots=True)
class FileChange:
    """One file of a change. `old` is empty for a new file, `new` for a deleted one; they differ when it is
    renamed, or `copied`: then `old` stays. A binary file has no hunks, nor has a link or a submodule: those
    count as binary."""

    old: str
    new: str
    hunks: tuple[Hunk, ...] = ()
    binary: bool = False
    copied: bool = False


class News(str, Enum):
    """How a change brings a finding: it writes the place of the finding (or a line beside it), or it makes
    old code fatal from elsewhere."""

    INTRODUCED = "introduced"
    ACTIVATED = "activated"


@held(slots=True)
class Told:
    """A finding that the change brings. `at` is where the comment goes: lines of the diff in the new version;
    None when no line of the diff has to do with it. `contexts`: the runs for which it is new."""

    finding: Finding
    fingerprint: str
    news: News
    at: Place | None = None
    contexts: tuple[str, ...] = ()


@held(slots=True)
class Mended:
    """A finding of the base that the change takes away."""

    finding: Finding
    fingerprint: str


@held(slots=True)
class Silencing:
    """A suppression that the change adds: it does not count for its own change. `rules` as it names them."""

    at: Place
    rules: tuple[str, ...]
    reason: str = ""


@held()
class Review:
    """What a change does to the findings of a tree. `base` and `head` name the two versions (object names of
    git where there are any), `unknown` says in full sentences what could not be known, `problems` are those
    that the base has not, `report` is that of the new version (suppressions that the change adds do not count
    in it), `changes` are sorted by path. All paths are relative to `folder`, a folder of the repository: ""
    is its root. `gone`: findings of the base that went with their whole file, or whose runs do not start any
    more: nothing mended them. `stopped`: the launches that name what the change deletes or breaks.
    `notes`: findings that the change brings and that are too low to be told."""

    base: str
    head: str
    told: tuple[Told, ...] = ()
    mended: tuple[Mended, ...] = ()
    silenced: tuple[Silencing, ...] = ()
    unknown: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()
    changes: tuple[FileChange, ...] = ()
    report: Report = field(default_factory=Report)
    folder: str = ""
    gone: tuple[Mended, ...] = ()
    stopped: tuple[Place, ...] = ()
    notes: tuple[Finding, ...] = ()


def unread(problem: Problem) -> str:
    """What `unknown` says of a file that can no longer be read."""
    return f"{problem.path} cannot be read in the new version ({problem.message})."
