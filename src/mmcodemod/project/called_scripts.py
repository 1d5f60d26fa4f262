"""Shell scripts of the tree: what they source, and what runs when others call them with arguments."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from dataclasses import replace

from mmcodemod.facts import shell
from mmcodemod.facts.shell import Command, Word
from mmcodemod.facts.shellvalues import Piece
from mmcodemod.model.frozen import frozen
from mmcodemod.model.pattern import regex
from mmcodemod.project.paths import Where
from mmcodemod.project.sources import Sources

SCRIPTS = (".sh", ".bash", ".sbatch", ".slurm")
MAX_DEPTH = 3  # scripts that call scripts
MAX_CALLS = 50  # of one script
_NAMES = regex(r"\.(?:sh|bash|sbatch|slurm)\b")
_SHELLS = ("bash", "sh", "dash", "zsh", "sbatch")
_BEFORE = ("srun", "nohup", "exec", "time", "sudo", "env", "command", "setsid")
_VALUED = ("-n", "-N", "-p", "-J", "-o", "-e", "-t", "-G", "-w", "-c", "-A", "-q", "-d")  # options of Slurm


@frozen(slots=True)
class Found:
    """A command and where it stands."""

    path: str
    command: Command
    note: str = ""


def script_commands(
    sources: Sources, path: str, arguments: tuple[Word, ...] | None = None
) -> tuple[Command, ...]:
    """The commands of a script of the tree, with the variables of the files that it sources."""
    folder = posixpath.dirname(path)

    def load(name: str, cwd: str | None) -> tuple[str, str] | None:
        found = Where(sources.paths, folder, cwd).resolve(name)
        return (found.path, sources.text(found.path) or "") if found else None

    def read() -> tuple[Command, ...]:
        handed = exports_to(sources, path)
        return shell.parse(sources.text(path) or "", load=load, given=arguments, inherited=handed).commands

    return sources.once(("script", path), read) if arguments is None else read()


def exports_to(sources: Sources, path: str) -> dict[str, Word]:
    """What the scripts of the tree that call this one export to it; unknown where their calls differ."""
    return sources.once(("exports", path), lambda: _merged(_handed(sources, path)))


def _handed(sources: Sources, path: str) -> list[dict[str, Word]]:
    """What each call of a script hands to it."""
    return [
        {**exports_to(sources, caller), **{n: _from(w, caller) for n, w in command.env.items()}}
        for caller in sources.once("callers", lambda: _callers(sources)).get(path, ())
        for command in script_commands(sources, caller)
        if (found := _call(sources, caller, command)) and found[0] == path
    ]


def _merged(calls: list[dict[str, Word]]) -> dict[str, Word]:
    names = sorted({name for env in calls for name in env})
    return {name: _agreed(name, [env.get(name) for env in calls]) for name in names}


def _agreed(name: str, words: list[Word | None]) -> Word:
    texts = {word.text if word and not word.unknown else None for word in words}
    if len(texts) == 1 and None not in texts and words[0] and words[0].pieces:
        return words[0]
    text = f"${name}"
    return Word(text, (0, 0), (0, 0), unknown=True, pieces=(Piece(text, (0, 0), unknown=True),))


def _callers(sources: Sources) -> dict[str, list[str]]:
    """The scripts that call each script; none that it leads to itself."""
    calls: dict[str, set[str]] = {}
    for path in sorted(p for p in sources.paths if p.endswith(SCRIPTS)):
        text = sources.text(path) or ""
        if _NAMES.search(text):
            found = (_call(sources, path, c) for c in shell.parse(text).commands)
            calls[path] = {call[0] for call in found if call}
    below = {path: _below(calls, path) for path in calls}
    callers: dict[str, list[str]] = {}
    for path, targets in calls.items():
        for target in sorted(t for t in targets if path not in below.get(t, ()) and t != path):
            callers.setdefault(target, []).append(path)
    return callers


def _below(calls: dict[str, set[str]], path: str) -> set[str]:
    """All that a script leads to."""
    todo, seen = [path], set[str]()
    while todo:
        new = calls.get(todo.pop(), set()) - seen
        seen |= new
        todo += new
    return seen


def called(sources: Sources, path: str) -> Iterator[Found]:
    """The commands of other scripts that the arguments given by the script `path` change."""
    yield from _called(sources, path, script_commands(sources, path), 1)


def _called(sources: Sources, path: str, commands: tuple[Command, ...], depth: int) -> Iterator[Found]:
    calls = [(c, found) for c in commands if (found := _call(sources, path, c))]
    for command, (target, words) in calls[:MAX_CALLS]:
        if target == path or not any(not word.unknown for word in words):
            continue
        given = tuple(_from(word, path) for word in words)
        plain = {_said(c) for c in script_commands(sources, target)}
        changed = [c for c in script_commands(sources, target, given) if _said(c) not in plain]
        texts = " ".join(word.text for word in words)[:200]
        note = f"called by {path}:{command.at[0]} with {texts}"
        yield from (Found(target, c, note) for c in changed)
        if depth < MAX_DEPTH:
            yield from _called(sources, target, tuple(changed), depth + 1)


def _said(command: Command) -> tuple[object, ...]:
    return (command.at, *((word.text, word.unknown) for word in command.words))


def _call(sources: Sources, path: str, command: Command) -> tuple[str, tuple[Word, ...]] | None:
    """The script of the tree that a command runs, and what it is given."""
    words = list(command.words)
    while words and posixpath.basename(words[0].text) in (*_BEFORE, *_SHELLS):
        words = words[1:]
        while words and words[0].text.startswith("-"):
            words = words[2:] if words[0].text in _VALUED else words[1:]
    if not words or not words[0].text.endswith(SCRIPTS):
        return None
    bare = words[0] is command.words[0] and "/" not in words[0].text  # looked for in PATH
    found = (
        None if bare else Where(sources.paths, posixpath.dirname(path), command.cwd).resolve(words[0].text)
    )
    return (found.path, tuple(words[1:])) if found else None


def _from(word: Word, path: str) -> Word:
    """An argument as the called script sees it: written in the file `path`."""
    pieces = tuple(replace(p, file=p.file or path) for p in word.pieces)
    return replace(word, pieces=pieces, file=word.file or path)
