"""Launches that seem to start a program of the tree and are hardly meant for it: they stand in a project of
their own below it, or their page has them run in the checkout of another project. May-analysis."""

from __future__ import annotations

import re
from collections.abc import Iterator
from posixpath import basename, dirname

from mmcodemod.model.context import Context
from mmcodemod.model.pattern import regex
from mmcodemod.model.place import Place
from mmcodemod.project.model import Project
from mmcodemod.project.texts_of_files import text_of
from mmcodemod.source.mentions import folders_of

_PAGES = (".md", ".markdown")
_FENCE = regex(r"\s*(?:```|~~~)")
_HEADING = regex(r"(#{1,6})\s")
_RUN_IN = regex(
    r"\b(?:run|ran|execut\w+|launch\w*|work\w*)\b[^.!?]{0,80}?\b(?:under|in|inside|within|from)\s+(?:the\s+)?"
    r"(?:root\s+|main\s+|top\s+)?(?:director(?:y|ies)|folder|root|repo(?:sitory)?|checkout)\s+of\s+"
    r"(?:the\s+)?[`*\[\"']*([\w.-]*[\w-])",
    re.IGNORECASE,
)


def is_of_another(project: Project, context: Context) -> bool:
    """Is the launch hardly meant for the program that it seems to start?"""
    if context.launcher is None or context.entry is None:
        return False
    return _stands_apart(project, context.launcher, context.entry.path) or _is_run_elsewhere(
        project, context.launcher
    )


def _stands_apart(project: Project, launcher: Place, program: str) -> bool:
    """Does it stand in a project of its own, with code and a page or requirements, below the program?"""
    folder, home = dirname(launcher.path), dirname(program)
    own = project.get(_projects)
    while folder != home and f"{folder}/".startswith(f"{home}/".lstrip("/")):
        if folder in own:
            return True
        folder = dirname(folder)
    return False


def _projects(project: Project) -> frozenset[str]:
    """The folders with Python files and a page or requirements beside them."""
    code = {dirname(path) for path in project.tree.paths if path.endswith(".py")}
    told = {
        dirname(p) for p in project.tree.paths if basename(p).lower().startswith(("readme", "requirement"))
    }
    return frozenset(code & told)


def _is_run_elsewhere(project: Project, launcher: Place) -> bool:
    """Does the section of the page say that its commands run in a folder of which the tree has none by that
    name? It may be that of the tree itself, too."""
    if not launcher.path.lower().endswith(_PAGES):
        return False
    told = " ".join(_section(text_of(project, launcher.path).splitlines()[: launcher.line - 1]))
    named = {name.lower() for name in _RUN_IN.findall(told)}
    return bool(named) and not named & project.get(_folders)


def _folders(project: Project) -> frozenset[str]:
    return frozenset(basename(folder).lower() for folder in folders_of(project.tree.paths))


def _section(lines: list[str]) -> Iterator[str]:
    """The prose of the section that the lines end in, and what stands before the first section of each that
    it is part of."""
    stack, fenced = [(0, list[str]())], False
    for line in lines:
        fenced ^= bool(_FENCE.match(line))
        heading = None if fenced else _HEADING.match(line)
        if heading:
            level = len(heading[1])
            stack = [(above, prose) for above, prose in stack if above < level] + [(level, [])]
        elif not fenced:
            stack[-1][1].append(line)
    for _, prose in stack:
        yield from prose
