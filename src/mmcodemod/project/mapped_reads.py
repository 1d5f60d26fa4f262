"""Where the mapping comes from of which code makes training arguments: the keys that lead to it in the file
which the launch names, and what the code changes below them. Must-analysis.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

from mmcodemod.facts.definitions import bare_name
from mmcodemod.facts.nodes import node_of
from mmcodemod.facts.syntax import unparse
from mmcodemod.facts.terms import Call, last_name
from mmcodemod.knowledge.hf_deepspeed import is_training_arguments
from mmcodemod.model.context import Entry
from mmcodemod.model.frozen import frozen
from mmcodemod.model.place import Place
from mmcodemod.project.changed_keys import Change, Keys, Kind, changed
from mmcodemod.project.followed import Followed
from mmcodemod.project.holders import Parents, occurrences
from mmcodemod.project.model import Project
from mmcodemod.project.origins import Origin
from mmcodemod.project.values import ClassRef, External, Value

_PARSE = "parse_dict"
_LOADS = ("yaml.load", "yaml.safe_load", "yaml.full_load", "json.load", "OmegaConf.load")
_SAME = ("to_container", "dict", "deepcopy", "copy")  # calls that give back what they are given
_MERGES = ("update", "pop", "popitem", "setdefault", "clear")
MAX_STEPS = 6  # names for parts of the mapping


@frozen()
class _Mapping:
    """What arguments are made of: an expression of a function."""

    expr: ast.expr
    function: str


@frozen()
class Read:
    """`section`: the keys from the file on; `changes` of it, counted from there; `open`: may all of it have
    changed? `loaded`: the call that loads the file, where one does."""

    section: Keys
    changes: tuple[Change, ...]
    open: bool
    at: Place
    loaded: Origin | None = None


def mapped_reads(project: Project, entry: Entry) -> list[Read | None]:
    """Of all arguments that a run makes of a mapping."""
    within = project.reach(entry).functions
    return [_read(project, m, within) for m in project.get(_mappings) if m.function in within]


def _mappings(project: Project) -> list[_Mapping]:
    """Use through `project.get(_mappings)`."""
    return [
        _Mapping(expr, facts.id)
        for facts in project.mentioning(_PARSE, "Arguments", "Config")
        for call in facts.body.calls
        if last_name(call) == _PARSE or _spreads(project, call, facts.id)
        for expr in _given(node_of(call))
    ]


def _spreads(project: Project, call: Call, function: str) -> bool:
    """`TrainingArguments(**values)`?"""
    if all(k.arg is not None for k in call.keywords):
        return False
    values = project.values(call.func, function)
    return bool(values) and all(_takes(project, value) for value in values)


def _given(call: ast.Call) -> Iterator[ast.expr]:
    if bare_name(call.func) == _PARSE:
        return iter(call.args[:1])
    return (k.value for k in call.keywords if k.arg is None)


def _takes(project: Project, value: Value) -> bool:
    """Is it a class of training arguments?"""
    if isinstance(value, External):
        return is_training_arguments(value.name)
    bases = project.resolver.classes.external_bases(value.cls) if isinstance(value, ClassRef) else ()
    return any(map(is_training_arguments, bases))


def _read(project: Project, mapping: _Mapping, within: Collection[str]) -> Read | None:
    """None where it does not come from a file, as far as that shows."""
    keys: Keys = ()
    changes: list[Change] = []
    expr, function, is_open = mapping.expr, mapping.function, False
    at = project.place(function.partition("::")[0], expr)
    for _ in range(MAX_STEPS):
        expr, below = _peeled(expr)
        keys = (*below, *keys)
        if _is_loaded(expr):
            return Read(keys, tuple(changes), is_open, at, Origin(expr, function))
        if _is_composed(project, expr, function):
            made = list(_changes(project, [Origin(expr, function)]))
            changes += [b for change in made if change is not None for b in _below(change, keys)]
            return Read(keys, tuple(changes), is_open or None in made, at)
        followed = Followed(project, within)
        ends = followed.of(expr, function)
        for change in _changes(project, followed.through):
            is_open = is_open or change is None
            changes += _below(change, keys) if change is not None else []
        if any(_merges(end.expr) for end in ends):
            return Read((), (), True, at)
        if ends and all(_is_loaded(end.expr) for end in ends):
            return Read(keys, tuple(changes), is_open, at, ends[0])
        if len(ends) != 1 or ends[0].expr is expr:
            return Read((), (), True, at) if is_open else None
        expr, function = ends[0].expr, ends[0].function
    return None


def _peeled(expr: ast.expr) -> tuple[ast.expr, Keys]:
    """`cfg` and the keys of `dict(cfg["trainer"]["args"])`."""
    keys: Keys = ()
    while True:
        match expr:
            case ast.Subscript(value=inner, slice=ast.Constant(value=str(key))):
                expr, keys = inner, (key, *keys)
            case ast.Call(
                func=ast.Attribute(value=inner, attr="get"), args=[ast.Constant(value=str(key)), *_]
            ):
                expr, keys = inner, (key, *keys)
            case ast.Attribute(value=ast.Name() | ast.Attribute() as inner, attr=key) if not _is_own(inner):
                expr, keys = inner, (key, *keys)
            case ast.Call(func=func, args=[inner, *_]) if bare_name(func) in _SAME:
                expr = inner
            case _:
                return expr, keys


def _is_own(expr: ast.expr) -> bool:
    return isinstance(expr, ast.Name) and expr.id in ("self", "cls")


def _is_loaded(expr: ast.expr) -> bool:
    return isinstance(expr, ast.Call) and unparse(expr.func).endswith(_LOADS)


def _is_composed(project: Project, expr: ast.expr, function: str) -> bool:
    """Is it what hydra hands to the function that it runs, or what a call makes of that in its place?"""
    node = project.index.function(function).node
    if not isinstance(expr, ast.Name) or not isinstance(node, ast.FunctionDef):
        return False
    decorated = any(unparse(d).startswith(("hydra.main(", "main(")) for d in node.decorator_list)
    if not decorated or [a.arg for a in node.args.args[:1]] != [expr.id]:
        return False
    made = [source.expr for source in project.resolver.body(function).names.get(expr.id, ())]
    return all(isinstance(m, ast.Call) and _is_given(m, expr.id) for m in made)


def _is_given(call: ast.Call, name: str) -> bool:
    return bool(call.args) and isinstance(call.args[0], ast.Name) and call.args[0].id == name


def _merges(expr: ast.expr) -> bool:
    """`{**base, **values}` and `base | values`."""
    spread = isinstance(expr, ast.Dict) and None in expr.keys
    return spread or (isinstance(expr, ast.BinOp) and isinstance(expr.op, ast.BitOr))


def _changes(project: Project, through: list[Origin]) -> Iterator[Change | None]:
    """None for one that may be of anything."""
    kept = {unparse(holder.expr) for holder in through}
    for holder in dict.fromkeys(through):
        for node, parents in occurrences(project, holder) or ():
            made = changed(node, parents, kept)
            if made is not None:
                yield from (c for c in made if c.kind is not Kind.HANDED)
            else:
                yield from _by_attribute(node, parents)


def _by_attribute(node: ast.expr, parents: Parents) -> Iterator[Change | None]:
    """`cfg.trainer.lr = 1`, `cfg.trainer.update(...)` and `cfg[name] = 1`."""
    keys: Keys = ()
    while isinstance(parent := parents.get(node), (ast.Attribute, ast.Subscript)) and parent.value is node:
        called = isinstance(parents.get(parent), ast.Call) and isinstance(parent, ast.Attribute)
        stored = not isinstance(parent.ctx, ast.Load)
        key = parent.attr if isinstance(parent, ast.Attribute) else _text(parent.slice)
        if called and key in _MERGES:
            yield Change(keys) if keys else None
        elif stored:
            yield Change((*keys, key)) if key else Change(keys) if keys else None
        if called or stored or not key:
            return
        node, keys = parent, (*keys, key)


def _text(node: ast.expr) -> str:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def _below(change: Change, keys: Keys) -> list[Change]:
    """A change of what a name holds, which stands above `keys`: what it changes below them."""
    if change.keys[: len(keys)] == keys:
        return [Change(change.keys[len(keys) :], change.kind)]
    return [Change(())] if keys[: len(change.keys)] == change.keys else []
