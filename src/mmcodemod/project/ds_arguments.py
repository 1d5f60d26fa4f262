"""What TrainingArguments hold in a run, and how many ranks it has: what DeepSpeed's JSON is compared with.
Must-analysis: where anything may set an argument otherwise, it is UNKNOWN.

Source: transformers `integrations/deepspeed.py`, `HfTrainerDeepSpeedConfig` (read in 4.37.2, 5.0.0). Only a
configuration that reaches TrainingArguments as `deepspeed` is compared, and when the arguments are made: what
the code stores in them afterwards does not count. The Trainer stops when it begins to train.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.facts.body import own_nodes
from mmcodemod.facts.nodes import node_of
from mmcodemod.facts.python import ClassFacts
from mmcodemod.facts.terms import Attribute, Call, is_name, last_name
from mmcodemod.knowledge.hf_deepspeed import is_parser_method, is_training_arguments
from mmcodemod.model.context import Context
from mmcodemod.model.frozen import frozen
from mmcodemod.model.option import MISSING, UNKNOWN, Option
from mmcodemod.model.place import Place
from mmcodemod.project import configs
from mmcodemod.project.config_values import Value
from mmcodemod.project.fields import default_of
from mmcodemod.project.flags import MAY_STAND_IN, PASSED_ON
from mmcodemod.project.model import Project
from mmcodemod.project.own_words import set_by_own_words
from mmcodemod.project.settings import Settings
from mmcodemod.project.spread_settings import spread_settings
from mmcodemod.project.stubs import MODELS
from mmcodemod.project.training_defaults import training_default
from mmcodemod.project.zero_init import announces, library_classes

_NAMED = ("Arguments", "Config", "parse_")  # parts of the names of what makes arguments
_LOOP = f"{MODELS}/transformers.py::Trainer._inner_training_loop"
_CONFIGURATION = "deepspeed"
_OWN_DEFAULTS = ("trl.", "axolotl.", "swift.")  # libraries whose classes set other defaults
_LAUNCHERS_OWN = (
    "deepspeed_config",
    "accelerate.deepspeed_config_file",
    "accelerate.deepspeed_config.deepspeed_config_file",
)


@frozen()
class _Made:
    """A call that makes TrainingArguments: a constructor, or the method of a parser. `classes` are the
    library classes that it fills, by dotted name, empty when they do not show."""

    function: str
    call: Call
    parsed: bool
    classes: tuple[str, ...]


def users_of(project: Project, path: str) -> tuple[list[Context], bool]:
    """The runs in which the Trainer compares the configuration `path`, and whether others use it, too."""
    every = configs.users(project, path)
    found = [c for c in every if compared(project, c)]
    return found, len(found) < len(every)


def compared(project: Project, context: Context) -> bool:
    """Does the Trainer compare this run's DeepSpeed configuration with its arguments?"""
    if not trainer_runs(project, context) or not _given_as_argument(context):
        return False
    return bool(_made_in(project, context))


def _given_as_argument(context: Context) -> bool:
    """Is it `--deepspeed X`? A launcher's own configuration, Accelerate's too, is not compared."""
    named = context.option(_CONFIGURATION)
    return named.at is not None and all(named.at != context.option(name).at for name in _LAUNCHERS_OWN)


def argument(project: Project, context: Context, name: str) -> Option:
    """The value of one training argument; its `at` is None for the library's default, which is MISSING where
    the class does not show or sets defaults of its own."""
    made = _made_in(project, context)
    if len(made) != 1:
        return Option(UNKNOWN, None, f"{name}, since the code makes several training arguments")
    if not made[0].parsed:
        return _constructed(project, context, made[0], name)
    added = set_by_own_words(project, context, name)
    if added is not None:
        return Option(UNKNOWN, added, f"{name}, since the code adds words to the command line")
    given = context.option(name)
    if given.at is not None:
        return _read(given, name)
    if passed := context.options.get(PASSED_ON):
        return Option(UNKNOWN, passed.at, _open(context, passed, name))
    return _by_default(project, context, made[0], name)


def _open(context: Context, passed: Option, name: str) -> str:
    """What decides an argument that nothing in the tree shows: further words, or a configuration that is not
    there."""
    if passed.note in context.notes:
        return f"what sets {name}: {passed.note}"
    if passed.note.startswith(MAY_STAND_IN):
        return f"whether {passed.note.removeprefix(MAY_STAND_IN)} holds --{name}"
    return f'whether the arguments passed on by "$@" set --{name}'


def _read(given: Option, name: str) -> Option:
    return (
        given if given.known else Option(UNKNOWN, given.at, f"--{name}, which the launch takes from outside")
    )


def _constructed(project: Project, context: Context, made: _Made, name: str) -> Option:
    """What a constructor is given: a value of its own, or that of a flag."""
    keyword = _keyword(made, name)
    if keyword is None:
        spread = project.once(_spread, made)
        if spread is None:
            return Option(UNKNOWN, None, f"{name}, which may be among the arguments given as `**`")
        return _entry(spread[name], name) if name in spread else _by_default(project, context, made, name)
    found = sorted(Settings(project, context).of(keyword, made.function), key=repr)
    if len(found) == 1 and isinstance(found[0].value, (int, float, str)):
        return Option(found[0].value, project.place(made.function.partition("::")[0], keyword))
    return Option(UNKNOWN, None, f"{name}, which the code works out")


def _spread(project: Project, made: _Made) -> dict[str, Value] | None:
    """What dictionaries that are spread give a constructor."""
    return spread_settings(project, made.function, node_of(made.call))


def _entry(value: Value, name: str) -> Option:
    if isinstance(value.scalar, (int, float, str)):
        return Option(value.scalar, value.at)
    return Option(UNKNOWN, None, f"{name}, which the code works out")


def _keyword(made: _Made, name: str) -> ast.expr | None:
    return next((k.value for k in node_of(made.call).keywords if k.arg == name), None)


def _by_default(project: Project, context: Context, made: _Made, name: str) -> Option:
    """The default of the field: of a class of the tree, else of the library."""
    own = [c for c in project.get(_argument_classes) if _runs(project, context, c) and name in c.attributes]
    if own or name in project.get(_stored):
        return _own_default(project, own, name)
    if not made.classes or any(c.startswith(_OWN_DEFAULTS) for c in made.classes):
        return Option(MISSING)
    return training_default(name)


def _own_default(project: Project, own: list[ClassFacts], name: str) -> Option:
    written = [e for c in own for e in c.defined.attributes.get(name, ())]
    default = default_of(written[0]) if len(written) == 1 and name not in project.get(_stored) else None
    if isinstance(default, ast.Constant) and isinstance(default.value, (int, float, str)):
        return Option(default.value, project.place(own[0].path, default))
    return Option(UNKNOWN, None, f"{name}, which the tree's own class of arguments sets")


def _runs(project: Project, context: Context, cls: ClassFacts) -> bool:
    return context.entry is not None and f"{cls.path}::<module>" in project.reach(context.entry)


def _argument_classes(project: Project) -> list[ClassFacts]:
    """The classes of the tree that extend TrainingArguments. Use through `project.get`."""
    return [
        cls
        for path in project.index.python_files
        for cls in project.index.files[path].classes.values()
        if any(map(is_training_arguments, project.resolver.classes.external_bases(cls.id)))
    ]


def _stored(project: Project) -> frozenset[str]:
    """The arguments that classes of arguments set themselves, and defaults that a parser is given. Use
    through `project.get`."""
    methods = {f"{c.path}::{q}" for c in project.get(_argument_classes) for q in c.methods.values()}
    found = {
        store.attr
        for method in methods
        for store in project.index.function(method).body.stores
        if is_name(store.base, "self")
    }
    for facts in project.mentioning("set_defaults"):
        for call in facts.body.calls if facts.may_say(("set_defaults",)) else ():
            if last_name(call) == "set_defaults":
                found |= {keyword.arg for keyword in call.keywords if keyword.arg}
    return frozenset(found)


def _made_in(project: Project, context: Context) -> list[_Made]:
    """The calls that make the arguments of this run and may be given a configuration; the branches of one
    parser count once."""
    assert context.entry is not None
    reach = project.reach(context.entry)
    found = [made for made in project.get(_every) if made.function in reach and _takes(project, made)]
    parsed = [made for made in found if made.parsed]
    return [*(made for made in found if not made.parsed), *parsed[:1]]


def _takes(project: Project, made: _Made) -> bool:
    if made.parsed or any(k.arg == _CONFIGURATION for k in made.call.keywords):
        return True
    spread = project.once(_spread, made)
    return spread is None or _CONFIGURATION in spread


def _every(project: Project) -> list[_Made]:
    """The calls of the tree and of launched programs that make TrainingArguments. Through `project.get`."""
    functions = [facts.id for facts in project.mentioning(*_NAMED) if facts.may_say(_NAMED)]
    return [made for function in (*functions, *_programs(project)) for made in _in(project, function)]


def _programs(project: Project) -> list[str]:
    """The functions of the installed programs that runs start."""
    configured = [c.entry for c in project.configured if c.entry]
    paths = sorted({entry.path for entry in (*project.entries, *configured) if entry.library})
    return [facts.id for path in paths for facts in project.index.files[path].functions.values()]


def _in(project: Project, function: str) -> Iterator[_Made]:
    for call in project.index.function(function).body.calls:
        parsed = isinstance(call.func, Attribute) and is_parser_method(call.func.attr)
        if not parsed and not last_name(call).endswith(("Arguments", "Config")):
            continue
        for frame in project.frames(function)[:1]:
            classes = library_classes(project, call, frame, parsed)
            if any(map(is_training_arguments, classes)) or (parsed and announces(project, call, frame)):
                yield _Made(function, call, parsed, tuple(classes))


def trainer_runs(project: Project, context: Context) -> bool:
    """Does the run train with the Trainer's own loop?"""
    return context.entry is not None and _LOOP in project.reach(context.entry)


def parses_training_arguments(project: Project, context: Context) -> bool:
    """Do the flags of the launch fill TrainingArguments?"""
    reach = project.reach(context.entry) if context.entry else None
    return reach is not None and any(m.parsed and m.function in reach for m in project.get(_every))


def constructed_with(project: Project, name: str) -> list[tuple[str, ast.expr]]:
    """What constructors of TrainingArguments are given as one argument, and in which functions."""
    made = [m for m in project.get(_every) if not m.parsed]
    return [(m.function, value) for m in made if (value := _keyword(m, name)) is not None]


# -- what code puts into a configuration ------------------------------------------------------------------


def set_in_code(project: Project, key: str) -> list[tuple[str, Place]]:
    """Functions and places that put the key into a configuration or a strategy: `x[key] = ...`,
    `dict(key=...)`, `{key: ...}`; or remove it: `del x[key]`, `x.pop(key)`."""
    known = project.get(_set_in_code)
    if key not in known:
        known[key] = sorted(_sets(project, key), key=lambda pair: pair[1])
    return known[key]


def _set_in_code(project: Project) -> dict[str, list[tuple[str, Place]]]:
    return {}


def _sets(project: Project, key: str) -> Iterator[tuple[str, Place]]:
    for facts in project.mentioning(key):
        for node in own_nodes(facts.node):
            if _is_set(node, key):
                yield facts.id, project.place(facts.path, node)


def _is_set(node: ast.AST, key: str) -> bool:
    if isinstance(node, ast.Assign | ast.Delete):
        return any(isinstance(t, ast.Subscript) and _is_key(t.slice, key) for t in node.targets)
    if isinstance(node, ast.Call):
        return any(k.arg == key for k in node.keywords) or _removes(node, key)
    return isinstance(node, ast.Dict) and any(k is not None and _is_key(k, key) for k in node.keys)


def _removes(call: ast.Call, key: str) -> bool:
    popped = isinstance(call.func, ast.Attribute) and call.func.attr == "pop"
    return popped and bool(call.args) and _is_key(call.args[0], key)


def _is_key(node: ast.expr, key: str) -> bool:
    return isinstance(node, ast.Constant) and node.value == key
