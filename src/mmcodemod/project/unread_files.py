"""Files of the tree that no Python reads: the markers of a merge that nobody finished, and lines that are
indented as no block can be. What only one Python rejects (a newer syntax) is left out, so that the Python
which checks decides nothing."""

from __future__ import annotations

from mmcodemod.model.pattern import regex
from mmcodemod.model.place import Place
from mmcodemod.project.death import Death, dead_at
from mmcodemod.project.model import Project

_MARKER = regex(r"(?:<<<<<<<|=======|>>>>>>>)(?:\s|$)")
_INDENTED = (
    "expected an indented block",
    "unexpected indent",
    "unindent does not match",
    "inconsistent use of tabs",
)


def unread_files(project: Project) -> dict[str, Death]:
    """How loading such a file ends a run, by its path. Use through `project.get`."""
    broken = [p for p in project.index.problems if p.kind == "syntax" and p.line]
    found = ((p.path, _why(project, p.path, p.line, p.message)) for p in broken)
    lines = {p.path: p.line for p in broken}
    return {path: dead_at(Place(path, lines[path]), "SyntaxError", why) for path, why in found if why}


def _why(project: Project, path: str, line: int, message: str) -> str:
    lines = project.index.text(path).splitlines()
    if line <= len(lines) and _MARKER.match(lines[line - 1]):
        return "no Python reads the markers of an unfinished merge"
    told = message.startswith(_INDENTED)
    return f"no Python reads the line: {message}" if told else ""
