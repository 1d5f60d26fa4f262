"""DeepSpeed configurations: the files of a tree, and the one that a launch names."""

from __future__ import annotations

import posixpath
import re

from mmcodemod.facts import jsonspan
from mmcodemod.facts.node import Json, Node
from mmcodemod.model.context import Context, Strategy
from mmcodemod.model.finding import Problem
from mmcodemod.model.frozen import frozen
from mmcodemod.model.option import MISSING, UNKNOWN, Option
from mmcodemod.model.pattern import regex
from mmcodemod.model.place import Place
from mmcodemod.project.flags import deepspeed_options
from mmcodemod.project.paths import Where
from mmcodemod.project.sources import Sources
from mmcodemod.source.tree import Tree

STAGE = "deepspeed.zero_optimization.stage"
REWRITTEN = "deepspeed.rewritten"  # a file, by its path, that the script of a launch writes before
GUESSED = "stage inferred from the file name"

_MARKS = ("zero_optimization", "train_micro_batch_size_per_gpu")
_STAGE_IN_NAME = regex(r"(?:z|zero|stage)[_-]?([0-3])(?!\d)")
_BY_STAGE = {0: Strategy.DDP, 1: Strategy.ZERO1, 2: Strategy.ZERO2, 3: Strategy.ZERO3}


def deepspeed_configs(tree: Tree) -> dict[str, Json]:
    """Every JSON file of the tree that is a DeepSpeed configuration, in path order."""
    return deepspeed_documents(Sources(tree))


def deepspeed_documents(sources: Sources) -> dict[str, Json]:
    found: dict[str, Json] = {}
    for path in sorted(p for p in sources.paths if p.endswith((".json", ".hjson"))):
        data = sources.data(path)
        if any(mark.encode() in data for mark in _MARKS) and (document := sources.document(path)):
            root = sources.root(path)  # tells what cannot be read
            if root and any(root.member(mark) for mark in _MARKS):
                found[path] = document
    return found


@frozen()
class DeepSpeed:
    """What `--deepspeed X` brings: options, the file when it is in the tree, notes."""

    options: dict[str, Option]
    path: str = ""
    notes: tuple[str, ...] = ()


def named_config(sources: Sources, where: Where, named: Option) -> DeepSpeed:
    """Look up the configuration that the option `named` names (its value a path, or JSON itself)."""
    if not isinstance(named.value, str):
        return DeepSpeed({"deepspeed": named})
    if named.value.lstrip().startswith("{"):
        return _inline(named)
    # the flag takes one word: what stands behind it is somebody else's
    found = where.resolve(named.value) or where.resolve(named.value.partition(" ")[0])
    path = found.path if found else _shipped(sources, named.value)
    if not path:
        return _rewritten(where, named) or _absent(sources, named)
    root = sources.root(path)
    if root is None:
        return _unreadable(sources, named, path)
    notes = (found.assumed,) if found and found.assumed else ()
    options = sources.once(("deepspeed options", path), lambda: deepspeed_options(root, path))
    return DeepSpeed({"deepspeed": named, **options}, path, notes)


def _inline(named: Option) -> DeepSpeed:
    root = jsonspan.parse(str(named.value)).root
    options = deepspeed_options(root, "") if root else {}
    return DeepSpeed(
        {"deepspeed": named, **{k: Option(o.value, named.at, o.note) for k, o in options.items()}}
    )


def _shipped(sources: Sources, name: str) -> str:
    """XTuner: `--deepspeed deepspeed_zero2` names a configuration that the package ships."""
    if not re.fullmatch(r"\w+", name):
        return ""
    ends = f"/{name}.json"
    found = [p for p in sources.paths if p.endswith(ends)]
    return found[0] if len(found) == 1 else ""


def _absent(sources: Sources, named: Option) -> DeepSpeed:
    note = f"{named.value} is not in the tree"
    return _guessed(sources, named, note, {"deepspeed": Option(UNKNOWN, named.at, note)}, kind="missing")


def _rewritten(where: Where, named: Option) -> DeepSpeed | None:
    """A file of the tree that the script of the launch writes before."""
    found = where.named(str(named.value))
    if found is None or found.path not in where.rewritten:
        return None
    note = f"{named.value} is written by the script before"
    options = {"deepspeed": Option(UNKNOWN, named.at, note), REWRITTEN: Option(found.path, named.at)}
    return DeepSpeed(options, notes=(note,))


def rewritten(context: Context) -> tuple[str, ...]:
    """The DeepSpeed configuration of the tree that a launch names when it holds something else by then."""
    option = context.option(REWRITTEN)
    return (str(option.value),) if option.at else ()


def _unreadable(sources: Sources, named: Option, path: str) -> DeepSpeed:
    """A file of the tree that is no object: what it sets stays open."""
    note = f"{named.value} holds no object that can be read"
    options = {"deepspeed": named, STAGE: Option(UNKNOWN, named.at, note)}
    return _guessed(sources, named, note, options, path)


def _guessed(
    sources: Sources,
    named: Option,
    note: str,
    options: dict[str, Option],
    path: str = "",
    kind: str = "config",
) -> DeepSpeed:
    """With the stage that the name of the file tells, and a problem."""
    at, message = named.at or Place("", 0), f"the DeepSpeed configuration {note}"
    sources.report(Problem(at.path, kind, message, at.line), f"deepspeed {named.value}")
    stage = stage_in_name(str(named.value))
    if stage is None:
        return DeepSpeed(options, path, (message,))
    return DeepSpeed({**options, STAGE: Option(stage, named.at, GUESSED)}, path, (message, GUESSED))


def stage_in_name(text: str) -> int | None:
    """3 for `ds_z3_config.json`, `zero3_offload`, `stage3.json`."""
    found = _STAGE_IN_NAME.search(posixpath.basename(text).lower())
    return int(found[1]) if found else None


def stage_strategy(options: dict[str, Option]) -> tuple[Strategy, Option] | None:
    """The strategy that a readable DeepSpeed configuration sets, with the line that decides."""
    named, stage = options.get("deepspeed", Option(MISSING)), options.get(STAGE, Option(MISSING))
    if isinstance(stage.value, int) and not isinstance(stage.value, bool):
        return _BY_STAGE.get(stage.value, Strategy.UNKNOWN), stage
    if stage.value is not MISSING:
        return Strategy.UNKNOWN, stage
    section = options.get(STAGE.rpartition(".")[0])
    if section is not None and section.value is UNKNOWN:
        return Strategy.UNKNOWN, section
    if named.value is MISSING:
        return None
    if named.value is UNKNOWN or isinstance(named.value, bool):
        return Strategy.UNKNOWN, named
    return Strategy.DDP, Option(0, named.at, "no zero_optimization.stage: ZeRO is off")


def root_strategy(root: Node, path: str) -> tuple[Strategy, Option]:
    """The strategy of a configuration on its own."""
    options = {"deepspeed": Option(path, Place(path, 1)), **deepspeed_options(root, path)}
    return stage_strategy(options) or (Strategy.UNKNOWN, Option(MISSING))
