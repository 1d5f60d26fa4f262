"""Launches of programs with `@hydra.main(...)` whose first configuration cannot be read. Must-analysis: flags
that choose another folder, and code that gives configurations or changes the command line, leave it open.

Source: hydra 1.3, `hydra._internal.hydra.Hydra.run` and `hydra.core.config_store`.
"""

from __future__ import annotations

from posixpath import normpath

from mmcodemod.model.context import Entry
from mmcodemod.model.place import Place
from mmcodemod.project.death import Death
from mmcodemod.project.hydra_mains import HydraMain, changes_words
from mmcodemod.project.launch_words import Given, is_own
from mmcodemod.project.made_files import is_hidden, may_be_made
from mmcodemod.project.model import Project
from mmcodemod.project.texts_of_files import text_of
from mmcodemod.project.torn_configs import YAML, torn

_NAMES = ("--config-name", "-cn")
_HARMLESS = ("", "-m", "--multirun", "--run", "-r", "--resolve")
_REGISTERS = ("ConfigStore", "hydra_plugins", "SearchPathPlugin", "hydra_zen")


def unread_by_hydra(project: Project, main: HydraMain, words: Given, entry: Entry) -> Death | None:
    """How a program with `@hydra.main` dies at the configuration that it starts from; None when it can be
    read, or anything about it is open."""
    name, by_launch = _name(main, words)
    others = {p.lower(): p for p in project.tree.paths if p.startswith(f"{main.folder}/".lstrip("/"))}
    if not name or not any(p.endswith(YAML) for p in others):
        return None
    ends = ("",) if name.endswith(YAML) else YAML
    paths = [normpath(f"{main.folder}/{name}{end}").lstrip("/") for end in ends]
    there = next((others[p.lower()] for p in paths if p.lower() in others), "")
    if there:
        told = torn(project, there)
    elif (
        (by_launch and is_own(name))
        or is_hidden(project, paths[0])
        or any(may_be_made(project, p) for p in paths)
    ):
        return None
    else:
        who = "the launch" if by_launch else str(Place(entry.path, main.line))
        fact = f"whether {paths[0]}, which {who} names, is there: the tree has none"
        at = Place(entry.path, main.line)
        why = f"the tree has no {paths[0]}"
        told = Death(at, "hydra.errors.MissingConfigException", why, fact, lacks=paths[0])
    return (
        told if told and (there or not _registers(project)) and not _changes_words(project, entry) else None
    )


def chosen(main: HydraMain, words: Given) -> str:
    """The name of the configuration that a launch starts from, "" where it is open."""
    return _name(main, words)[0]


def may_be_given(project: Project, entry: Entry) -> bool:
    """May code of the tree give configurations that are no files of the folder, or change the words?"""
    return _registers(project) or _changes_words(project, entry)


def _registers(project: Project) -> bool:
    """May code of the tree give hydra configurations that are no files of the folder?"""
    return any(True for _ in project.mentioning(*_REGISTERS))


def _changes_words(project: Project, entry: Entry) -> bool:
    """May code of the run change the command line before hydra reads it?"""
    reach = project.reach(entry)
    near = (facts for facts in project.mentioning("argv") if facts.id in reach)
    return any(changes_words(text_of(project, facts.path)) for facts in near)


def _name(main: HydraMain, words: Given) -> tuple[str, bool]:
    """The name of the configuration, "" where it is open, and whether the launch gives it."""
    flags = dict(words.flags())
    named = [flags[flag][0] for flag in _NAMES if flags.get(flag)]
    open_flags = any(flag not in (*_NAMES, *_HARMLESS) for flag in flags)
    if open_flags or len(named) > 1 or any("searchpath" in word for word in words.words):
        return "", False
    name = named[0] if named else main.name
    return "" if name.startswith("/") or ":" in name else name, bool(named)
