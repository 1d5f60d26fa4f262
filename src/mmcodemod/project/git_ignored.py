"""Paths that a `.gitignore` of the tree leaves out of version control: somebody may keep there what the tree
lacks.

Source: the manual of git, gitignore. The last pattern that means a path decides, `!` takes one back, but
nothing of a folder that is left out. A pattern counts from the folder of its file on; `*` matches no `/`.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from itertools import accumulate
from posixpath import basename, dirname

from mmcodemod.model.place import Place
from mmcodemod.project.model import Project
from mmcodemod.project.texts_of_files import text_of

_NAME = ".gitignore"
_Line = tuple[Place, str]


def ignored_by(project: Project, path: str) -> Place | None:
    """The line of a `.gitignore` that has git leave out a file or a folder above it; None where none does."""
    ways = list(accumulate(path.split("/"), lambda above, name: f"{above}/{name}"))
    return next((at for way in ways if (at := _last(project, way, way != path))), None)


def _last(project: Project, path: str, folder: bool) -> Place | None:
    """The line that decides for this file or folder, where it leaves it out."""
    found: Place | None = None
    for at, pattern in project.get(_patterns):
        top = dirname(at.path)
        inside = path.removeprefix(f"{top}/") if top else path
        bare = pattern.removeprefix("!")
        if (inside != path or not top) and (folder or not bare.endswith("/")) and _means(bare, inside):
            found = None if pattern.startswith("!") else at
    return found


def _means(pattern: str, path: str) -> bool:
    """Does a pattern mean just this path? `**` stands for any number of folders, also none."""
    bare = pattern.rstrip("/").removeprefix("\\").replace("[^", "[!")
    parts = bare.removeprefix("/").split("/") if "/" in bare else ["**", bare]
    parts += ["*"] if parts[-1] == "**" else []  # what is in a folder, not the folder
    names = path.split("/")
    places = {0}  # how many names may be taken so far
    for part in parts:
        if part == "**":
            places = set(range(min(places), len(names) + 1)) if places else places
        else:
            places = {i + 1 for i in places if i < len(names) and fnmatchcase(names[i], part)}
    return len(names) in places


def _patterns(project: Project) -> list[_Line]:
    """Those of the tree, from the top down. Use through `project.get`."""
    files = sorted((p for p in project.tree.paths if basename(p) == _NAME), key=lambda p: p.count("/"))
    lines = ((Place(p, n), line.strip()) for p in files for n, line in _lines(project, p))
    return [(at, line) for at, line in lines if line.strip("!/") and not line.startswith("#")]


def _lines(project: Project, path: str) -> enumerate[str]:
    return enumerate(text_of(project, path).splitlines(), 1)
