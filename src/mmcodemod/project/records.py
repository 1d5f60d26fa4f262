"""Pages that are no instructions to a reader: plans, lists of things to do, notes, and records of changes.
Their commands say what somebody meant to run, or once ran. By the name of the page and of its folders."""

from __future__ import annotations

from mmcodemod.model.pattern import regex
from mmcodemod.model.place import is_readme

_PLANS = ("plan", "plans", "todo", "todos", "roadmap")
_RECORDS = ("changelog", "changes", "notes", "worklog", "devlog", "journal")
_WORDS = frozenset((*_PLANS, *_RECORDS))
_FOLDERS = _WORDS | {"changelogs", "journals"}
_PARTS = regex(r"[^a-z0-9]+")


def is_record(path: str) -> bool:
    """Is the page such a one? A README is none, whatever its folder."""
    *folders, name = path.lower().split("/")
    words = _PARTS.split(name.rpartition(".")[0])
    if any(folder in _FOLDERS or folder.startswith(".") for folder in folders):
        return not is_readme(path)
    return not _WORDS.isdisjoint(words) and not is_readme(path)
