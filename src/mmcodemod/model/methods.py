"""The methods of a dataclass, as text that is compiled."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import MISSING, Field
from reprlib import recursive_repr
from typing import Any

_COMPARED = {"__eq__": "==", "__lt__": "<", "__le__": "<=", "__gt__": ">", "__ge__": ">="}


def written(cls: type, name: str, fields: Mapping[str, Field[Any]], hold: bool) -> Any:
    """The method `name` of a class with these fields; with `hold`, whose fields cannot be set."""
    me = "self" if "self" not in fields else "__self"
    known: dict[str, Any] = {"_missing": MISSING, "_set": object.__setattr__}
    text = _init(cls, me, fields, hold, known) if name == "__init__" else _text(name, me, fields)
    exec(text, known)
    method = known[name]
    method.__qualname__ = f"{cls.__qualname__}.{name}"
    return recursive_repr()(method) if name == "__repr__" else method


def _init(cls: type, me: str, fields: Mapping[str, Field[Any]], hold: bool, known: dict[str, Any]) -> str:
    given, lines = [me], []
    for name, of in fields.items():
        value = name if of.init else f"_of_{name}"
        if of.default_factory is not MISSING:
            known[f"_of_{name}"] = of.default_factory
            value = f"_of_{name}() if {name} is _missing else {name}" if of.init else f"_of_{name}()"
            given += [f"{name}=_missing"] if of.init else []
        elif of.default is not MISSING:
            known[f"_of_{name}"] = of.default
            given += [f"{name}=_of_{name}"] if of.init else []
        elif of.init:
            given.append(name)
        lines.append(f"_set({me}, {name!r}, {value})" if hold else f"{me}.{name} = {value}")
    lines += [f"{me}.__post_init__()"] if hasattr(cls, "__post_init__") else []
    return f"def __init__({', '.join(given)}):\n " + ("\n ".join(lines) or "pass")


def _text(name: str, me: str, fields: Mapping[str, Field[Any]]) -> str:
    if name == "__repr__":
        shown = ", ".join(f"{n}={{{me}.{n}!r}}" for n, of in fields.items() if of.repr)
        return f"def __repr__({me}):\n return f'{{{me}.__class__.__qualname__}}({shown})'"
    if name == "__hash__":
        hashed = (n for n, of in fields.items() if (of.compare if of.hash is None else of.hash))
        return f"def __hash__({me}):\n return hash({_tuple(me, hashed)})"
    compared = [n for n, of in fields.items() if of.compare]
    return (
        f"def {name}({me}, other):\n if other.__class__ is {me}.__class__:\n"
        f"  return {_tuple(me, compared)} {_COMPARED[name]} {_tuple('other', compared)}\n"
        " return NotImplemented"
    )


def _tuple(of: str, names: Iterable[str]) -> str:
    return "(" + "".join(f"{of}.{name}, " for name in names) + ")"
