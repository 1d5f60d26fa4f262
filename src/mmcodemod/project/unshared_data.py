"""Loops that train on a plain `DataLoader`, and whether each rank gets data of its own in another way.
Must-analysis: Fatal only where the data set and the loader show, and nothing of them asks for the rank.

Source: https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.distributed.DistributedSampler
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from mmcodemod.facts.body import Via
from mmcodemod.facts.python import FunctionFacts
from mmcodemod.facts.syntax import unparse, walk
from mmcodemod.model.context import Context
from mmcodemod.model.finding import Note
from mmcodemod.model.frozen import frozen
from mmcodemod.model.pattern import regex
from mmcodemod.model.place import Place
from mmcodemod.model.verdict import Answer, Excluded, Fatal, Unclear
from mmcodemod.project.answers import both
from mmcodemod.project.bits import Bits
from mmcodemod.project.differs import ranks_apart
from mmcodemod.project.kept import Kept
from mmcodemod.project.local_data import data_loops, training_functions
from mmcodemod.project.model import Project
from mmcodemod.project.origins import Origin
from mmcodemod.project.samplers import LOADERS
from mmcodemod.project.shared_after import shared_after
from mmcodemod.project.stubs import is_stub
from mmcodemod.project.trained_loaders import trained_loaders
from mmcodemod.project.values import Instance

_TOLD = ("sampler", "batch_sampler", "generator", None)  # what may give each rank an order of its own
_ASKS = regex(rb"rank|world_size|num_replicas|process_index|shard", re.IGNORECASE)
_PARTS = regex(r"torch\.utils\.data\.(\w+\.)*(ConcatDataset|Subset|random_split)")
_WHOLE = regex(r"torchvision\.datasets\.(\w+\.)*[A-Z]\w*|torch\.utils\.data\.(\w+\.)*TensorDataset")
_ITERABLE = "IterableDataset"
_SEEDS = ("manual_seed", "manual_seed_all", "seed", "seed_everything", "set_seed", "seed_all")
_PLAIN_BASES = (
    "torch.utils.data.Dataset",
    "torch.utils.data.dataset.Dataset",
    "object",
    "abc.ABC",
    "typing.Generic",
)
MAX_DEPTH = 3


@frozen()
class Plain:
    """`batches` in `inner` trains on what the call of a `DataLoader` in `function` hands out."""

    function: str
    call: ast.Call
    inner: str
    batches: ast.For

    @property
    def data(self) -> ast.expr | None:
        """The data set, where it shows."""
        named = next((k.value for k in self.call.keywords if k.arg == "dataset"), None)
        return named or (self.call.args[0] if self.call.args else None)


def plain_loaders(project: Project) -> list[Plain]:
    """Loaders without a sampler, where a loop goes over nothing else; one for each call, in source order. Use
    through `project.get(plain_loaders)`."""
    found: dict[tuple[str, int, int], Plain] = {}
    for function in sorted(project.get(training_functions)):
        for loop in data_loops(project, function):
            for plain in _of_loop(project, function, loop):
                found.setdefault((plain.function, plain.call.lineno, plain.call.col_offset), plain)
    return [found[key] for key in sorted(found)]


def _of_loop(project: Project, function: str, loop: ast.For) -> list[Plain]:
    origins = [o for o in trained_loaders(project, function, loop) if not _is_none(o.expr)]
    calls = [(o.function, o.expr) for o in origins if isinstance(o.expr, ast.Call) and _is_plain(project, o)]
    if len(calls) < len(origins):
        return []  # on another way it is something else
    return [Plain(where, call, function, loop) for where, call in calls]


def _is_none(expr: ast.expr) -> bool:
    return isinstance(expr, ast.Constant) and expr.value is None


def _is_plain(project: Project, origin: Origin) -> bool:
    call = origin.expr
    if not isinstance(call, ast.Call) or project.names(call.func, origin.function).isdisjoint(LOADERS):
        return False
    spread = any(isinstance(a, ast.Starred) for a in call.args)
    told = (k.value for k in call.keywords if k.arg in _TOLD)
    none = all(_stays_none(project, value, origin.function) for value in told)
    return not spread and len(call.args) <= 3 and none


def _stays_none(project: Project, value: ast.expr, function: str) -> bool:
    """`None`, or a variable of the function that is nothing else."""
    facts = project.index.function(function)
    if not isinstance(value, ast.Name) or value.id in facts.parameters.names:
        return _is_none(value)
    body = project.resolver.body(function)
    sources = body.names.get(value.id, ()) if value.id not in body.globals else ()
    return bool(sources) and all(s.via is Via.VALUE and _is_none(s.expr) for s in sources)


def same_data(project: Project, context: Context, found: Plain) -> Answer:
    """Do all ranks of a run go over all the data?"""
    own = _own_part(project, found) or (_by_rank(project, found.data, found.function) if found.data else None)
    if own is not None:
        return Excluded(own)
    answer = _of_data(project, found.data, found.function, 0)
    later = None if isinstance(answer, Excluded) else shared_after(project, context, _made(project, found))
    answer = both(answer, later) if later is not None else answer
    seeded = _own_seed(project, context)
    if isinstance(answer, Excluded) or seeded is None:
        return answer
    return Unclear(
        f"whether each rank's own seed ({seeded}) is meant to give it its own order", plausible=False
    )


def _made(project: Project, found: Plain) -> frozenset[Origin]:
    """The calls that make what the loader hands out, parts and joined ones included."""
    todo, calls = [(found.data, found.function)], set[Origin]()
    while todo:
        expr, function = todo.pop()
        for end in project.get(Kept).of(expr, function) if expr is not None else ():
            if isinstance(end.expr, ast.Call) and end not in calls:
                calls.add(end)
                parts = any(map(_PARTS.fullmatch, project.names(end.expr.func, end.function)))
                todo += [(arg, end.function) for arg in end.expr.args[:1] if parts]
    return frozenset(calls)


def _own_part(project: Project, found: Plain) -> Note | None:
    """The loop itself leaves out, or cuts up, by the rank."""
    path = found.inner.partition("::")[0]
    for node in (n for statement in found.batches.body for n in walk(statement)):
        if isinstance(node, ast.If) and any(isinstance(n, ast.Continue) for n in walk(node)):
            if _ASKS.search(unparse(node.test).encode()):
                return Note(project.place(path, node), "the loop picks its batches by the rank")
        if isinstance(node, ast.Subscript) and _ASKS.search(unparse(node.slice).encode()):
            return Note(project.place(path, node), "the loop cuts its batches up by the rank")
    return None


def _by_rank(project: Project, expr: ast.expr, function: str) -> Note | None:
    if ranks_apart(project, function, expr) & Bits.RANK:
        at = project.place(function.partition("::")[0], expr)
        return Note(at, "what each rank gets depends on its number")
    return None


def _of_data(project: Project, expr: ast.expr | None, function: str, depth: int) -> Answer:
    """The same data set on all ranks, of samples that have a number?"""
    ends = project.get(Kept).of(expr, function) if expr is not None and depth < MAX_DEPTH else []
    answers = [_of_end(project, origin, depth) for origin in ends]
    order = (Excluded, Unclear, Fatal)
    first = min(answers, key=lambda a: order.index(type(a)), default=None)
    return first or Unclear("what the data set holds on each rank", plausible=False)


def _of_end(project: Project, origin: Origin, depth: int) -> Answer:
    call, where = origin.expr, origin.function
    if not isinstance(call, ast.Call):
        return Unclear("what the data set holds on each rank", plausible=False)
    given = [*call.args, *(k.value for k in call.keywords)]
    for value in given:
        note = _by_rank(project, value, where)
        if note is not None:
            return Excluded(note)
    names = project.names(call.func, where)
    if any(_PARTS.fullmatch(n) for n in names):
        return _of_data(project, call.args[0] if call.args else None, where, depth + 1)
    if any(_WHOLE.fullmatch(n) for n in names):
        return Fatal()
    classes = sorted(v.cls for v in project.values(call, where) if isinstance(v, Instance))
    if not classes:
        return Unclear("what the data set holds on each rank", plausible=False)
    return _of_class(project, classes[0])


def _of_class(project: Project, cls: str) -> Answer:
    """A data set of the tree."""
    path, _, name = cls.partition("::")
    outside = project.resolver.classes.external_bases(cls)
    if any(base.endswith(_ITERABLE) for base in outside):
        return Excluded(Note(Place(path, 1), f"`{name}` goes over its data itself"))
    if any(base not in _PLAIN_BASES for base in outside):
        return Unclear(f"what `{name}` gets from its library", plausible=False)
    found = (_of_method(project, method) for method in _methods(project, cls))
    return next((answer for answer in found if answer), Fatal())


def _methods(project: Project, cls: str) -> Iterator[FunctionFacts]:
    for facts in project.bases(cls):
        if not is_stub(f"{facts.path}::"):
            yield from (project.index.function(f"{facts.path}::{m}") for m in facts.methods.values())


def _of_method(project: Project, method: FunctionFacts) -> Excluded | None:
    at = Place(method.path, method.line)
    if _ASKS.search(project.source(method)):
        return Excluded(Note(at, f"`{method.qualname}` speaks of ranks or shards"))
    if method.name == "__getitem__" and not _reads_number(method.node):
        return Excluded(Note(at, f"`{method.qualname}` draws its samples itself"))
    return None


def _reads_number(node: ast.AST) -> bool:
    """Does `__getitem__` look at the number of the sample?"""
    if not isinstance(node, ast.FunctionDef) or len(node.args.args) < 2:
        return True
    name = node.args.args[1].arg
    return any(isinstance(n, ast.Name) and n.id == name for s in node.body for n in walk(s))


def _own_seed(project: Project, context: Context) -> Place | None:
    """Where a run seeds each rank otherwise."""
    reach = project.reach(context.entry) if context.entry else None
    for facts in project.mentioning(*_SEEDS):
        if reach is None or facts.id in reach:
            for call in project.calls_of(facts.id, _SEEDS):
                if any(ranks_apart(project, facts.id, a) & Bits.RANK for a in call.args):
                    return project.place(facts.path, call)
    return None
