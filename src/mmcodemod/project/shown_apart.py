"""Does a test on this rank's data ask what is seen to differ between ranks? A loss and its NaN do, and a
batch that a collator of the tree may leave empty, or whose kind decides; anything else may well be alike."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.facts.body import Via, own_nodes
from mmcodemod.facts.reads import dotted_name
from mmcodemod.facts.syntax import unparse, walk
from mmcodemod.facts.terms import last_name
from mmcodemod.project.batch_values import filling
from mmcodemod.project.behind import behind
from mmcodemod.project.bits import Bits
from mmcodemod.project.collate import collators
from mmcodemod.project.infer import Frame
from mmcodemod.project.local_data import LocalData, loss_of, passes
from mmcodemod.project.model import Project
from mmcodemod.project.skips import asks_data, bits_of
from mmcodemod.project.stubs import MODELS
from mmcodemod.project.taint import BATCH_METHODS, Taint

_FINITE = frozenset(("isnan", "isinf", "isfinite", "isposinf", "isneginf"))
_SIZES = frozenset(("len", "shape", "size", "numel", "nelement"))
_LOADER = f"{MODELS}/torch__utils__data.py::"
NOTHING_LEFT = "whether a batch ever comes out empty"
SIZES = "whether ranks are given different amounts of data"


class Losses(LocalData):
    """Bits of tests, where the losses alone differ between ranks. Use through `project.get(Losses)`."""

    def drawn(self, function: str) -> dict[str, Bits]:
        """The names that hold a loss of whose gradients the function takes."""
        if function not in self._drawn:
            losses = (loss_of(found) for found in passes(self._project, function))
            names = (dotted_name(loss) for loss in losses if loss is not None)
            self._drawn[function] = {name: Bits.VALUE for name in names if name}
        return self._drawn[function]

    def batches(self, function: str) -> dict[str, Bits]:
        """None: what a step is given is no loss."""
        return {}

    def _parameter(self, name: str, frame: Frame) -> Bits:
        facts = self._project.index.function(frame.function)
        if facts.owner and facts.name in BATCH_METHODS:
            return Bits.NONE
        return Taint._parameter(self, name, frame)


def open_fact(project: Project, function: str, test: ast.expr) -> str:
    """What must hold for ranks to come out apart and does not show, for a note; "" where they are seen to."""
    if isinstance(test, ast.UnaryOp):
        return open_fact(project, function, test.operand)
    if not isinstance(test, ast.BoolOp):
        return "" if _shows(project, function, test) else _named(project, function, test)
    parts = [part for part in test.values if asks_data(project, function, part)]
    facts = [open_fact(project, function, part) for part in parts]
    if isinstance(test.op, ast.Or) and "" in facts:
        return ""
    return next((fact for fact in facts if fact), "")


def _shows(project: Project, function: str, test: ast.expr) -> bool:
    if _asks_for_batch(project, function, test):
        return project.get(leaves_empty)
    return (
        _not_a_number(project, function, test)
        or _by_loss(project, function, test)
        or (_is_size(test) and picked(project, function, test))
        or _by_kind(project, function, test)
    )


def _named(project: Project, function: str, test: ast.expr) -> str:
    if _asks_for_batch(project, function, test):
        return NOTHING_LEFT
    return SIZES if _is_size(test) else f"whether batches differ in `{unparse(test)}`"


def _is_size(test: ast.expr) -> bool:
    """`len(x) == 0`, `x.shape[0] > 1`, `x.numel() == 0`"""
    names = (getattr(n, "attr", getattr(n, "id", "")) for n in walk(test))
    return isinstance(test, ast.Compare) and not _SIZES.isdisjoint(names)


# -- losses -----------------------------------------------------------------------------------------------


def _not_a_number(project: Project, function: str, test: ast.expr) -> bool:
    """`torch.isnan(x).any()`, also kept under a name."""
    names = [n.id for n in walk(test) if isinstance(n, ast.Name)]
    every = [test, *(value for name in names for value in _values(project, function, name))]
    calls = (n for expr in every for n in walk(expr) if isinstance(n, ast.Call))
    return any(dotted_name(call.func).rpartition(".")[2] in _FINITE for call in calls)


def _by_loss(project: Project, function: str, test: ast.expr) -> bool:
    """How large the loss is; not whether there is any: a part that is switched off is 0 on all ranks."""
    if isinstance(test, ast.Compare) and any(_nothing(part) for part in (test.left, *test.comparators)):
        return False
    return any(bits_of(project, f, test, Losses) & Bits.VALUE for f in project.frames(function)[:1])


def _nothing(part: ast.expr) -> bool:
    return isinstance(part, ast.Constant) and not part.value


# -- batches ----------------------------------------------------------------------------------------------


def _asks_for_batch(project: Project, function: str, test: ast.expr) -> bool:
    """`batch is None`, `batch`: a batch as it is drawn."""
    asked = test.left if isinstance(test, ast.Compare) and _nothing(test.comparators[0]) else test
    return isinstance(asked, ast.Name) and bool(project.get(LocalData).batches(function).get(asked.id))


def leaves_empty(project: Project) -> bool:
    """Does a collator that training reaches return no batch on some path? Use through
    `project.get(leaves_empty)`."""
    called = set(_called(project)) | {facts.id for facts in collators(project)}
    every = (project.index.function(function) for function in sorted(called & set(project.trained)))
    returns = (n.value for facts in every for n in own_nodes(facts.node) if isinstance(n, ast.Return))
    return any(_is_empty(value) for value in returns)


def _called(project: Project) -> Iterator[str]:
    """What a loader is given as its `collate_fn`."""
    for frame, edges in project.graph.edges.items():
        if frame.function.startswith(_LOADER):
            named = (e for e in edges if e.site is not None and last_name(e.site) == "collate_fn")
            yield from (edge.callee.function for edge in named)


def _is_empty(value: ast.expr | None) -> bool:
    if isinstance(value, (ast.List, ast.Tuple)):
        return not value.elts
    if isinstance(value, ast.Dict):
        return not value.keys
    return value is None or (isinstance(value, ast.Constant) and value.value is None)


def picked(project: Project, function: str, test: ast.expr) -> bool:
    """Do the collators of the tree fill what a test asks for with those samples alone that meet a test?"""
    places = filling(project, function, test)
    return bool(places) and all(place.picked for place in places)


def _by_kind(project: Project, function: str, test: ast.expr) -> bool:
    """Does what is asked follow from settings that the run keeps for each kind of batch?"""
    drawn = {name for name, bits in project.get(LocalData).batches(function).items() if bits}
    subscripts = (n for e in behind(project, function, test) for n in walk(e))
    return any(isinstance(n, ast.Subscript) and _looks_up(n, drawn) for n in subscripts)


def _looks_up(node: ast.Subscript, drawn: set[str]) -> bool:
    """`self.settings[kind]`, where the kind came with the batch"""
    kind = isinstance(node.slice, ast.Name) and node.slice.id in drawn
    return kind and dotted_name(node.value).startswith("self.")


# -- what a test is made of -------------------------------------------------------------------------------


def _values(project: Project, function: str, name: str) -> Iterator[ast.expr]:
    """What a name of a function is given."""
    for source in project.resolver.body(function).names.get(name, ()):
        if source.via in (Via.VALUE, Via.ELEMENT):
            yield source.expr
