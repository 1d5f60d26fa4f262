"""What lock files resolved: uv.lock, poetry.lock, pdm.lock and Pipfile.lock. Line-based: Python 3.10 has no
TOML reader, every version keeps its line, and the work is one pass over the text."""

from __future__ import annotations

from collections.abc import Iterator

from mmcodemod.facts.requirement import MAX_LINE, Requirement, locked
from mmcodemod.model.pattern import regex

_PAIR = regex(r"(name|version)\s{0,9}=\s{0,9}[\"']([^\"'\n]{1,200})[\"']")
_FROM_GIT = regex(r"(?:source\s{0,9}=\s{0,9}\{\s{0,9}git\b|git\s{0,9}=|type\s{0,9}=\s{0,9}\"git\")")
_JSON_NAME = regex(r"\s{1,40}\"([A-Za-z0-9][A-Za-z0-9._-]{0,80})\":\s{0,9}\{")
_JSON_VERSION = regex(r"\s{1,40}\"version\":\s{0,9}\"==([^\"\n]{1,200})\"")


def toml_lock(text: str) -> Iterator[Requirement]:
    """`[[package]]` tables with `name` and `version`. A package from git has the version of some commit: the
    number says little, so it is not known."""
    values: dict[str, tuple[str, int]] = {}
    from_git, inside = False, False
    for number, line in enumerate([*text.splitlines(), "[[package]]"], 1):
        if line.startswith("[[package]]"):
            yield from _package(values, from_git)
            values, from_git, inside = {}, False, True
        elif line.startswith("[package.source]"):
            inside = True
        elif line.startswith("["):
            inside = False
        elif inside and len(line) <= MAX_LINE:
            from_git = from_git or bool(_FROM_GIT.match(line))
            if found := _PAIR.match(line):
                values.setdefault(found[1], (found[2], number))


def _package(values: dict[str, tuple[str, int]], from_git: bool) -> Iterator[Requirement]:
    if "name" in values and "version" in values:
        (name, _), (version, line) = values["name"], values["version"]
        found = locked(name, version, line)
        yield Requirement(name, "@git", line, found.source) if from_git else found


def pipfile_lock(text: str) -> Iterator[Requirement]:
    """`"name": {... "version": "==1.2"}`, one key a line, as pipenv writes it."""
    name = ""
    for number, line in enumerate(text.splitlines(), 1):
        if len(line) > MAX_LINE:
            continue
        if found := _JSON_NAME.match(line):
            name = found[1]
        elif name and (found := _JSON_VERSION.match(line)):
            yield locked(name, found[1], number)
            name = ""
