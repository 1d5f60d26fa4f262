"""Parts of strings that are known: `"package.module.Class".rsplit(".", 1)`."""

from __future__ import annotations

from mmcodemod.facts.terms import Call, Constant
from mmcodemod.project.values import Items, Text, Value, Values, capped, ordered

_METHODS = {
    "split": str.split,
    "rsplit": str.rsplit,
    "partition": str.partition,
    "rpartition": str.rpartition,
}
DIVIDING = tuple(_METHODS)


def divided(method: str, call: Call, texts: Values) -> Values | None:
    """The parts that a method of strings makes of each text, None when its arguments are not plain."""
    arguments = [a.value for a in call.args if isinstance(a, Constant)]
    plain = len(arguments) == len(call.args) and not call.keywords and _fits(method, arguments)
    known = [v for v in ordered(texts) if isinstance(v, Text)]
    return frozenset(_parts(method, v.value, arguments) for v in known) if plain and known else None


def _fits(method: str, arguments: list[object]) -> bool:
    """Is it a separator, and for `split` perhaps how often?"""
    if not arguments or not isinstance(arguments[0], str) or not arguments[0]:
        return False
    often = arguments[1:]
    return not often or (method.endswith("split") and len(often) == 1 and type(often[0]) is int)


def _parts(method: str, text: str, arguments: list[object]) -> Value:
    pieces: list[str] | tuple[str, ...] = getattr(text, method)(*arguments)
    parts = tuple(frozenset((Text(piece),)) for piece in pieces)
    return Items(capped(v for part in parts for v in part), parts)
