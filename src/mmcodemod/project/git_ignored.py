"""Paths that a `.gitignore` of the tree leaves out of version control: somebody may keep there what the tree
lacks. May-analysis: a pattern that means more than git would says only that.

Source: the manual of git, gitignore: the last pattern that means a path decides, `!` takes one back, and a
pattern counts from the folder of its file on.
"""

from __future__ import annotations

from posixpath import basename, dirname

from mmcodemod.model.place import Place
from mmcodemod.project.model import Project
from mmcodemod.project.texts_of_files import text_of
from mmcodemod.source.glob import matches

_NAME = ".gitignore"
_Line = tuple[Place, str]


def ignored_by(project: Project, path: str) -> Place | None:
    """The line of a `.gitignore` that has git leave a file out; None where none does."""
    found: Place | None = None
    for at, pattern in project.get(_patterns):
        folder = dirname(at.path)
        inside = path.removeprefix(f"{folder}/") if folder else path
        if (inside != path or not folder) and matches(pattern.removeprefix("!"), inside):
            found = None if pattern.startswith("!") else at
    return found


def _patterns(project: Project) -> list[_Line]:
    """Those of the tree, from the top down. Use through `project.get`."""
    files = sorted((p for p in project.tree.paths if basename(p) == _NAME), key=lambda p: p.count("/"))
    lines = ((Place(p, n), line.strip()) for p in files for n, line in _lines(project, p))
    return [(at, line) for at, line in lines if line.strip("!/*") and not line.startswith("#")]


def _lines(project: Project, path: str) -> enumerate[str]:
    return enumerate(text_of(project, path).splitlines(), 1)
