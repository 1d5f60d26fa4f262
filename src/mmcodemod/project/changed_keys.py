"""The keys of a dictionary that code changes at one place that names it. Must-analysis: None where it may do
anything with it."""

from __future__ import annotations

import ast
from collections.abc import Collection
from enum import Enum

from mmcodemod.facts.definitions import bare_name
from mmcodemod.facts.syntax import unparse
from mmcodemod.model.frozen import frozen
from mmcodemod.project.holders import Parents

Keys = tuple[str, ...]


class Kind(Enum):
    """What happens to a key."""

    SET = "it is set or removed"
    DEFAULT = "it is set where it is absent"
    HANDED = "what lies below it is given to code that may change it"


@frozen()
class Change:
    """The way to a key, and what happens to it."""

    keys: Keys
    kind: Kind = Kind.SET


_KINDS = {"pop": Kind.SET, "setdefault": Kind.DEFAULT}
_READS = ("get", "keys", "copy", "__contains__")
_HARMLESS = (
    *("print", "pprint", "len", "str", "repr", "dict", "list", "type", "isinstance", "dumps", "dump", "copy"),
    *(
        "deepcopy",
        "info",
        "debug",
        "warning",
        "log",
        "initialize",
        "HfDeepSpeedConfig",
        "Init",
        "print_rank_0",
    ),
)
"""Functions that change nothing of what they are given, and those that take the configuration."""
_LOOKS = (
    *(ast.Compare, ast.BoolOp, ast.UnaryOp, ast.If, ast.IfExp, ast.While, ast.Assert, ast.FormattedValue),
    *(ast.Expr, ast.Return, ast.BinOp, ast.For, ast.comprehension),
)


def changed(node: ast.expr, parents: Parents, kept: Collection[str]) -> list[Change] | None:
    """What is changed there. `kept`: the names and attributes that are followed anyway."""
    keys: Keys = ()
    while True:
        parent = parents.get(node)
        if isinstance(parent, ast.Subscript) and parent.value is node:
            key = _text(parent.slice)
        elif isinstance(parent, ast.Attribute) and isinstance(call := parents.get(parent), ast.Call):
            if call.func is not parent:
                return None
            if parent.attr != "get":
                return _by_method(parent.attr, call, keys)
            parent, key = call, _text(call.args[0]) if call.args else None
        else:
            return _at_end(node, parent, keys, kept)
        if key is None:
            return None
        node, keys = parent, (*keys, key)


def _text(node: ast.expr) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def _by_method(name: str, call: ast.Call, keys: Keys) -> list[Change] | None:
    if name in _READS:
        return []
    if name in _KINDS and call.args:
        key = _text(call.args[0])
        return None if key is None else [Change((*keys, key), _KINDS[name])]
    return _updated(call, keys) if name == "update" else None


def _updated(call: ast.Call, keys: Keys) -> list[Change] | None:
    given: list[str | None] = [keyword.arg for keyword in call.keywords]
    for arg in call.args:
        given += [_text(k) if k else None for k in arg.keys] if isinstance(arg, ast.Dict) else [None]
    return None if None in given else [Change((*keys, key)) for key in given if key]


def _at_end(node: ast.expr, parent: ast.AST | None, keys: Keys, kept: Collection[str]) -> list[Change] | None:
    """What is done with the dictionary itself, or with what it has under the keys."""
    if not isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
        return [Change(keys)] if keys else []  # a store of the name itself is another origin
    if isinstance(parent, ast.keyword):
        return _handed(parent.arg in ("config", "config_params", "deepspeed", "config_dict_or_path"), keys)
    if isinstance(parent, ast.Call):
        return _handed(bare_name(parent.func) in _HARMLESS, keys)
    if isinstance(parent, (ast.Assign, ast.AnnAssign)):
        targets = parent.targets if isinstance(parent, ast.Assign) else [parent.target]
        return _handed(not keys and all(unparse(t) in kept for t in targets), keys)
    return [] if isinstance(parent, _LOOKS) else None


def _handed(harmless: bool, keys: Keys) -> list[Change] | None:
    """Somebody else holds it: he may change all that lies below the keys."""
    return [] if harmless else [Change(keys, Kind.HANDED)] if keys else None
