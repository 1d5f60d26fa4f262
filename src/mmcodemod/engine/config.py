"""Configuration: mmcodemod.toml, or `[tool.mmcodemod]` in pyproject.toml, at or above the checked path."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from mmcodemod.source.discover import ancestors, read_regular
from mmcodemod.source.tree import UnreadableFile, decode

LISTS = ("select", "ignore", "extend-select", "exclude", "assume")
KEYS = (*LISTS, "per-file-ignores", "fail-on", "gpu-memory")
LEVELS = ("error", "warning", "info")


class ConfigError(Exception):
    """A configuration that cannot be used; the message names the file and the key."""


@dataclass(frozen=True)
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
    path: str = ""


def load(start: Path, explicit: str | Path | None = None) -> Configuration:
    """The configuration that `explicit` holds, else the nearest one at or above `start`.

    Raises:
        ConfigError: when it cannot be read or says something unknown.
    """
    if explicit is not None:
        return _required(Path(explicit))
    for folder in ancestors(start):
        for name in ("mmcodemod.toml", "pyproject.toml"):
            if os.path.exists(folder / name) and (found := _configuration(folder / name)) is not None:
                return found
    return Configuration()


def _required(file: Path) -> Configuration:
    found = _configuration(file)
    if found is None:
        raise ConfigError(f"{file}: has no [tool.mmcodemod]")
    return found


def _configuration(file: Path) -> Configuration | None:
    """None when a pyproject.toml does not speak of mmcodemod."""
    return of_text(_text(file), file)


def of_text(text: str, file: Path) -> Configuration | None:
    """What the text of a configuration sets, wherever it was read; None when a pyproject.toml does not speak
    of mmcodemod.

    Raises:
        ConfigError: when it says something unknown.
    """
    if file.name == "pyproject.toml" and "mmcodemod" not in text:
        return None
    table = _parsed(text, file)
    if file.name != "pyproject.toml":
        return _checked(table, str(file))
    tool = table.get("tool")
    own = tool.get("mmcodemod") if isinstance(tool, dict) else None
    return None if own is None else _checked(own, str(file))


def _text(file: Path) -> str:
    try:
        return decode(file.name, read_regular(Path(os.path.realpath(file)), str(file)))
    except UnreadableFile as error:
        raise ConfigError(f"{file}: {error.message}") from None


def _parsed(text: str, file: Path) -> dict[str, object]:
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
        raise ConfigError(f"{file}: not valid TOML: {error}") from None


def _without_toml(text: str, file: Path) -> dict[str, object]:
    """Python 3.10 cannot read TOML. Other people's pyproject.toml must not stop a check."""
    if file.name == "pyproject.toml" and "tool.mmcodemod" not in text:
        return {}
    raise ConfigError(f"{file}: configuration needs Python 3.11, or the `tomli` package on Python 3.10")


def _checked(table: object, file: str) -> Configuration:
    if not isinstance(table, dict):
        raise ConfigError(f"{file}: mmcodemod is not a table")
    unknown = sorted(str(key) for key in table if key not in KEYS)
    if unknown:
        raise ConfigError(f"{file}: unknown key {unknown[0]!r} (known: {', '.join(KEYS)})")
    lists = {key.replace("-", "_"): _strings(table.get(key, []), key, file) for key in LISTS}
    return Configuration(
        **lists,
        per_file_ignores=_per_file(table.get("per-file-ignores", {}), file),
        fail_on=_level(table.get("fail-on", ""), file),
        gpu_memory=_string(table.get("gpu-memory", ""), "gpu-memory", file),
        path=file,
    )


def _strings(value: object, key: str, file: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ConfigError(f"{file}: {key!r} is not a list of strings")
    return tuple(value)


def _string(value: object, key: str, file: str) -> str:
    if not isinstance(value, str):
        raise ConfigError(f"{file}: {key!r} is not a string")
    return value


def _per_file(value: object, file: str) -> dict[str, tuple[str, ...]]:
    if not isinstance(value, dict):
        raise ConfigError(f"{file}: 'per-file-ignores' is not a table")
    return {str(k): _strings(v, f"per-file-ignores.{k}", file) for k, v in value.items()}


def _level(value: object, file: str) -> str:
    if value not in ("", *LEVELS):
        raise ConfigError(f"{file}: 'fail-on' is one of {', '.join(LEVELS)}")
    return str(value)
