"""The commands on the path of a finding, cut so that what the finding is about stays."""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

from mmcodemod.model.context import Context
from mmcodemod.model.finding import Finding, Step
from mmcodemod.model.pattern import regex

MOST = 160
"""Characters of a command that is shown; more only for the options that the finding names."""

_CUT = "..."  # at the end of a step that has no room for its command
_NAME = regex(r"[A-Za-z][\w-]+")


def with_commands(finding: Finding, contexts: Iterable[Context]) -> Finding:
    """The same with commands that keep the program, the configurations and the options that the finding
    names."""
    runs = [context for context in contexts if context.id in finding.contexts]
    return replace(finding, trace=tuple(_whole(step, finding, runs) for step in finding.trace))


def _whole(step: Step, finding: Finding, runs: Iterable[Context]) -> Step:
    if not step.note.endswith(_CUT):
        return step
    begun = step.note.removesuffix(_CUT)
    for run in runs:
        command = " ".join(run.command.split())
        if run.begins == step.at and command.startswith(begun):
            return replace(step, note=_cut(command, _named(finding), run.configs))
    return step


def _named(finding: Finding) -> frozenset[str]:
    """The words of a finding that may be names of options, as Python writes those."""
    said = (finding.message, *(note.note for note in finding.related))
    notes = (step.note for step in finding.trace if not step.note.endswith(_CUT))
    return frozenset(_plain(word) for text in (*said, *notes) for word in _NAME.findall(text))


def _plain(option: str) -> str:
    return option.lstrip("-").partition("=")[0].replace("-", "_")


def _cut(command: str, named: Collection[str], configs: Collection[str]) -> str:
    parts = list(_parts(command))
    kept = {n for n, part in enumerate(parts) if n == 0 or _matters(part, named, configs)}
    room = MOST - sum(len(" ".join(parts[n])) + 1 for n in kept)
    for n, part in enumerate(parts):
        if n not in kept:
            room -= len(" ".join(part)) + 1
            if room < 0:
                break
            kept.add(n)
    return " ".join(_joined(parts, kept))


def _parts(command: str) -> Iterator[list[str]]:
    """The words before the first option, then each option with what follows it."""
    part: list[str] = []
    for word in command.split():
        if part and word.startswith("-") and not word[1:2].isdigit():
            yield part
            part = []
        part.append(word)
    yield part


def _matters(part: list[str], named: Collection[str], configs: Collection[str]) -> bool:
    """Does it hold the program, a configuration, or an option that is named?"""
    values = [posixpath.normpath(word.rpartition("=")[2]) for word in part]
    program = part[0] == "-m" or any(word.endswith(".py") for word in values)
    return program or _plain(part[0]) in named or any(_ends(config, values) for config in configs)


def _ends(config: str, values: Iterable[str]) -> bool:
    """Does a value name this file, from whatever folder?"""
    return any(f"/{config}".endswith(f"/{value}") for value in values)


def _joined(parts: list[list[str]], kept: Collection[int]) -> Iterator[str]:
    for n, part in enumerate(parts):
        if n in kept:
            yield " ".join(part)
        elif n - 1 in kept:
            yield _CUT
