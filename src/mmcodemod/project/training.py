"""Which entry points train, and the contexts that run them. A may-analysis on the call graph."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

from mmcodemod.facts.outline import MAIN
from mmcodemod.facts.syntax import unparse, walk
from mmcodemod.facts.terms import Call
from mmcodemod.model.context import Context, Entry, Origin, Strategy
from mmcodemod.model.frozen import frozen
from mmcodemod.model.option import MISSING, UNKNOWN, Option
from mmcodemod.model.place import Place
from mmcodemod.project.callgraph import CallGraph, Outside
from mmcodemod.project.index import Index
from mmcodemod.project.infer import Frame
from mmcodemod.project.named_files import named_files
from mmcodemod.project.overrides import override_of
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
IN_CODE = "in the code"
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


def leading_to(steps: set[str], graph: CallGraph) -> set[str]:
    """Those functions, and all from which calls lead there: what begins with none of these does not train."""
    callers: dict[str, set[str]] = {}
    for frame, edges in graph.edges.items():
        for edge in edges:
            callers.setdefault(edge.callee.function, set()).add(frame.function)
    found: set[str] = set()
    todo = list(steps)
    while todo:
        function = todo.pop()
        if function not in found:
            found.add(function)
            todo += callers.get(function, ())
    return found


def _is_sink(name: str) -> bool:
    return name in _SINKS or name.endswith((".backward", ".from_cfg().train", ".build().train"))


def trains(steps: set[str], reach: Reach) -> bool:
    """Does what the entry reaches contain a training step?"""
    return any(function in reach for function in steps)


@frozen()
class Sharded:
    """FSDP that the code itself applies, by a call at a line; `needs` are the settings around it that it
    wants to be so (`cfg.train.shard`, True)."""

    strategy: Strategy
    at: Place
    function: str
    call: Call
    needs: tuple[tuple[str, bool], ...] = ()


class Shardings:
    """The frames of a graph that apply FSDP, looked for once for all entries."""

    def __init__(self, index: Index, graph: CallGraph) -> None:
        found = ((frame, list(_sharded(index, frame, calls))) for frame, calls in graph.external.items())
        self._by_frame = {frame: places for frame, places in found if places}
        self._functions = sorted({frame.function for frame in self._by_frame})

    def of(self, reach: Reach) -> list[Sharded]:
        """Those of reached code, in the order of functions."""
        frames = (frame for function in self._functions for frame in reach.frames(function))
        return [place for frame in frames for place in self._by_frame.get(frame, ())]


def _sharded(index: Index, frame: Frame, calls: list[Outside]) -> Iterator[Sharded]:
    function = frame.function
    for outside in calls:
        strategy = _FSDP.get(outside.name.rpartition(".")[2])
        if strategy is not None and outside.name.startswith("torch."):
            line, node = outside.site.lineno, index.function(function).node
            at, needs = Place(function.partition("::")[0], line), tuple(_needs(node, line))
            yield Sharded(strategy, at, function, outside.site, needs)


def _needs(node: ast.AST, line: int) -> Iterator[tuple[str, bool]]:
    """The attributes that the tests of a function ask for around a line, with what they must be."""
    for test in walk(node):
        if isinstance(test, ast.If) and isinstance(test.test, ast.Attribute):
            for block, outcome in ((test.body, True), (test.orelse, False)):
                if any(s.lineno <= line <= (s.end_lineno or s.lineno) for s in block):
                    yield unparse(test.test), outcome


def refine(context: Context, found: list[Sharded]) -> Context:
    """A context whose launch leaves the strategy open takes what the code applies; not what the launch turns
    off by a key of its configuration."""
    if not context.strategy.is_open:
        return context
    first = next((sharded for sharded in found if not _turned_off(context, sharded)), None)
    if first is None:
        return context
    return replace(
        context,
        strategy=first.strategy,
        strategy_from=Option(first.strategy.value, first.at, IN_CODE),
    )


def _turned_off(context: Context, sharded: Sharded) -> bool:
    """Does the launch say that a setting around it is otherwise?"""
    given = ((override_of(context, name), wanted) for name, wanted in sharded.needs)
    return any(g is not None and g[1].value is not UNKNOWN and bool(g[1].value) is not w for g, w in given)


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
            if any(_TRAINER in unparse(base) for base in cls.node.bases):
                return Option(UNKNOWN, Place(path, cls.node.lineno), f"`{cls.name}` is a Trainer")
    return Option(MISSING)


def unlaunched(entry: Entry) -> Context:
    """The context of a training entry that nothing in the tree launches."""
    return Context(entry.path, entry, None, Strategy.UNKNOWN, Origin.ENTRY, strategy_from=Option(MISSING))


def beside_launched(contexts: list[Context], tree: Tree, absent: bool = False) -> list[Context]:
    """The contexts; in a tree that launches programs of its own, or (`absent`) on several ranks programs of
    another tree, entries that no launch and no text of it names stand aside."""
    started = [c for c in contexts if c.launcher and c.origin is not Origin.NOTED]
    launched = {c.entry.path for c in started if c.entry and not c.entry.library}
    alone = {c.entry.path for c in contexts if c.entry and c.origin is Origin.ENTRY} - launched
    aside = alone - named_files(tree, alone) if launched or absent else frozenset()
    return [replace(c, origin=Origin.ASIDE) if c.entry and c.entry.path in aside else c for c in contexts]


def starts(index: Index, entries: list[Entry]) -> list[Frame]:
    """All root frames of some entries."""
    return [frame for entry in entries for frame in roots(index, entry)]
