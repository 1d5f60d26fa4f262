"""Launches whose program is an installed library: `axolotl train config.yml` in a tree of YAML files.

The entry of such a run is a function of a framework model (`<models>/...`), with the name of the library; a
report shows the library in the place of a path. What the tree itself installs or holds counts before."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

from mmcodemod.facts.shell import Word
from mmcodemod.knowledge.consoles import BY_MODULE, BY_NAME, CONSOLES, LLAMAFACTORY, TRL, Console
from mmcodemod.model.context import Context, Entry, Strategy
from mmcodemod.model.frozen import frozen
from mmcodemod.model.option import UNKNOWN, Option
from mmcodemod.model.pattern import regex
from mmcodemod.project.flags import place_of, positionals
from mmcodemod.project.launchers import Launch, command_name
from mmcodemod.project.left_open import left_open
from mmcodemod.project.paths import Where
from mmcodemod.project.sources import Sources
from mmcodemod.project.stubs import MODELS
from mmcodemod.project.training_signs import shows_help

_OVERRIDE = regex(r"[A-Za-z_][\w.]*=.*", re.DOTALL)
_KINDS = {"accelerate": "accelerate", "torchrun": "torch", "python": "python"}
_DEVICES = "env.CUDA_VISIBLE_DEVICES"


@frozen()
class Installed:
    """A launch of a library's program: `launch` holds the words that the program itself reads."""

    console: Console
    entry: Entry
    launch: Launch

    @property
    def note(self) -> str:
        return runs(self.console)


def runs(console: Console) -> str:
    """The note of a run whose code is not in the tree."""
    return f"runs the installed {console.library}"


def missing_here(sources: Sources) -> dict[str, Console]:
    """The commands of libraries that the tree does not hold itself, by name."""
    return {n: c for n, c in BY_NAME.items() if not _held(sources, c)}


def _held(sources: Sources, console: Console) -> bool:
    """Is the library's package in the tree?"""
    packages = sources.once("packages", lambda: frozenset(_packages(sources.paths)))
    return console.package in packages


def _packages(paths: frozenset[str]) -> Iterator[str]:
    """The names of the topmost packages."""
    for path in paths:
        folder, _, name = path.rpartition("/")
        if name == "__init__.py" and posixpath.join(posixpath.dirname(folder), name) not in paths:
            yield posixpath.basename(folder)


def installed(sources: Sources, launch: Launch) -> Installed | None:
    """What a launch that runs no file of the tree runs, None when it is no training program that is known."""
    if shows_help(launch):
        return None
    text = launch.target.text
    by_module = launch.how == "module"
    console = BY_MODULE.get(text) if by_module else BY_NAME.get(command_name(launch.target))
    if console is None or launch.how == "script" or _held(sources, console):
        return None
    if by_module and console.modules[text]:
        return Installed(console, entry_of(console, console.modules[text]), _read(console, launch))
    return _command(console, launch)


def _command(console: Console, launch: Launch) -> Installed | None:
    """The first word names a command: does it train?"""
    words = launch.script_words
    symbol = console.commands.get(words[0].text) if words and not words[0].unknown else None
    if symbol is None:
        return None
    read = _read(console, replace(launch, script_words=words[1:]))
    started = _started(read) if console.accelerate else read
    return Installed(console, entry_of(console, symbol), started)


def _started(launch: Launch) -> Launch:
    """With what starts the processes, and its words: those behind `--`."""
    words = launch.script_words
    at = next((i for i, word in enumerate(words) if word.text == "--"), len(words))
    return replace(launch, kind=_kind(launch), script_words=words[:at], launcher_words=words[at + 1 :])


def _kind(launch: Launch) -> str:
    """What a command that starts the processes starts them with: `axolotl train x.yml --launcher X`."""
    words = [word.text for word in launch.script_words]
    at = words.index("--launcher") + 1 if "--launcher" in words else len(words)
    named = words[at] if at < len(words) else "accelerate"
    return _KINDS.get(named, "accelerate")


def _read(console: Console, launch: Launch) -> Launch:
    """With `key=value` behind the configuration told as flags."""
    if not console.overrides or not positionals(launch.script_words):
        return launch
    return replace(launch, script_words=tuple(map(_as_flag, launch.script_words)))


def _as_flag(word: Word) -> Word:
    return replace(word, text=f"--{word.text}") if _OVERRIDE.fullmatch(word.text) else word


def settled(context: Context, where: Where, program: Installed, path: str) -> Context:
    """A context of an installed program with what the launch leaves open said to be so."""
    return started_processes(_opened(context, where, program.launch, path), program.console)


def started_processes(context: Context, console: Console) -> Context:
    """Of a program that starts a process for each device: how many there are, where that shows."""
    alone = context.launched_by == "console" and context.strategy is Strategy.SINGLE
    if not console.each_device or not alone:
        return context
    visible = context.option(_DEVICES)
    if isinstance(visible.value, int):
        return replace(context, strategy_from=Option(visible.value, visible.at, "one device is visible"))
    if isinstance(visible.value, str) and "," in visible.value:
        return replace(context, strategy=Strategy.DDP, strategy_from=visible)
    told = f"{console.library} starts a process for each visible device"
    return replace(context, strategy=Strategy.UNKNOWN, strategy_from=Option(UNKNOWN, context.launcher, told))


def _opened(context: Context, where: Where, launch: Launch, path: str) -> Context:
    """Where the configuration cannot be read, what nothing else says is not known."""
    word = _unread(where, launch)
    if word is None:
        return context
    missing = "is not known" if word.unknown else "is not in the tree"
    return left_open(context, place_of(path, word), f"the configuration {word.text} {missing}")


def _unread(where: Where, launch: Launch) -> Word | None:
    """The word that names a configuration which is not in the tree, or is not known."""
    words = launch.script_words
    named = [*positionals(words)[:1], *(b for a, b in pairwise(words) if a.text == "--config")]
    return next((w for w in named if w.unknown or (_is_file(w) and not where.resolve(w.text))), None)


def _is_file(word: Word) -> bool:
    return word.text.endswith((".yaml", ".yml", ".json", ".py"))


def entry_of(console: Console, symbol: str = "") -> Entry:
    """The function of the framework model that stands for a program; the library's first one by default."""
    function = symbol or next(iter(console.commands.values()))
    return Entry(f"{MODELS}/{console.model}", function, library=console.library)


def configuration(sources: Sources, path: str) -> Console | None:
    """The library whose training configuration a YAML file is, by the keys at its top level."""
    data = sources.data(path)
    for console, every, some in _MARKS:
        if all(k.search(data) for k in every) and (not some or any(k.search(data) for k in some)):
            return console if sources.root(path) and not _read_here(sources, console) else None
    return None


def _read_here(sources: Sources, console: Console) -> bool:
    """Does code of the tree parse such files itself? trl's keys are those of every parser of dataclasses."""
    return console is TRL and sources.once("own parser", lambda: _parses(sources))


def _parses(sources: Sources) -> bool:
    python = (sources.data(path) for path in sources.paths if path.endswith(".py"))
    return any(b"HfArgumentParser" in data or b"TrlParser" in data for data in python)


def _key(name: str) -> re.Pattern[bytes]:
    return re.compile(rf"(?m)^{name}\s*:".encode())


_VERSION_1 = ("dist_config", "kernel_config", "model_class", "peft_config")
_MARKS = [
    (c, [_key(name) for name in c.marks[0]], [_key(name) for name in c.marks[1]])
    for c in CONSOLES
    if c.marks[0]
]
_MARKS.append(  # what its version 1 reads
    (LLAMAFACTORY, [_key("train_dataset"), _key("output_dir")], [*map(_key, _VERSION_1)])
)
