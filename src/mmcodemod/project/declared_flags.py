"""Options that code declares with `add_argument`, and what a word of the command line comes to there."""

from __future__ import annotations

import ast

from mmcodemod.facts.nodes import node_of
from mmcodemod.facts.terms import Attribute, Call, Constant
from mmcodemod.model.option import Option, Scalar
from mmcodemod.project.model import Project

_CONFIGURATIONS = (".json", ".yaml", ".yml")  # their values have types of their own
_OTHERWISE = (None, "action", "nargs")  # keywords with which the value is no single word; None: `**given`


def declared(project: Project, name: str) -> list[tuple[ast.Call, str]]:
    """The `add_argument("--name", ...)` calls of the tree that declare an option, with their functions."""
    return [(node_of(site), function) for site, function in project.get(declarations).get(name, ())]


def declarations(project: Project) -> dict[str, list[tuple[Call, str]]]:
    """All of them by destination, as the facts have them. Use through `project.get(declarations)`."""
    found: dict[str, list[tuple[Call, str]]] = {}
    for facts in project.mentioning("add_argument"):
        for site in facts.body.calls if facts.may_say(("add_argument",)) else ():
            makes = isinstance(site.func, Attribute) and site.func.attr == "add_argument"
            name = _destination(site) if makes else ""
            if name:
                found.setdefault(name, []).append((site, facts.id))
    return found


def _destination(site: Call) -> str:
    for keyword in site.keywords:
        if keyword.arg == "dest" and isinstance(keyword.value, Constant):
            return str(keyword.value.value)
    texts = [str(a.value) for a in site.args if isinstance(a, Constant)]
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
