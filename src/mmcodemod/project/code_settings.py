"""DeepSpeed settings that the code itself names: `TrainingArguments(deepspeed="ds.json")`, also by a variable
or an f-string, and dictionaries: `deepspeed.initialize(config=settings)`."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator
from dataclasses import replace

from mmcodemod.facts.node import Json
from mmcodemod.model.context import Context, Strategy
from mmcodemod.model.option import AUTO, UNKNOWN, Option
from mmcodemod.model.place import Place
from mmcodemod.project.code_values import CodeValues, ValuesOfFiles
from mmcodemod.project.config_values import Settings, Value
from mmcodemod.project.deepspeed_config import stage_strategy
from mmcodemod.project.flags import deepspeed_options
from mmcodemod.project.given_configs import SPREAD, Giving
from mmcodemod.project.index import Index
from mmcodemod.project.python_config import flat
from mmcodemod.project.sources import Sources

Named = tuple[Place, str | Settings]
_ARGUMENT = "deepspeed"
DICTIONARY = "a dictionary"
CHANGED = "the code changes it after it has read the file"  # the note of a setting


def with_code_settings(context: Context, named: list[Named], documents: dict[str, Json]) -> Context:
    """The context with the DeepSpeed configuration that its code names, where the launch names none."""
    if not leaves_open(context):
        return context
    for at, value in named:
        if isinstance(value, dict):
            return _with_dictionary(context, at, value)
        path = found(value, at.path, documents)
        root = documents[path].root if path else None
        if path and root is not None:
            return with_file(context, Option(value, at), path, deepspeed_options(root, path))
    return context


def leaves_open(context: Context) -> bool:
    """Does the launch name no configuration, and nothing else that shards?"""
    named = [p for p in context.configs if not p.endswith((".yaml", ".yml"))]
    return not named and context.option("deepspeed").at is None and context.strategy.is_open


def with_file(context: Context, named: Option, path: str, settings: dict[str, Option]) -> Context:
    """The context with a file that its code names, and what holds of its settings."""
    options = {**context.options, **settings, "deepspeed": named}
    of_file = {**settings, "deepspeed": Option(path, Place(path, 1))}
    strategy, decided = stage_strategy(of_file) or (Strategy.UNKNOWN, Option(UNKNOWN, named.at))
    origin = replace(decided, note=f"named in the code at {named.at}")
    return replace(
        context, strategy=strategy, strategy_from=origin, configs=(*context.configs, path), options=options
    )


def _with_dictionary(context: Context, at: Place, settings: Settings) -> Context:
    """The context with a configuration that is a dictionary of the code."""
    found = {
        f"deepspeed.{k}": Option(AUTO, o.at) if o.value == "auto" else o for k, o in flat(settings).items()
    }
    options = {**found, "deepspeed": Option(DICTIONARY, at)}
    return with_settings(context, options, f"a dictionary in the code, given at {at}")


def with_settings(context: Context, settings: dict[str, Option], note: str) -> Context:
    """The context with settings that its code makes itself."""
    options = {**context.options, **settings}
    strategy, decided = stage_strategy(options) or (Strategy.UNKNOWN, Option(UNKNOWN))
    return replace(context, strategy=strategy, strategy_from=replace(decided, note=note), options=options)


def named_in_code(index: Index, givings: Iterable[Giving]) -> Iterator[tuple[Giving, Named | None]]:
    """The path or dictionary that each call passes; none where it does not show."""
    sources = Sources(index.tree)
    plain, spread = CodeValues(sources, index), ValuesOfFiles(sources, index)
    for giving in givings:
        value = _value(sources, spread if giving.keyword == SPREAD else plain, index, giving)
        content = value.content if value else None
        if giving.keyword == SPREAD:
            entry = content.get(_ARGUMENT) if isinstance(content, dict) else None
            content = entry.content if entry else None
        shows = isinstance(content, (str, dict)) and content
        yield giving, (giving.at, content) if shows else None  # type: ignore[misc]


def _value(sources: Sources, values: CodeValues, index: Index, giving: Giving) -> Value | None:
    """What the call passes as the keyword."""
    facts, expr = index.function(giving.function), giving.expr
    module = sources.python(facts.path)
    if expr is None or module is None:
        return None
    return values.before(facts.path, module, facts.node, giving.call, expr)


def found(named: str, path: str, documents: dict[str, Json]) -> str | None:
    """The file of the tree: from the root, else from the folder of the code and those above it."""
    if named.startswith(("/", "~")):
        return None
    folder = posixpath.dirname(path)
    bases = [""]
    while folder:
        bases.append(folder)
        folder = posixpath.dirname(folder)
    candidates = (posixpath.normpath(posixpath.join(base, named)) for base in bases)
    return next((c for c in candidates if c in documents), None)
