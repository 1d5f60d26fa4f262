"""Launches that die because the program opens a configuration by a path at which the tree has none: the only
file of that name lies in another folder. Must-analysis: a literal path, in a call that the run surely makes
before it trains. Somebody may have it at both places, so it is not sure."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from posixpath import basename, dirname, normpath

from mmcodemod.facts.definitions import bare_name
from mmcodemod.facts.syntax import unparse
from mmcodemod.model.context import Context, Entry, Origin
from mmcodemod.model.frozen import frozen
from mmcodemod.model.pattern import regex
from mmcodemod.model.place import Place
from mmcodemod.project.death import Death, dead_at
from mmcodemod.project.launch_words import given
from mmcodemod.project.made_files import is_hidden, may_be_replaced
from mmcodemod.project.model import Project
from mmcodemod.project.stubs import is_stub
from mmcodemod.project.sure_run import SureRun, takes, under_tests
from mmcodemod.project.sure_way import Level, before_training
from mmcodemod.project.texts_of_files import text_of

_NAMED = regex(r"[\"']([\w./-]+\.(?:ya?ml|json|toml|ini|cfg))[\"']")
_OPENS = {"open": ("", "io", "codecs"), "load": ("OmegaConf", "omegaconf.OmegaConf")}
"""The calls that open a file to read it, and what they are called on."""
_MOVES = regex(r"\bchdir\b")


def moved(project: Project, context: Context) -> Death | None:
    """How a launch dies that opens such a file; None when nothing shows that."""
    entry = context.entry
    if entry is None or entry.library or entry.path not in project.index.files:
        return None
    base = _base(context)
    if base is None:
        return None
    for found in project.once(_every, entry):
        lies = _elsewhere(project, entry, base, found.named)
        if lies and takes(project, context, found.way):
            why = f"{found.named} is no file there: {lies} is the only one of that name"
            return replace(dead_at(found.at, "FileNotFoundError", why), sure=False)
    return None


def _base(context: Context) -> str | None:
    """The folder in which the program starts; of one that nothing launches, its own; None where that does not
    show."""
    if context.origin is Origin.ENTRY and context.entry is not None:
        return dirname(context.entry.path)
    words = given(context) if context.origin is Origin.LAUNCHED else None
    return None if words is None else words.base


@frozen()
class _Opened:
    """A path that the run opens, where, and how it gets there."""

    named: str
    at: Place
    way: tuple[Level, ...]


def _every(project: Project, entry: Entry) -> tuple[_Opened, ...]:
    return tuple(_opened(project, entry)) if _suspicious(project, entry) else ()


def _suspicious(project: Project, entry: Entry) -> bool:
    """Does a file that the run loads name a path that the tree does not have, and none change the folder?"""
    loaded = [path for path in project.reach(entry).files if not is_stub(path)]
    lost = any(project.once(_names_lost, path) for path in loaded)
    return lost and not any(project.once(_moves, path) for path in loaded)


def _moves(project: Project, path: str) -> bool:
    """Does a file change the folder in which the run works?"""
    return bool(_MOVES.search(text_of(project, path)))


def _names_lost(project: Project, path: str) -> bool:
    """Does a file name a path that the tree does not have, and its only namesake lies elsewhere?"""
    known = project.get(_by_name)
    named = (normpath(name) for name in _NAMED.findall(text_of(project, path)))
    return any(known.get(basename(name), name) != name for name in named)


def _by_name(project: Project) -> dict[str, str]:
    """By name, the only path that has it. Use through `project.get(_by_name)`."""
    paths = project.index.tree.paths
    counts = Counter(map(basename, paths))
    return {basename(path): path for path in paths if counts[basename(path)] == 1}


def _opened(project: Project, entry: Entry) -> Iterator[_Opened]:
    for made in SureRun(project, entry, under_tests).calls():
        named = "" if made.over else _named(made.call)
        if named and before_training(project, made.way):
            yield _Opened(named, Place(made.path, made.call.lineno), made.way)


def _named(call: ast.Call) -> str:
    """The literal path that a call opens to read it; "" for others."""
    owners = _OPENS.get(bare_name(call.func), ())
    owner = unparse(call.func.value) if isinstance(call.func, ast.Attribute) else ""
    match call.args:
        case [ast.Constant(str(path)), *mode] if owner in owners and _reads(mode):
            return path if _NAMED.fullmatch(f"'{path}'") and not path.startswith(("/", "..")) else ""
    return ""


def _reads(mode: list[ast.expr]) -> bool:
    return not mode or (isinstance(mode[0], ast.Constant) and str(mode[0].value)[:1] == "r")


def _elsewhere(project: Project, entry: Entry, base: str, named: str) -> str:
    """Where the only file of that name lies; "" where the path may hold: from the folder of the launch, that
    of the program, or the top."""
    paths = project.index.tree.paths
    starts = (base, dirname(entry.path), "")
    holds = any(normpath(f"{start}/{named}").lstrip("/") in paths for start in starts)
    found = project.get(_by_name).get(basename(named), "")
    if holds or not found or is_hidden(project, normpath(named)) or may_be_replaced(project, named):
        return ""
    return found
