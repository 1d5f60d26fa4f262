"""Training arguments that code makes of the YAML or JSON file which the launch names: a section of it
(`TrainingArguments(**cfg["trainer"])`), or what is left after the code has changed it
(`values["fp16"] = False; parser.parse_dict(values)`). Must-analysis for sections; what the code changes is
UNKNOWN.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from dataclasses import replace

from mmcodemod.facts.definitions import bare_name
from mmcodemod.facts.nodes import node_of
from mmcodemod.facts.terms import last_name
from mmcodemod.knowledge.hf_deepspeed import is_training_arguments
from mmcodemod.model.context import NOT_SET, Context, Entry, Strategy
from mmcodemod.model.finding import Problem
from mmcodemod.model.frozen import frozen
from mmcodemod.model.option import UNKNOWN, Option
from mmcodemod.model.place import Place
from mmcodemod.project.changed_keys import Change, Keys, Kind, changed
from mmcodemod.project.code_settings import CHANGED, found
from mmcodemod.project.flags import PASSED_ON, deepspeed_options
from mmcodemod.project.followed import Followed
from mmcodemod.project.holders import Parents, occurrences
from mmcodemod.project.hydra_composed import composed
from mmcodemod.project.isolation import isolated
from mmcodemod.project.judging import watched
from mmcodemod.project.model import Project
from mmcodemod.project.origins import Origin
from mmcodemod.project.strategy import strategy_of
from mmcodemod.project.values import ClassRef, External, Value

_FILES = (".yaml", ".yml", ".json")
_PARSE = "parse_dict"
_LOADS = ("yaml.load", "yaml.safe_load", "yaml.full_load", "json.load", "OmegaConf.load")
_SAME = ("to_container", "dict", "deepcopy", "copy")  # calls that give back what they are given
_MERGES = ("update", "pop", "popitem", "setdefault", "clear")
_DEEPSPEED = "deepspeed"
_UNDECIDED = (Strategy.UNKNOWN, Strategy.DDP, Strategy.SINGLE)
MAX_STEPS = 6  # names for parts of the mapping


@frozen()
class _Mapping:
    """What arguments are made of: an expression of a function."""

    expr: ast.expr
    function: str


@frozen()
class _Read:
    """`section`: the keys from the file on; `changes` of it, counted from there; `open`: may all of it have
    changed?"""

    section: Keys
    changes: tuple[Change, ...]
    open: bool
    at: Place


def with_mapped(project: Project, contexts: tuple[Context, ...]) -> tuple[Context, ...]:
    """The contexts, with what their code makes of the file that the launch names."""
    return tuple(_isolated(project, context) for context in contexts)


def _isolated(project: Project, context: Context) -> Context:
    """What crashes for one context leaves that as its launch says."""

    def left_out(error: Exception) -> None:
        told = f"what the code makes of its configuration is left out ({type(error).__name__}: {error})"
        project.problems.append(Problem(context.entry.path if context.entry else "", "analysis", told))

    return isolated(lambda: _mapped(project, context), left_out) or context


def _mapped(project: Project, context: Context) -> Context:
    files = [p for p in context.configs if p.endswith(_FILES) and p not in project.deepspeed_documents]
    if context.entry is None or context.entry.library:
        return context
    if not files:
        return _of_hydra(project, context)
    every = project.once(_reads, context.entry)
    reads = [read for read in every if read is not None]
    if not reads or len(reads) != len(every) or any(r.section != reads[0].section for r in reads):
        return context
    for read in reads:
        context = _opened(project, context, files, read)
    return _sectioned(project, context, reads[0]) if reads[0].section and len(files) == 1 else context


def _of_hydra(project: Project, context: Context) -> Context:
    """The context of a program of hydra, with the arguments that it makes of what is composed."""
    every = project.once(_reads, context.entry) if context.entry and context.launcher else []
    whole = composed(project, context) if len(every) == 1 and every[0] is not None else None
    if whole is None or every[0] is None:
        return context
    read, options = every[0], {**whole.options, **context.options}
    held = replace(context, options=options, configs=(*context.configs, whole.path))
    files = sorted({option.at.path for option in whole.options.values() if option.at is not None})
    made = _sectioned(project, _opened(project, held, files, read), read)
    before = ".".join((*read.section, ""))
    other = {n for n in whole.options if f"{before}{n}" not in whole.options} - set(context.options)
    return replace(made, options={n: o for n, o in made.options.items() if n not in other})


def _reads(project: Project, entry: Entry) -> list[_Read | None]:
    """Of all arguments that a run makes of a mapping."""
    within = project.reach(entry).functions
    return [_read(project, m, within) for m in project.get(_mappings) if m.function in within]


# -- the mapping -----------------------------------------------------------------------------------------


def _mappings(project: Project) -> list[_Mapping]:
    """Use through `project.get(_mappings)`."""
    return [
        _Mapping(expr, facts.id)
        for facts in project.mentioning(_PARSE, "Arguments", "Config")
        for call in facts.body.calls
        if any(k.arg is None for k in call.keywords) or last_name(call) == _PARSE
        for expr in _given(project, node_of(call), facts.id)
    ]


def _given(project: Project, call: ast.Call, function: str) -> Iterator[ast.expr]:
    if bare_name(call.func) == _PARSE:
        yield from call.args[:1]
        return
    values = project.values(call.func, function)
    if values and all(_takes(project, value) for value in values):
        yield from (k.value for k in call.keywords if k.arg is None)


def _takes(project: Project, value: Value) -> bool:
    """Is it a class of training arguments?"""
    if isinstance(value, External):
        return is_training_arguments(value.name)
    bases = project.resolver.classes.external_bases(value.cls) if isinstance(value, ClassRef) else ()
    return any(map(is_training_arguments, bases))


def _read(project: Project, mapping: _Mapping, within: Collection[str]) -> _Read | None:
    """None where it does not come from a file, as far as that shows."""
    keys: Keys = ()
    changes: list[Change] = []
    expr, function, is_open = mapping.expr, mapping.function, False
    at = project.place(function.partition("::")[0], expr)
    for _ in range(MAX_STEPS):
        expr, below = _peeled(expr)
        keys = (*below, *keys)
        if _is_loaded(expr):
            return _Read(keys, tuple(changes), is_open, at)
        if _is_composed(project, expr, function):
            made = list(_changes(project, [Origin(expr, function)]))
            changes += [b for change in made if change is not None for b in _below(change, keys)]
            return _Read(keys, tuple(changes), is_open or None in made, at)
        followed = Followed(project, within)
        ends = followed.of(expr, function)
        for change in _changes(project, followed.through):
            is_open = is_open or change is None
            changes += _below(change, keys) if change is not None else []
        if any(_merges(end.expr) for end in ends):
            return _Read((), (), True, at)
        if ends and all(_is_loaded(end.expr) for end in ends):
            return _Read(keys, tuple(changes), is_open, at)
        if len(ends) != 1 or ends[0].expr is expr:
            return _Read((), (), True, at) if is_open else None
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
    return isinstance(expr, ast.Call) and ast.unparse(expr.func).endswith(_LOADS)


def _is_composed(project: Project, expr: ast.expr, function: str) -> bool:
    """Is it what hydra hands to the function that it runs, or what a call makes of that in its place?"""
    node = project.index.function(function).node
    if not isinstance(expr, ast.Name) or not isinstance(node, ast.FunctionDef):
        return False
    decorated = any(ast.unparse(d).startswith(("hydra.main(", "main(")) for d in node.decorator_list)
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


# -- what the code changes -------------------------------------------------------------------------------


def _changes(project: Project, through: list[Origin]) -> Iterator[Change | None]:
    """None for one that may be of anything."""
    kept = {ast.unparse(holder.expr) for holder in through}
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


# -- the context -----------------------------------------------------------------------------------------


def _opened(project: Project, context: Context, files: list[str], read: _Read) -> Context:
    """The context, with what its code changes of the file open."""
    names = [".".join((*read.section, *change.keys)) for change in read.changes]
    if read.open or "" in names or ".".join(read.section) in names:
        return _all_open(context, files, read.at)
    if _DEEPSPEED in names:
        context = _without_file(project, context, read.at)
    kept = {n: _unknown(o) if _is_within(n, names) else o for n, o in context.options.items()}
    options = {**{name: Option(UNKNOWN, read.at, CHANGED) for name in names}, **kept}
    return replace(context, options=options) if names else context


def _all_open(context: Context, files: list[str], at: Place) -> Context:
    """Any entry of the files may be another one, and there may be more."""
    of_file = {n: _unknown(o) for n, o in context.options.items() if o.at is not None and o.at.path in files}
    return replace(context, options={**context.options, **of_file, PASSED_ON: Option(UNKNOWN, at, CHANGED)})


def _without_file(project: Project, context: Context, at: Place) -> Context:
    """The context whose `deepspeed` the code sets or takes out: which strategy it has is open."""
    options = {n: o for n, o in context.options.items() if not n.startswith(f"{_DEEPSPEED}.")}
    configs = tuple(p for p in context.configs if p not in project.deepspeed_documents)
    decided = Option(UNKNOWN, at, CHANGED)
    return replace(
        context, strategy=Strategy.UNKNOWN, strategy_from=decided, options=options, configs=configs
    )


def _unknown(option: Option) -> Option:
    return Option(UNKNOWN, option.at, CHANGED)


def _is_within(name: str, changed: list[str]) -> bool:
    return any(name == key or name.startswith(f"{key}.") for key in changed)


def _sectioned(project: Project, context: Context, read: _Read) -> Context:
    """The context, with the entries of the section as the training arguments that they are. Flags win over
    them; what the file has elsewhere under the same names is no argument."""
    before = "".join(f"{key}." for key in read.section)
    inside = {n.removeprefix(before): o for n, o in context.options.items() if n.startswith(before)}
    files = {option.at.path for option in inside.values() if option.at is not None}
    flags = {n: o for n, o in context.options.items() if o.at is None or o.at.path not in files}
    named = {**inside, **flags}.get(_DEEPSPEED, NOT_SET).value
    path = found(named, read.at.path, project.deepspeed_documents) if isinstance(named, str) else None
    root = project.deepspeed_documents[path].root if path else None
    if path and root is not None:
        inside |= deepspeed_options(root, path)
    options = {**context.options, **inside, **flags}
    configs = tuple(dict.fromkeys((*context.configs, *([path] if path else ()))))
    sectioned = watched(replace(context, options=options, configs=configs))
    if context.strategy not in _UNDECIDED or context.launcher is None:
        return sectioned
    strategy, decided = strategy_of(context.launched_by, options, context.launcher)
    return replace(sectioned, strategy=strategy, strategy_from=decided)
