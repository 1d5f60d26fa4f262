"""Does each epoch give another order although nothing tells the sampler the epoch: is the sampler made anew
with another seed, or what it samples shuffled anew? May-analysis: one such line is enough. What
methods of the data do that an epoch calls, redrawn.py says."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from mmcodemod.facts.body import own_nodes
from mmcodemod.facts.syntax import walk
from mmcodemod.model.context import Context
from mmcodemod.model.finding import Note
from mmcodemod.model.verdict import Answer, Excluded, Unclear
from mmcodemod.project.flow import Loop, holds
from mmcodemod.project.model import Project
from mmcodemod.project.redrawn import redrawn
from mmcodemod.project.samplers import Epochs
from mmcodemod.project.stubs import is_stub

MAX_CALLS = 2  # from the loop to the function that shuffles
_SHUFFLES = frozenset(("shuffle", "permutation", "permuted", "randperm"))
_SEEDS = frozenset(("seed", "manual_seed", "set_seed", "seed_everything"))


def reshuffled(project: Project, context: Context, found: Epochs) -> Answer | None:
    """Excluded where an epoch shuffles anew, open where it makes new data; None where neither shows."""
    own = _in_place(project, found)
    if own:
        return Excluded(min(own, key=lambda note: note.at))
    again = redrawn(project, context, found)
    if isinstance(again, Excluded) or not _made_in_loop(project, found):
        return again
    return _made_anew(project, found) or again


def _made_anew(project: Project, found: Epochs) -> Answer | None:
    """What shows of a sampler that each epoch makes."""
    seed = found.sampler.given("seed")
    if seed is not None and _names(seed) & _names(getattr(found.epochs, "target", None)):
        place = project.place(found.sampler.function.partition("::")[0], seed)
        return Excluded(Note(place, "the sampler is made anew, with the epoch in its seed"))
    calls = _makers(project, found)
    lines = [note for call in calls for note in _inside(project, found.sampler.function, call)]
    if lines:
        return Excluded(min(lines, key=lambda note: note.at))
    fact = "whether the data that each epoch makes have another order"
    return Unclear(fact, plausible=False) if calls else None


def _in_place(project: Project, found: Epochs) -> list[Note]:
    """`data.shuffle()`, `random.shuffle(data.rows)` in the loop over epochs, of the data that are sampled."""
    given = found.sampler.given("dataset")
    if given is None or found.sampler.function != found.function:
        return []
    calls = [n for s in found.epochs.body for n in walk(s) if isinstance(n, ast.Call)]
    here = found.inner == found.function
    named = [c for c in calls if _names(c) & _names(given) and not (here and holds(found.batches, c))]
    return _shuffles(project, found.function, named)


def _made_in_loop(project: Project, found: Epochs) -> bool:
    """Does each epoch make the sampler, itself or in a function that it calls?"""
    function, call = found.sampler.function, found.sampler.call
    if function == found.function:
        return _in_body(found.epochs, call)
    edges = (e for e in project.callers(function) if e.caller.function == found.function)
    return any(e.site is not None and _in_body(found.epochs, e.call) for e in edges)


def _in_body(loop: Loop, node: ast.AST) -> bool:
    return any(holds(statement, node) for statement in loop.body)


def _names(expr: ast.AST | None) -> set[str]:
    return {n.id for n in walk(expr) if isinstance(n, ast.Name)} if expr is not None else set()


def _makers(project: Project, found: Epochs) -> list[ast.Call]:
    """The calls in which an epoch makes what is sampled."""
    function, given = found.sampler.function, found.sampler.given("dataset")
    sources = project.resolver.body(function).names.get(given.id, ()) if isinstance(given, ast.Name) else ()
    calls = [s.expr for s in sources if isinstance(s.expr, ast.Call)]
    return [c for c in calls if function != found.function or _in_body(found.epochs, c)]


def _inside(project: Project, function: str, call: ast.Call) -> list[Note]:
    """The lines that shuffle in a call, or in what it calls."""
    found, todo = _shuffles(project, function, walk(call)), _called(project, function, call)
    for _ in range(MAX_CALLS):
        for inner in todo:
            nodes = [*own_nodes(project.index.function(inner).node)]
            seeded = any(_word(n) in _SEEDS for n in nodes if isinstance(n, ast.Call))
            found += [] if seeded else _shuffles(project, inner, nodes)
        todo = [f for inner in todo for f in _called(project, inner)]
    return found


def _called(project: Project, function: str, call: ast.Call | None = None) -> list[str]:
    """The functions of the tree that a function calls, or one call of it."""
    edges = (e for frame in project.frames(function) for e in project.graph.edges.get(frame, ()))
    shown = (e for e in edges if e.site is not None and (call is None or holds(call, e.call)))
    return [f for f in dict.fromkeys(e.callee.function for e in shown) if not is_stub(f)]


def _shuffles(project: Project, function: str, nodes: Iterable[ast.AST]) -> list[Note]:
    """The calls that put something in another order each time: without a seed that stays the same."""
    path = function.partition("::")[0]
    calls = (n for n in nodes if isinstance(n, ast.Call) and _word(n) in _SHUFFLES and not _fixed(n))
    return [Note(project.place(path, c), project.line(path, c.lineno)) for c in calls]


def _fixed(call: ast.Call) -> bool:
    return any(k.arg in ("seed", "generator", "random_state") for k in call.keywords)


def _word(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
