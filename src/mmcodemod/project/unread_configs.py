"""Launches whose configuration cannot be read: the tree has no file of the name, though it has others beside
it, or no parser takes the file. Must-analysis: nothing is said of files that the user is to write."""

from __future__ import annotations

import re
from collections.abc import Iterator
from posixpath import basename, dirname, normpath, splitext

from mmcodemod.facts.unparsed import bad_line
from mmcodemod.model.context import Context, Entry, Origin
from mmcodemod.model.place import Place
from mmcodemod.project.flags import PASSED_ON
from mmcodemod.project.hydra_mains import HydraMain, hydra_main
from mmcodemod.project.launch_words import Given, given, is_own
from mmcodemod.project.made_files import may_be_made
from mmcodemod.project.model import Project
from mmcodemod.source.discover import EXCLUDED
from mmcodemod.source.tree import UnreadableFile, decode

_YAML = (".yaml", ".yml")
_FLAG = re.compile(r"c|opt|base|(?:[a-z]+_)?(?:config|cfg|conf)(?:_(?:file|path|yaml|yml))*")
_OTHERS = re.compile(
    r"(?:deepspeed|ds|accelerate|fsdp|data|dataset|save|out|output|print|dump|export|write)_.*"
)
_FOLDERS = ("conf", "cfg", "yaml", "recipe", "hparam")
_NAMES = ("--config-name", "-cn")
_HARMLESS = ("", "-m", "--multirun", "--run", "-r", "--resolve")
_REGISTERS = ("ConfigStore", "hydra_plugins", "SearchPathPlugin", "hydra_zen")


def unread(project: Project, context: Context) -> str:
    """The fact that is open about a launch whose configuration cannot be read; "" when nothing shows that."""
    launched = context.entry is not None and context.origin is Origin.LAUNCHED and not context.entry.library
    if not launched or context.option(PASSED_ON).at is not None:
        return ""
    memo = project.get(_memo)
    if context.id not in memo:
        memo[context.id] = _unread(project, context)
    return memo[context.id]


def _memo(project: Project) -> dict[str, str]:
    return {}


def _unread(project: Project, context: Context) -> str:
    words = given(context)
    if context.entry is None or words is None:
        return ""
    main = hydra_main(project, context.entry)
    if main is not None:
        return _of_hydra(project, main, words, context.entry)
    found = (_refusal(project, p) or _absence(project, context, words, p) for p in _named(words))
    return next((told for told in found if told), "")


# -- hydra ------------------------------------------------------------------------------------------------


def _of_hydra(project: Project, main: HydraMain, words: Given, entry: Entry) -> str:
    name, by_launch = _name(main, words)
    others = {p.lower(): p for p in project.tree.paths if p.startswith(f"{main.folder}/".lstrip("/"))}
    if not name or not any(p.endswith(_YAML) for p in others) or _changes_words(project, entry):
        return ""
    ends = ("",) if name.endswith(_YAML) else _YAML
    paths = [normpath(f"{main.folder}/{name}{end}").lstrip("/") for end in ends]
    there = next((p for p in paths if p.lower() in others), "")
    if there:
        return _refusal(project, others[there.lower()])
    if (by_launch and is_own(name)) or any(may_be_made(project, p) for p in paths) or _hidden(paths[0]):
        return ""
    who = "the launch" if by_launch else str(Place(entry.path, main.line))
    registers = any(True for _ in project.mentioning(*_REGISTERS))
    return "" if registers else f"whether {paths[0]}, which {who} names, is there: the tree has none"


def _changes_words(project: Project, entry: Entry) -> bool:
    """May code of the run change the command line before hydra reads it?"""
    reach = project.reach(entry)
    return any(facts.id in reach for facts in project.mentioning("argv"))


def _name(main: HydraMain, words: Given) -> tuple[str, bool]:
    """The name of the configuration, "" where it is open, and whether the launch gives it."""
    flags = dict(words.flags())
    named = [flags[flag][0] for flag in _NAMES if flags.get(flag)]
    open_flags = any(flag not in (*_NAMES, *_HARMLESS) for flag in flags)
    if open_flags or len(named) > 1 or any("searchpath" in word for word in words.words):
        return "", False
    name = named[0] if named else main.name
    return "" if name.startswith("/") or ":" in name else name, bool(named)


# -- files that a launch names ---------------------------------------------------------------------------


def _named(words: Given) -> Iterator[str]:
    """The configurations that a launch names by a path: behind a flag for such, or as its first word."""
    flags = list(words.flags())
    for name, values in flags:
        if _is_flag(name.lstrip("-")) and sum(name == other for other, _ in flags) == 1:
            yield from (normpath(v) for v in values if v.endswith((*_YAML, ".py", ".json")))
    first = flags[0][1][0] if flags[0][1] else ""
    key, equals, value = first.partition("=")  # `config=PATH` is one word for OmegaConf
    path = value if _is_flag(key) else "" if equals else first
    if path.endswith((*_YAML, ".py")) and any(part in dirname(path).lower() for part in _FOLDERS):
        yield normpath(path)


def _is_flag(name: str) -> bool:
    """Does a flag, or the key of a word, stand for a configuration that the program reads?"""
    name = name.replace("-", "_").lower()
    return bool(_FLAG.fullmatch(name)) and not _OTHERS.fullmatch(name)


def _absence(project: Project, context: Context, words: Given, path: str) -> str:
    """The sentence about a file that is nowhere, though its folder has others of the kind, or is not there
    either and other launches of the program name files that are."""
    folder = normpath(f"{words.base}/{dirname(path)}").strip("/")
    ending = splitext(path)[1]
    if ending == ".json" or not dirname(path) or is_own(path) or _may_be_there(project, path):
        return ""
    others = [p for p in project.tree.paths if f"/{p}".startswith(f"/{folder}/")]
    beside = any(dirname(p) == folder and p.endswith(ending) for p in others)
    if beside or (not others and context.entry and context.entry.path in project.get(_shown)):
        return f"whether {path}, which the launch names, is there: the tree has none"
    return ""


def _shown(project: Project) -> frozenset[str]:
    """The programs of which a launch names a configuration that is there."""
    launched = ((c.entry.path, words) for c in project.launched if c.entry and (words := given(c)))
    return frozenset(
        path for path, words in launched if any(_is_there(project, words, p) for p in _named(words))
    )


def _is_there(project: Project, words: Given, path: str) -> bool:
    return normpath(f"{words.base}/{path}").lstrip("/") in project.get(_by_stem).get(_stem(path), [])


def _may_be_there(project: Project, path: str) -> bool:
    """May the file be somewhere: in a folder that is not read, under its name elsewhere, or made first?"""
    return _hidden(path) or _stem(path) in project.get(_by_stem) or may_be_made(project, path)


def _hidden(path: str) -> bool:
    return any(part in EXCLUDED for part in path.split("/"))


def _by_stem(project: Project) -> dict[str, list[str]]:
    """The files of the tree by their names without endings."""
    found: dict[str, list[str]] = {}
    for path in project.tree.paths:
        found.setdefault(_stem(path), []).append(path)
    return found


def _stem(path: str) -> str:
    return splitext(basename(path))[0].lower()


# -- files that no parser takes ---------------------------------------------------------------------------


def _refusal(project: Project, path: str) -> str:
    """The sentence about the only file of the tree that a path can mean, where every parser refuses it."""
    json = path.endswith(".json")
    alike = project.get(_by_stem).get(_stem(path), [])
    found = [p for p in alike if f"/{p}".endswith(f"/{path}")]
    if len(found) != 1 or not (json or path.endswith(_YAML)):
        return ""
    memo = project.get(_bad_lines)
    if found[0] not in memo:
        memo[found[0]] = bad_line(_text(project, found[0]), json=json)
    at = Place(found[0], memo[found[0]])
    kind = "JSON" if json else "YAML"
    return f"whether the run gets past {at}: what stands there is no {kind}" if at.line else ""


def _bad_lines(project: Project) -> dict[str, int]:
    return {}


def _text(project: Project, path: str) -> str:
    try:
        return decode(path, project.tree.read_bytes(path))
    except UnreadableFile:
        return ""
