"""The words of a launch as its file has them, before a shell takes quotes and variables away."""

from __future__ import annotations

from posixpath import basename

from mmcodemod.model.context import Context
from mmcodemod.project.model import Project

_MOST = 60  # lines of one command


def written_words(project: Project, context: Context) -> list[str]:
    """Those behind the name of the program; none where it is not seen."""
    if context.launcher is None or context.entry is None:
        return []
    lines = project.index.text(context.launcher.path).splitlines()[context.launcher.line - 1 :][:_MOST]
    last = next((i for i, line in enumerate(lines) if not line.rstrip().endswith("\\")), len(lines))
    words = " ".join(line.rstrip().rstrip("\\") for line in lines[: last + 1]).split()
    names = (basename(context.entry.path), context.entry.path.removesuffix(".py").replace("/", "."))
    start = next((i for i, word in enumerate(words) if basename(word) in names), len(words))
    return words[start + 1 :]
