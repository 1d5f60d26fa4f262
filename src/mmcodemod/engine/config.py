"""Configuration: mmcodemod.toml, or `[tool.mmcodemod]` in pyproject.toml, at or above the checked path."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import field
from pathlib import Path
from typing import Any

from mmcodemod.engine.config_check import LISTS, STRINGS, SWITCHES, Checker
from mmcodemod.model.frozen import frozen
from mmcodemod.source.discover import ancestors, read_regular
from mmcodemod.source.tree import UnreadableFile, decode

Names = Mapping[str, str] | None
"""The names of all rules by code, where they are known."""


class ConfigError(Exception):
    """A configuration that cannot be used. The message has one line for every mistake, with file and line."""


@frozen()
class Configuration:
    """What a file sets; empty where it sets nothing. There is no key that would load code on purpose."""

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    extend_select: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    assume: tuple[str, ...] = ()
    per_file_ignores: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    fail_on: str = ""
    gpu_memory: str = ""
    preview: bool = False
    baseline: str = ""
    path: str = ""


def load(start: Path, explicit: str | Path | None = None, names: Names = None) -> Configuration:
    """The configuration that `explicit` holds, else the nearest one at or above `start`. With `names`, what
    selects rules is held against them.

    Raises:
        ConfigError: when it cannot be read or says something unknown.
    """
    if explicit is not None:
        return _required(Path(explicit), names)
    for file in candidates(start):
        if os.path.exists(file) and (found := _configuration(file, names)) is not None:
            return found
    return Configuration()


def candidates(start: Path, explicit: str | Path | None = None) -> Iterator[Path]:
    """The files in which `load` looks, whether they exist or not."""
    if explicit is not None:
        yield Path(explicit)
        return
    for folder in ancestors(start):
        yield from (folder / "mmcodemod.toml", folder / "pyproject.toml")


def _required(file: Path, names: Names) -> Configuration:
    found = _configuration(file, names)
    if found is None:
        raise ConfigError(f"{file}: has no [tool.mmcodemod]")
    return found


def _configuration(file: Path, names: Names) -> Configuration | None:
    return of_text(_text(file), file, names)


def of_text(text: str, file: Path, names: Names = None) -> Configuration | None:
    """What the text of a configuration sets, wherever it was read; None when a pyproject.toml does not speak
    of mmcodemod.

    Raises:
        ConfigError: when it says something unknown.
    """
    if file.name == "pyproject.toml" and "mmcodemod" not in text:
        return None
    table = _parsed(text, str(file))
    if file.name != "pyproject.toml":
        return _checked(table, text, str(file), names)
    tool = table.get("tool")
    own = tool.get("mmcodemod") if isinstance(tool, dict) else None
    return None if own is None else _checked(own, text, str(file), names)


def _text(file: Path) -> str:
    try:
        return decode(file.name, read_regular(Path(os.path.realpath(file)), str(file)))
    except UnreadableFile as error:
        raise ConfigError(f"{file}: {error.message}") from None


def _parsed(text: str, file: str) -> dict[str, object]:
    try:
        if sys.version_info >= (3, 11):
            import tomllib
        else:
            import tomli as tomllib  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        return _without_toml(text, file)
    try:
        return dict(tomllib.loads(text))
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{file}{_line(error, text)}: not valid TOML: {error}") from None


def _line(error: Exception, text: str) -> str:
    """`:12`, where the reader says it; "at end of document" is the last line."""
    if str(error).endswith("(at end of document)"):
        return f":{len(text.rstrip().splitlines()) or 1}"
    found = re.search(r"\(at line (\d+), column \d+\)$", str(error))
    return f":{found[1]}" if found else ""


def _without_toml(text: str, file: str) -> dict[str, object]:
    """Python 3.10 cannot read TOML. Other people's pyproject.toml must not stop a check."""
    if os.path.basename(file) == "pyproject.toml" and "tool.mmcodemod" not in text:
        return {}
    raise ConfigError(f"{file}: configuration needs Python 3.11, or the `tomli` package on Python 3.10")


def _checked(table: object, text: str, file: str, names: Names) -> Configuration:
    if not isinstance(table, dict):
        raise ConfigError(f"{file}: mmcodemod is not a table")
    checker = Checker(table, text, file, names)
    checker.run()
    if checker.mistakes:
        raise ConfigError(checker.told())
    values: dict[str, Any] = {key.replace("-", "_"): tuple(table.get(key, ())) for key in LISTS}
    values |= {key.replace("-", "_"): table.get(key, "") for key in (*STRINGS, "fail-on")}
    values |= {key: table.get(key, False) for key in SWITCHES}
    per_file = {pattern: tuple(rules) for pattern, rules in table.get("per-file-ignores", {}).items()}
    return Configuration(**values, per_file_ignores=per_file, path=file)
