"""Launches whose configuration cannot be read: the tree has no file of the name, though it has others beside
it, or no parser takes the file. Must-analysis: nothing is said of files that the user is to write."""

from __future__ import annotations

from collections.abc import Iterator
from posixpath import dirname, normpath, splitext

from mmcodemod.model.context import Context, Origin
from mmcodemod.model.pattern import regex
from mmcodemod.model.place import Place
from mmcodemod.project.death import Death
from mmcodemod.project.flags import PASSED_ON
from mmcodemod.project.hydra_configs import unread_by_hydra
from mmcodemod.project.hydra_mains import hydra_main
from mmcodemod.project.launch_words import Given, given, is_own
from mmcodemod.project.made_files import is_asked_for, is_default, is_hidden, may_be_made
from mmcodemod.project.model import Project
from mmcodemod.project.torn_configs import YAML, by_stem, stem, torn

_FLAG = regex(r"c|opt|base|(?:[a-z]+_)?(?:config|cfg|conf)(?:_(?:file|path|yaml|yml))*")
_OTHERS = regex(r"(?:deepspeed|ds|accelerate|fsdp|data|dataset|save|out|output|print|dump|export|write)_.*")
_FOLDERS = ("conf", "cfg", "yaml", "recipe", "hparam")


def unread(project: Project, context: Context) -> Death | None:
    """How a launch dies whose configuration cannot be read; None when nothing shows that."""
    launched = context.entry is not None and context.origin is Origin.LAUNCHED and not context.entry.library
    if not launched or context.option(PASSED_ON).at is not None:
        return None
    memo = project.get(_memo)
    if context.id not in memo:
        told = _unread(project, context)
        memo[context.id] = None if told and _is_own(project, context.launcher, told) else told
    return memo[context.id]


def _is_own(project: Project, launch: Place | None, told: Death) -> bool:
    """May the one who launches bring another file?"""
    return launch is None or is_asked_for(project, launch) or is_default(project, launch, told.fact)


def _memo(project: Project) -> dict[str, Death | None]:
    return {}


def _unread(project: Project, context: Context) -> Death | None:
    words = given(context)
    if context.entry is None or words is None:
        return None
    main = hydra_main(project, context.entry)
    if main is not None:
        return unread_by_hydra(project, main, words, context.entry)
    found = (torn(project, p) or _absence(project, context, words, p) for p in _named(words))
    return next((told for told in found if told), None)


def _named(words: Given) -> Iterator[str]:
    """The configurations that a launch names by a path: behind a flag for such, or as its first word."""
    flags = list(words.flags())
    for name, values in flags:
        if _is_flag(name.lstrip("-")) and sum(name == other for other, _ in flags) == 1:
            yield from (normpath(v) for v in values if v.endswith((*YAML, ".py", ".json")))
    first = flags[0][1][0] if flags[0][1] else ""
    key, equals, value = first.partition("=")  # `config=PATH` is one word for OmegaConf
    path = value if _is_flag(key) else "" if equals else first
    if path.endswith((*YAML, ".py")) and any(part in dirname(path).lower() for part in _FOLDERS):
        yield normpath(path)


def _is_flag(name: str) -> bool:
    """Does a flag, or the key of a word, stand for a configuration that the program reads?"""
    name = name.replace("-", "_").lower()
    return bool(_FLAG.fullmatch(name)) and not _OTHERS.fullmatch(name)


def _absence(project: Project, context: Context, words: Given, path: str) -> Death | None:
    """What ends at a file that is nowhere, though its folder has others of the kind, or is not there
    either and other launches of the program name files that are."""
    folder = normpath(f"{words.base}/{dirname(path)}").strip("/")
    ending = splitext(path)[1]
    if ending == ".json" or not dirname(path) or is_own(path) or _may_be_there(project, path):
        return None
    others = [p for p in project.tree.paths if f"/{p}".startswith(f"/{folder}/")]
    beside = any(dirname(p) == folder and p.endswith(ending) for p in others)
    if beside or (not others and context.entry and context.entry.path in project.get(_shown)):
        fact = f"whether {path}, which the launch names, is there: the tree has none"
        at = context.launcher or Place(path, 1)
        return Death(at, "FileNotFoundError", f"the tree has no {path}", fact, sure=False)
    return None


def _shown(project: Project) -> frozenset[str]:
    """The programs of which a launch names a configuration that is there."""
    launched = ((c.entry.path, words) for c in project.launched if c.entry and (words := given(c)))
    return frozenset(
        path for path, words in launched if any(_is_there(project, words, p) for p in _named(words))
    )


def _is_there(project: Project, words: Given, path: str) -> bool:
    return normpath(f"{words.base}/{path}").lstrip("/") in project.get(by_stem).get(stem(path), [])


def _may_be_there(project: Project, path: str) -> bool:
    """May the file be somewhere: in a folder that is not read, under its name elsewhere, or made first?"""
    return is_hidden(project, path) or stem(path) in project.get(by_stem) or may_be_made(project, path)
