"""Launches that die in a function which imports a name that the required version of a library does not have
yet, or has no more. Must-analysis: the run surely calls the name where the import stands, on its way to the
training."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from mmcodemod.facts.syntax import walk
from mmcodemod.model.context import Context, Entry
from mmcodemod.model.place import Place
from mmcodemod.project.death import Death
from mmcodemod.project.model import Project
from mmcodemod.project.older_library import Asked, lacking_there, releases, required_libraries
from mmcodemod.project.search_path import first_folder
from mmcodemod.project.stubs import is_stub
from mmcodemod.project.sure_run import Made, SureRun, takes, under_tests
from mmcodemod.project.sure_way import Level, before_training

_Way = tuple[Asked, tuple[Level, ...]]


def older_within(project: Project, context: Context) -> Death | None:
    """How a launch dies at such an import; None when nothing shows that."""
    entry, root = context.entry, first_folder(context)
    if entry is None or entry.library or root is None or entry.path not in project.index.files:
        return None
    for asked, way in project.once(_ways, root, entry):
        death = lacking_there(project, context, asked)
        if death is not None and takes(project, context, way):
            return death
    return None


def _ways(project: Project, root: str, entry: Entry) -> tuple[_Way, ...]:
    """What the run asks libraries for in its functions, and how it gets there."""
    libraries = required_libraries(project, root)
    if not any(True for _ in _importing(project, entry, libraries)):
        return ()
    made = (m for m in SureRun(project, entry, under_tests).calls() if not m.over)
    found = ((asked, m.way) for m in made if (asked := _asked(project, m, libraries)))
    return tuple((asked, way) for asked, way in found if before_training(project, way))


def _importing(project: Project, entry: Entry, libraries: Sequence[str]) -> Iterator[str]:
    """The functions that import such names."""
    for function in project.reach(entry).functions:
        facts = project.index.function(function) if not is_stub(function) else None
        for item in facts.imports if facts and not facts.is_module else ():
            library = item.module.partition(".")[0] if not item.level else ""
            if library in libraries and item.name in releases(library):
                yield function


def _asked(project: Project, made: Made, libraries: Sequence[str]) -> Asked | None:
    """The name that a call means, where an import of the same block gives it."""
    facts = project.index.function(made.way[-1].function)
    if facts.is_module or not isinstance(made.call.func, ast.Name):
        return None
    if all(item.bound != made.call.func.id for item in facts.imports):  # the quick question
        return None
    for node in _before(facts.node, made.way[-1].step):
        library = (node.module or "").partition(".")[0] if not node.level else ""
        for alias in node.names if library in libraries else ():
            if (alias.asname or alias.name) == made.call.func.id and alias.name in releases(library):
                return Asked(Place(made.path, node.lineno), library, alias.name)
    return None


def _before(function: ast.AST, step: ast.stmt) -> Iterator[ast.ImportFrom]:
    """The imports in front of a statement, in its own block."""
    for node in walk(function):
        for block in (getattr(node, "body", None), getattr(node, "orelse", None)):
            if isinstance(block, list) and step in block:
                yield from (s for s in block[: block.index(step)] if isinstance(s, ast.ImportFrom))
