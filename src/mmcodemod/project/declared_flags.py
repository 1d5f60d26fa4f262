"""Options that code declares with `add_argument`, and what a word of the command line comes to there."""

from __future__ import annotations

import ast

from mmcodemod.model.option import Option, Scalar
from mmcodemod.project.model import Project

_CONFIGURATIONS = (".json", ".yaml", ".yml")  # their values have types of their own
_OTHERWISE = (None, "action", "nargs")  # keywords with which the value is no single word; None: `**given`


def declared(project: Project) -> dict[str, list[tuple[ast.Call, str]]]:
    """`add_argument("--name", ...)` calls of the tree by destination. Use through `project.get(declared)`."""
    found: dict[str, list[tuple[ast.Call, str]]] = {}
    for facts in project.mentioning("add_argument"):
        for call in project.calls_of(facts.id, ("add_argument",)):
            name = _destination(call) if isinstance(call.func, ast.Attribute) else ""
            if name:
                found.setdefault(name, []).append((call, facts.id))
    return found


def _destination(call: ast.Call) -> str:
    for keyword in call.keywords:
        if keyword.arg == "dest" and isinstance(keyword.value, ast.Constant):
            return str(keyword.value.value)
    texts = [str(a.value) for a in call.args if isinstance(a, ast.Constant)]
    long = [t for t in texts if t.startswith("--")] or texts
    return long[0].lstrip("-").replace("-", "_") if long else ""


def read_as(call: ast.Call, option: Option) -> frozenset[object]:
    """What `parse_args` may make of a word that a launch gives for the option: `--amp False` is a text where
    no `type` says otherwise, and true for `type=bool`."""
    kind = _kind(call)
    if not option.known or option.at is None or option.at.path.endswith(_CONFIGURATIONS) or not kind:
        return frozenset((option.value,))
    texts = _texts(option.value)  # type: ignore[arg-type]
    return frozenset(bool(t) for t in texts) if kind == "bool" else frozenset(texts)


def _kind(call: ast.Call) -> str:
    """`str` or `bool`, "" where the type makes something else of the word."""
    keywords = {k.arg: k.value for k in call.keywords}
    if any(k in keywords and not _stores(keywords[k]) for k in _OTHERWISE):
        return ""
    kind = keywords.get("type")
    named = kind.id if isinstance(kind, ast.Name) else ""
    return "str" if kind is None else named if named in ("str", "bool") else ""


def _stores(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value == "store"


def _texts(value: Scalar) -> tuple[str, ...]:
    """The words that a value may have been written as."""
    text = str(value)
    return (text, text.lower()) if isinstance(value, bool) else (text,)
