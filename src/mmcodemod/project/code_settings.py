"""DeepSpeed settings that the code itself names: `TrainingArguments(deepspeed="ds.json")`,
`deepspeed.initialize(config="ds.json")`. Only constant paths to files of the tree are read."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from dataclasses import replace

from mmcodemod.facts.node import Json
from mmcodemod.facts.terms import Constant
from mmcodemod.model.context import Context, Strategy
from mmcodemod.model.option import Option
from mmcodemod.model.place import Place
from mmcodemod.project.callgraph import CallGraph
from mmcodemod.project.deepspeed_config import root_strategy
from mmcodemod.project.flags import deepspeed_options
from mmcodemod.project.reach import Reach

_KEYWORDS = {"deepspeed": "Arguments", "config": "initialize", "config_params": "initialize"}


def with_code_settings(
    context: Context, named: list[tuple[Place, str]], documents: dict[str, Json]
) -> Context:
    """The context with the DeepSpeed configuration that its code names, where the launch names none."""
    if context.configs or context.strategy not in (Strategy.UNKNOWN, Strategy.DDP, Strategy.SINGLE):
        return context
    for at, text in named:
        path = _found(text, at.path, documents)
        root = documents[path].root if path else None
        if path and root is not None:
            strategy, decided = root_strategy(root, path)
            options = {**context.options, **deepspeed_options(root, path), "deepspeed": Option(text, at)}
            origin = replace(decided, note=f"named in the code at {at}")
            return replace(context, strategy=strategy, strategy_from=origin, configs=(path,), options=options)
    return context


def named_in_code(graph: CallGraph, reach: Reach) -> Iterator[tuple[Place, str]]:
    """The constant paths that calls of the reached code pass, in the order of functions."""
    for function in sorted(reach.functions):
        for frame in reach.frames(function):
            for outside in graph.external.get(frame, ()):
                for keyword in outside.site.keywords:
                    wanted = _KEYWORDS.get(keyword.arg or "")
                    text = keyword.value.value if isinstance(keyword.value, Constant) else None
                    if wanted and outside.name.endswith(wanted) and isinstance(text, str):
                        yield Place(function.partition("::")[0], keyword.value.lineno), text


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
