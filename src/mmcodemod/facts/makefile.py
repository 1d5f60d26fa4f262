"""Variables and recipe lines of a makefile. Nothing is run: `$(shell ...)` and other functions stay as they
are, and of variables that are set in several places, as under `ifeq`, the last counts.

Source: https://www.gnu.org/software/make/manual/make.html (Using Variables, Recipe Syntax).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from mmcodemod.model.pattern import regex

MAX_DEPTH = 8  # variables within variables
MAX_VALUE = 10_000  # characters of one, expanded

_VARIABLE = regex(r"(?:export\s+|override\s+)*([A-Za-z_]\w*)\s*(\?|\+|::?:?)?=\s*(.*)", re.DOTALL)
_REFERENCE = regex(r"\$\(([A-Za-z_]\w*)\)|\$\{([A-Za-z_]\w*)\}")
_CONTINUED = regex(r"\s*\\\n\s*")


def variables(text: str) -> dict[str, str]:
    """What the variables hold, those within them expanded; those of nobody stay as the shell writes them."""
    found: dict[str, str] = {}
    for _, line in _logical(text.splitlines()):
        match = None if line.startswith("\t") else _VARIABLE.fullmatch(_CONTINUED.sub(" ", line))
        if match:
            name, sign, value = match[1], match[2], match[3].partition(" #")[0].strip()
            if sign == "+":
                found[name] = f"{found.get(name, '')} {value}".strip()
            elif sign != "?" or name not in found:
                found[name] = value
    return {name: as_shell(_expanded(value, found)) for name, value in found.items()}


def recipes(text: str) -> Iterator[tuple[int, str]]:
    """(0-based index of the first line, text for the shell) of each recipe line with its continuations."""
    for start, line in _logical(text.splitlines()):
        if line.startswith("\t"):
            yield start, as_shell(re.sub(r"^\t[@+-]*", lambda m: " " * len(m[0]), line))


def as_shell(text: str) -> str:
    """`$(NAME)` as the shell would write it."""
    return _REFERENCE.sub(lambda m: f"${{{m[1] or m[2]}}}", text).replace("$$", "$")


def _logical(lines: list[str]) -> Iterator[tuple[int, str]]:
    """Each line with its continuations, and the index of its first."""
    at = 0
    while at < len(lines):
        start = at
        while lines[at].endswith("\\") and at + 1 < len(lines):
            at += 1
        at += 1
        yield start, "\n".join(lines[start:at])


def _expanded(value: str, known: dict[str, str]) -> str:
    for _ in range(MAX_DEPTH):
        inner = _REFERENCE.sub(lambda m: known.get(m[1] or m[2], m[0]), value)
        if inner == value or len(inner) > MAX_VALUE:
            return value
        value = inner
    return value
