"""Which entry points train, and the contexts that run them. A may-analysis on the call graph."""

from __future__ import annotations

import ast
from dataclasses import replace

from mmcodemod.facts.outline import MAIN
from mmcodemod.model.context import Context, Entry, Origin, Strategy
from mmcodemod.model.option import MISSING, UNKNOWN, Option
from mmcodemod.model.place import Place
from mmcodemod.project.callgraph import CallGraph
from mmcodemod.project.index import Index
from mmcodemod.project.infer import Frame
from mmcodemod.project.named_files import named_files
from mmcodemod.project.reach import Reach, roots
from mmcodemod.project.stubs import MODELS
from mmcodemod.source.tree import Tree

# What the training loops of framework models start with.
_LOOPS = frozenset(
    (
        f"{MODELS}/transformers.py::Trainer.train",
        f"{MODELS}/lightning.py::Trainer.fit",
        f"{MODELS}/mmengine__runner.py::Runner.train",
    )
)
# Library calls that start or are part of a training run.
_SINKS = ("deepspeed.initialize", "lightning.Trainer().fit", "pytorch_lightning.Trainer().fit")
_TRAINER = "Trainer"  # in the name of a base: the file is read again only where its text says so
_FSDP = {"FullyShardedDataParallel": Strategy.FSDP1, "fully_shard": Strategy.FSDP2}


def main_entries(index: Index) -> list[Entry]:
    """Files that can be run: those with `if __name__ == "__main__"`."""
    return [Entry(path) for path in index.python_files if MAIN in index.files[path].functions]


def steps(graph: CallGraph) -> set[str]:
    """Functions that run a training step, or hand control to a library that does."""
    found = {f for f in graph.backward if not f.startswith(MODELS)} | _LOOPS
    for frame, calls in graph.external.items():
        if not frame.function.startswith(MODELS) and any(_is_sink(outside.name) for outside in calls):
            found.add(frame.function)
    return found


def _is_sink(name: str) -> bool:
    return name in _SINKS or name.endswith((".backward", ".from_cfg().train", ".build().train"))


def trains(steps: set[str], reach: Reach) -> bool:
    """Does what the entry reaches contain a training step?"""
    return any(function in reach for function in steps)


def sharded_in_code(graph: CallGraph, reach: Reach) -> tuple[Strategy, Place] | None:
    """FSDP that the code itself applies, with the line that does."""
    for function in sorted(reach.functions):
        for frame in reach.frames(function):
            for outside in graph.external.get(frame, ()):
                strategy = _FSDP.get(outside.name.rpartition(".")[2])
                if strategy is not None and outside.name.startswith("torch."):
                    return strategy, Place(function.partition("::")[0], outside.site.lineno)
    return None


def refine(context: Context, found: tuple[Strategy, Place] | None) -> Context:
    """A context whose launch leaves the strategy open takes what the code applies."""
    if found is None or context.strategy not in (Strategy.UNKNOWN, Strategy.DDP, Strategy.SINGLE):
        return context
    return replace(context, strategy=found[0], strategy_from=Option(found[0].value, found[1], "in the code"))


def library_context(index: Index) -> Context:
    """The context of a tree without training entries; `strategy_from.at` is the line that shows that the
    tree is meant for distributed training, when there is one."""
    sign = _distributed_sign(index)
    return Context("library", None, None, Strategy.UNKNOWN, Origin.LIBRARY, strategy_from=sign)


def _distributed_sign(index: Index) -> Option:
    for path in index.python_files:
        file = index.files[path]
        items = [*file.imports, *(i for f in file.functions.values() for i in f.imports)]
        for item in items:
            if item.level == 0 and item.module.partition(".")[0] == "deepspeed":
                return Option(UNKNOWN, Place(path, item.line), "the tree imports deepspeed")
        said = file.classes and _TRAINER.encode() in index.tree.read_bytes(path)
        for cls in file.classes.values() if said else ():
            if any(_TRAINER in ast.unparse(base) for base in cls.node.bases):
                return Option(UNKNOWN, Place(path, cls.node.lineno), f"`{cls.name}` is a Trainer")
    return Option(MISSING)


def unlaunched(entry: Entry) -> Context:
    """The context of a training entry that nothing in the tree launches."""
    return Context(entry.path, entry, None, Strategy.UNKNOWN, Origin.ENTRY, strategy_from=Option(MISSING))


def beside_launched(contexts: list[Context], tree: Tree) -> list[Context]:
    """The contexts; in a tree that launches programs of its own, entries that no launch and no text of it
    names stand aside."""
    launched = {c.entry.path for c in contexts if c.entry and c.launcher and not c.entry.library}
    alone = {c.entry.path for c in contexts if c.entry and c.origin is Origin.ENTRY} - launched
    aside = alone - named_files(tree, alone) if launched else frozenset()
    return [replace(c, origin=Origin.ASIDE) if c.entry and c.entry.path in aside else c for c in contexts]


def starts(index: Index, entries: list[Entry]) -> list[Frame]:
    """All root frames of some entries."""
    return [frame for entry in entries for frame in roots(index, entry)]
