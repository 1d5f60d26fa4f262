"""The words of a launch as its file has them, before a shell takes quotes and variables away."""

from __future__ import annotations

from posixpath import basename

from mmcodemod.model.context import Context
from mmcodemod.model.pattern import regex
from mmcodemod.project.model import Project

_ELLIPSIS = regex(r"\[?(?:\.{2,}|…)\]?")
_GOES_ON = regex(r"\s*-|\s+[^\s`]")  # a line that belongs to the one before
_MOST = 400  # lines of one command
_PLACEHOLDER = regex(r"<\w[^<>`]*\w>(?=\s|$)")  # `<path to the checkpoint>`: one word of the user's


def written_words(project: Project, context: Context) -> list[str]:
    """Those behind the name of the program; none where it is not seen, where dots stand for more, where
    a page wraps a command without a backslash, or where the command does not end within so many lines."""
    if context.launcher is None or context.entry is None:
        return []
    lines = project.index.text(context.launcher.path).splitlines()[context.launcher.line - 1 :][:_MOST]
    last = next((i for i, line in enumerate(lines) if not line.rstrip().endswith("\\")), len(lines))
    if last == _MOST:
        return []
    command = " ".join(line.rstrip().rstrip("\\") for line in lines[: last + 1])
    words = _PLACEHOLDER.sub(lambda found: "_".join(found[0].split()), command).split()
    wrapped = context.launcher.path.endswith(".md") and _GOES_ON.match("".join(lines[last + 1 : last + 2]))
    if wrapped or any(_ELLIPSIS.fullmatch(word) for word in words):
        return []
    names = (basename(context.entry.path), context.entry.path.removesuffix(".py").replace("/", "."))
    start = next((i for i, word in enumerate(words) if basename(word) in names), len(words))
    return words[start + 1 :]
