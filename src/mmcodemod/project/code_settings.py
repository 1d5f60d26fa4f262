"""DeepSpeed settings that the code itself names: `TrainingArguments(deepspeed="ds.json")`, also by a variable
or an f-string, and dictionaries: `deepspeed.initialize(config=settings)`."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from dataclasses import replace

from mmcodemod.facts.node import Json
from mmcodemod.model.context import Context, Strategy
from mmcodemod.model.option import AUTO, UNKNOWN, Option
from mmcodemod.model.place import Place
from mmcodemod.project.callgraph import CallGraph, Outside
from mmcodemod.project.code_values import value_before
from mmcodemod.project.config_values import Settings, Value
from mmcodemod.project.deepspeed_config import root_strategy, stage_strategy
from mmcodemod.project.flags import deepspeed_options
from mmcodemod.project.index import Index
from mmcodemod.project.python_config import flat
from mmcodemod.project.reach import Reach
from mmcodemod.project.sources import Sources
from mmcodemod.project.stubs import MODELS

Named = tuple[Place, str | Settings]

_KEYWORDS = {"deepspeed": "Arguments", "config": "initialize", "config_params": "initialize"}


def with_code_settings(context: Context, named: list[Named], documents: dict[str, Json]) -> Context:
    """The context with the DeepSpeed configuration that its code names, where the launch names none."""
    if context.configs or context.strategy not in (Strategy.UNKNOWN, Strategy.DDP, Strategy.SINGLE):
        return context
    for at, value in named:
        if isinstance(value, dict):
            return _with_dictionary(context, at, value)
        path = _found(value, at.path, documents)
        root = documents[path].root if path else None
        if path and root is not None:
            strategy, decided = root_strategy(root, path)
            options = {**context.options, **deepspeed_options(root, path), "deepspeed": Option(value, at)}
            origin = replace(decided, note=f"named in the code at {at}")
            return replace(context, strategy=strategy, strategy_from=origin, configs=(path,), options=options)
    return context


def _with_dictionary(context: Context, at: Place, settings: Settings) -> Context:
    """The context with a configuration that is a dictionary of the code."""
    found = {
        f"deepspeed.{k}": Option(AUTO, o.at) if o.value == "auto" else o for k, o in flat(settings).items()
    }
    options = {**context.options, **found, "deepspeed": Option("a dictionary", at)}
    strategy, decided = stage_strategy(options) or (Strategy.UNKNOWN, Option(UNKNOWN, at))
    origin = replace(decided, note=f"a dictionary in the code, given at {at}")
    return replace(context, strategy=strategy, strategy_from=origin, options=options)


def named_in_code(index: Index, graph: CallGraph, reach: Reach) -> Iterator[Named]:
    """The paths and dictionaries that calls of the reached code pass, in the order of functions."""
    sources = Sources(index.tree)
    for function in sorted(reach.functions):
        for frame in reach.frames(function)[:1]:
            for outside in graph.external.get(frame, ()):
                for keyword in outside.site.keywords:
                    wanted = _KEYWORDS.get(keyword.arg or "")
                    if wanted and outside.name.endswith(wanted) and not function.startswith(MODELS):
                        value = _value(sources, index, function, outside, keyword.arg or "")
                        content = value.content if value else None
                        if value is not None and isinstance(content, (str, dict)) and content:
                            yield Place(function.partition("::")[0], keyword.value.lineno), content


def _value(sources: Sources, index: Index, function: str, outside: Outside, name: str) -> Value | None:
    """What the call passes as one keyword."""
    facts, call = index.function(function), outside.call
    expr = next((k.value for k in call.keywords if k.arg == name), None)
    module = sources.python(facts.path)
    if expr is None or module is None:
        return None
    return value_before(sources, facts.path, module, facts.node, call, expr)


def _found(named: str, path: str, documents: dict[str, Json]) -> str | None:
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
