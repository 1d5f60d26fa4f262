"""Launches whose DeepSpeed configuration lies in another folder than the one from which the path of their
program holds: from no folder do both paths hold.

Source: transformers, `HfDeepSpeedConfig` and deepspeed, `DeepSpeedConfig`: a path that is no file is an
error."""

from __future__ import annotations

from posixpath import normpath

from mmcodemod.model.context import Context, Origin
from mmcodemod.project.death import Death
from mmcodemod.project.deepspeed_config import GUESSED
from mmcodemod.project.launch_words import Given, given, is_placeholder
from mmcodemod.project.made_files import is_hidden, may_be_made
from mmcodemod.project.model import Project

_FLAGS = ("deepspeed", "deepspeed_config", "deepspeed_config_file")


def misplaced(project: Project, context: Context) -> Death | None:
    """How such a launch dies; None when nothing shows that."""
    words = given(context) if context.origin is Origin.LAUNCHED and context.launcher else None
    if words is None or context.launcher is None or context.strategy_from.note != GUESSED:
        return None
    named = [v for flag, values in words.flags() if flag.strip("-") in _FLAGS for v in values[:1]]
    lies = _elsewhere(project, context, words, named[0]) if len(named) == 1 else ""
    if not lies:
        return None
    why = f"{lies} is that file, and the path of the program holds from {words.base or 'the top of the tree'}"
    fact = f"whether {named[0]}, which the launch names, is there: {why}"
    return Death(context.launcher, "FileNotFoundError", f"{named[0]} is no file there: {why}", fact)


def _elsewhere(project: Project, context: Context, words: Given, named: str) -> str:
    """The only file of the tree that ends in the path, in a folder from which that of the program does not
    hold; "" where there is none, or the file may be made or hidden."""
    path, paths = normpath(named), project.index.tree.paths
    assert context.entry is not None
    program = context.entry.path.removeprefix(words.base).lstrip("/")
    opens = path.startswith("..") or is_placeholder(path) or is_hidden(project, path)
    found = [p for p in paths if p.endswith(f"/{path}") and path.endswith(".json")]
    if opens or len(found) != 1 or normpath(f"{words.base}/{path}").lstrip("/") in paths:
        return ""
    if path in paths or may_be_made(project, path):
        return ""
    folder = found[0].removesuffix(f"/{path}")
    return "" if f"{folder}/{program}" in paths else found[0]
