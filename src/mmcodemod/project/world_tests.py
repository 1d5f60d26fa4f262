"""Tests that only ask whether there are several ranks, by their words: `dist.is_initialized()`,
`world_size > 1`."""

from __future__ import annotations

from collections.abc import Callable

from mmcodemod.facts.reads import Atom, Form
from mmcodemod.knowledge.ranks import WORLD_FLAGS, WORLD_SIZES


def among_others(form: Form, dotted: Callable[[Atom], str]) -> bool | None:
    """What a test comes to where there are several ranks; None when its words do not say so. `dotted` gives
    the name of what is read or called."""
    if form[0] in ("not", "and", "or"):
        return logic(form[0], [among_others(part, dotted) for part in form[1:]])
    if len(form[1]) != 1:
        return None
    name = dotted(form[1][0])
    if form[0] == "true":
        return asks_for_others(name) or None
    return sized(form) if name.rpartition(".")[2] in WORLD_SIZES else None


def asks_for_others(name: str) -> bool:
    """Is a dotted name that of a flag which is set where there are several ranks?"""
    owner, _, word = name.rpartition(".")
    return word in WORLD_FLAGS or (word == "is_available" and owner.endswith(("dist", "distributed")))


def sized(form: Form) -> bool | None:
    """What a comparison of the number of ranks comes to where there are several."""
    number = as_number(form[3])
    return _SIZED.get((form[2], number)) if number is not None else None


_SIZED = {
    (">", 1): True,
    (">=", 2): True,
    ("!=", 1): True,
    (">", 0): True,
    ("==", 1): False,
    ("<=", 1): False,
    ("<", 2): False,
}


def as_number(constant: object) -> int | None:
    """A whole number, also when it is written as text; None for anything else."""
    if isinstance(constant, str) and constant.lstrip("-").isdigit():
        return int(constant)
    return int(constant) if isinstance(constant, int) else None


def logic(kind: str, parts: list[bool | None]) -> bool | None:
    """`not`, `and` and `or` of answers of which some are open."""
    if kind == "not":
        return None if parts[0] is None else not parts[0]
    decisive = kind == "or"
    if decisive in parts:
        return decisive
    return None if None in parts else not decisive
