"""Versions that the user assumes: `--assume deepspeed==0.16.9`, or `assume` in the configuration."""

from __future__ import annotations

from collections.abc import Iterable

from mmcodemod.model.pattern import regex

_ASSUMED = regex(r" {0,9}([A-Za-z0-9](?:[A-Za-z0-9._-]{0,80}[A-Za-z0-9])?) {0,9}== {0,9}(\S{1,200}?) {0,9}")
MAX_SHOWN = 100  # characters of what was given


class BadAssumption(ValueError):
    """Text that states no version of a package; the message says what is wanted."""


def assumed(texts: Iterable[str], file: str = "") -> dict[str, str]:
    """Version by normalised name. `file`: the configuration that the texts come from.

    Raises:
        BadAssumption: for what is not NAME==VERSION, and for two versions of one package.
    """
    found: dict[str, str] = {}
    where = f"{file}: 'assume'" if file else "--assume"
    for text in texts:
        name, version = _parts(text, where)
        if found.setdefault(name, version) != version:
            raise BadAssumption(f"{where} has two versions of {name}: {found[name]} and {version}")
    return found


def _parts(text: str, where: str) -> tuple[str, str]:
    from mmcodemod.facts.pep440 import order  # an answer from the cache needs neither
    from mmcodemod.facts.requirement import normalised

    match = _ASSUMED.fullmatch(text)
    if match is None or order(match[2]) is None:
        raise BadAssumption(f"{where} wants NAME==VERSION (deepspeed==0.16.9), not {text[:MAX_SHOWN]!r}")
    return normalised(match[1]), match[2]
