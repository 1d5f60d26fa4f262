"""Packages of a conda environment (environment.yml): conda's own lines, and the list below `- pip:`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mmcodemod.facts.pep440 import order
from mmcodemod.facts.requirement import MAX_LINE, Requirement, parsed
from mmcodemod.model.pattern import regex

_ITEM = regex(r"(\s{0,40})-\s{1,9}[\"']?([^\"'#]{1,300})")
_KEY = regex(r"([A-Za-z_][\w-]{0,40}):")
_MATCH = regex(r"(?:[\w./-]{1,80}::)?([A-Za-z0-9][\w.-]{0,80})\s{0,9}(.{0,200})")
_DEPENDENCIES = regex(r"^dependencies:", re.MULTILINE)
_OF_CONDA = regex(r"^(?:name|channels):", re.MULTILINE)
_NAMES = {"pytorch": "torch"}  # conda's name: the name on PyPI


def environment(text: str) -> Iterator[Requirement]:
    """The items below `dependencies:`; those below `- pip:` are requirements of pip."""
    inside, pip_indent = False, None
    for number, line in enumerate(text.splitlines(), 1):
        if len(line) > MAX_LINE:
            continue
        if key := _KEY.match(line):
            inside, pip_indent = key[1] == "dependencies", None
        elif inside and (item := _ITEM.match(line)):
            indent, value = len(item[1]), item[2].strip()
            pip_indent = None if pip_indent is not None and indent <= pip_indent else pip_indent
            if value == "pip:":
                pip_indent = indent
            else:
                yield from conda_package(value, number) if pip_indent is None else parsed(value, number)


def exported(text: str) -> Iterator[Requirement]:
    """An environment under a file name of its own (`conda env export > mine.yml`); nothing of other YAML."""
    if _DEPENDENCIES.search(text) and _OF_CONDA.search(text):
        yield from environment(text)


def conda_package(text: str, line: int) -> Iterator[Requirement]:
    """What conda matches: `deepspeed=0.14.2`, `nvidia::pytorch>=2.1`, `numpy 1.26.*`, `torch=2.1=py310_0`."""
    found = _MATCH.fullmatch(text.strip())
    if found is not None:
        name = _NAMES.get(found[1].lower(), found[1])
        yield Requirement(name, _specifier(found[2].strip()), line)


def _specifier(text: str) -> str:
    """In PEP 440's words: `=1.2` allows all of 1.2; three numbers, or a build behind them, name a release.
    Empty for what cannot be said."""
    if text.startswith(("<", ">", "!", "~", "==")):
        return text.replace(" ", "")
    version, _, build = text.lstrip("= ").replace(" ", "=", 1).partition("=")
    if order(version.removesuffix(".*")) is None:
        return ""
    exact = build or version.count(".") >= 2 or version.endswith(".*")
    return f"=={version}" if exact else f"=={version}.*"
