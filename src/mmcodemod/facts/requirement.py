"""One requirement of one package, as a line of some file states it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mmcodemod.model.context import Source
from mmcodemod.model.frozen import frozen
from mmcodemod.model.pattern import regex

MAX_LINE = 2_000  # characters; a longer line holds no requirement

_REQUIREMENT = regex(
    r"([A-Za-z0-9][A-Za-z0-9._-]{0,80})\s{0,3}(?:\[[^\]\n]{0,200}\])?\s{0,3}"
    r"(\(?\s{0,3}(?:[=<>!~^]=?=?)[^;#@\s'\"][^;#@'\"]{0,200}|@[^;'\"]{0,300})?\s{0,9}(;.{0,300})?"
)


@frozen(slots=True)
class Requirement:
    """`conditional`: only an extra, an environment marker or a variant of the installation asks for it."""

    name: str
    spec: str
    line: int
    source: Source = Source.REQUIREMENT
    conditional: bool = False


def normalised(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def parsed(text: str, line: int, conditional: bool = False) -> Iterator[Requirement]:
    """A requirement after PEP 508; none when the text is something else."""
    found = _REQUIREMENT.fullmatch(text.strip()) if len(text) <= MAX_LINE else None
    if found is not None:
        spec = (found[2] or "").strip().strip("() ").replace(" ", "")
        yield Requirement(found[1], spec, line, conditional=conditional or bool(found[3]))


def locked(name: str, version: str, line: int) -> Requirement:
    return Requirement(name, f"=={version}", line, Source.LOCK)
