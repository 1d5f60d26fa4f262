"""Does each epoch call a method of the data that are sampled, which draws anew what `__getitem__` reads? Then
equal indices give other samples. Must-analysis: the object shows to be the sampled one, and its classes to be
of the tree; tests on the way that stay open make it a note."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from mmcodemod.facts.body import own_nodes
from mmcodemod.facts.syntax import unparse
from mmcodemod.model.context import Context
from mmcodemod.model.finding import Note
from mmcodemod.model.frozen import frozen
from mmcodemod.model.verdict import Answer, Excluded, Fatal, Unclear, doubt
from mmcodemod.project.comes_by import MAX_DEPTH, comes_by, open_tests
from mmcodemod.project.draws import Asked, Draw, drawn, given_moved, names_in
from mmcodemod.project.flow import Loop, holds
from mmcodemod.project.local_data import through
from mmcodemod.project.model import Project
from mmcodemod.project.origins import Origin, Origins
from mmcodemod.project.samplers import Epochs
from mmcodemod.project.settings import Settings
from mmcodemod.project.spread import given
from mmcodemod.project.stubs import is_stub
from mmcodemod.project.values import Instance

MAX_READS = 2  # calls from `__getitem__` to the method that reads
_ITEM = "__getitem__"
_SEED = Unclear("whether each epoch draws the samples with another seed", plausible=False)
_WORKERS = "whether the workers of the loader live on with the samples of the first epoch"


@frozen()
class _Call:
    """A call in `loop`, in `function`, of a method of the sampled data: one for each class of these."""

    function: str
    loop: Loop
    node: ast.Call
    methods: tuple[Asked, ...]


def redrawn(project: Project, context: Context, found: Epochs) -> Answer | None:
    """Excluded where an epoch draws the samples anew, open where it may; None where nothing shows that."""
    calls = project.once(_calls, found)
    workers = _workers(project, context, found) if calls else None
    if workers is None:
        return None
    best = _best([answer for call in calls if (answer := _answer(project, context, call))])
    return workers if isinstance(best, Excluded) and isinstance(workers, Unclear) else best


def _best(answers: Sequence[Answer]) -> Answer | None:
    """What spares the run, by its first line; else what may."""
    sure = [a for a in answers if isinstance(a, Excluded)]
    return min(sure, key=lambda answer: answer.why.at) if sure else next(iter(answers), None)


def _workers(project: Project, context: Context, found: Epochs) -> Answer | None:
    """Fatal where the workers get the data anew in each epoch; None where they live on with what they got."""
    origins = Origins(project)
    loaders = origins.of(through(found.batches.iter), found.inner)
    made = [(o.expr, o.function) for o in loaders if isinstance(o.expr, ast.Call)]
    kept = [o for call, where in made for o in given(project, origins, call, where, "persistent_workers")]
    settings = Settings(project, context if context.entry else None)
    values = {s.value for o in kept for s in settings.of(o.expr, o.function)}
    if values <= {False} and (values or not kept):
        return Fatal()
    return None if values == {True} else Unclear(_WORKERS, plausible=False)


# -- the calls of an epoch ----------------------------------------------------------------------------------


def _calls(project: Project, found: Epochs) -> list[_Call]:
    """The calls of methods of the sampled data in an epoch."""
    return [
        _Call(function, loop, call, methods)
        for function, loop, call in _in_epoch(project, found)
        if isinstance(call.func, ast.Attribute)
        if (methods := _methods(project, found, call))
        if _is_sampled(project, found, call.func.value, function)
    ]


def _in_epoch(project: Project, found: Epochs) -> Iterator[tuple[str, Loop, ast.Call]]:
    """The calls in the body of the loop over epochs, and beside the batches in the function that it calls."""
    for node in (n for s in found.epochs.body for n in own_nodes(s)):
        if isinstance(node, ast.Call) and not (found.inner == found.function and holds(found.batches, node)):
            yield found.function, found.epochs, node
    for node in own_nodes(project.index.function(found.inner).node) if found.inner != found.function else ():
        if isinstance(node, ast.Call) and not holds(found.batches, node):
            yield found.inner, found.batches, node


def _methods(project: Project, found: Epochs, call: ast.Call) -> tuple[Asked, ...]:
    """What the call runs, for each class of the sampled data; () where one does not show."""
    data, name = found.sampler.given("dataset"), getattr(call.func, "attr", "")
    values = project.values(data, found.sampler.function) if data is not None else frozenset()
    classes = sorted({v.cls for v in values if isinstance(v, Instance) and _of_tree(project, v.cls, _ITEM)})
    methods = [(cls, method) for cls in classes if (method := _of_tree(project, cls, name))]
    whole = {cls for cls, _ in methods} == {getattr(v, "cls", "") for v in values}
    return tuple(Asked(m, cls, _moved(project, found, m, call)) for cls, m in methods) if whole else ()


def _of_tree(project: Project, cls: str, name: str) -> str:
    """The method of a class, "" when the tree defines none."""
    method = project.resolver.classes.find(cls, name)
    return method if method is not None and not is_stub(method) else ""


def _moved(project: Project, found: Epochs, method: str, call: ast.Call) -> frozenset[str]:
    """The parameters that are given the number of the epoch."""
    counts = names_in(found.epochs.target) if isinstance(found.epochs, ast.For) else set[str]()
    return given_moved(project, call, method, counts)


def _is_sampled(project: Project, found: Epochs, held: ast.expr, function: str) -> bool:
    """Is it the object that the sampler samples: by where it comes from, or as the data of the loader?"""
    origins, sampled = Origins(project), found.sampler.given("dataset")
    if isinstance(held, ast.Attribute) and held.attr == "dataset":
        loaders = origins.of(through(found.batches.iter), found.inner)
        made = [*loaders, Origin(found.sampler.call, found.sampler.function)]
        return not set(made).isdisjoint(origins.of(held.value, function))
    if sampled is None:
        return False
    alike = function == found.sampler.function and unparse(held) == unparse(sampled)
    return alike or not set(origins.of(sampled, found.sampler.function)).isdisjoint(
        origins.of(held, function)
    )


# -- what they draw -----------------------------------------------------------------------------------------


def _answer(project: Project, context: Context, call: _Call) -> Answer | None:
    """Are the samples drawn anew, whichever class they are of? None where no class draws."""
    each = [_best(list(_draws(project, context, call, asked))) for asked in call.methods]
    told = [answer for answer in each if answer is not None]
    if told and len(told) < len(each):
        return Unclear(f"what `{unparse(call.node.func)}` runs", plausible=False)
    return next((a for a in told if isinstance(a, Unclear)), _best(told))


def _draws(project: Project, context: Context, call: _Call, asked: Asked) -> Iterator[Answer]:
    """One for each draw that a sample of the class is made of and that the run may come by."""
    settled = open_tests(project, context, call.function, call.loop)
    here = comes_by(project, context, call.function, call.node, MAX_DEPTH, settled)
    held, read = drawn(project, asked).held, project.once(_read, asked.receiver)
    for draw in (d for name, draws in held.items() if name in read for d in draws):
        steps = (comes_by(project, context, s.function, s.node, MAX_DEPTH) for s in draw.steps)
        way = max((here, *steps), key=doubt)
        if not isinstance(way, Excluded):
            yield _told(project, draw, way)


def _told(project: Project, draw: Draw, way: Answer) -> Answer:
    if draw.fixed or isinstance(way, Unclear):
        return _SEED if draw.fixed else way
    path, node = draw.steps[0].function.partition("::")[0], draw.steps[0].node
    place = project.place(path, node)
    return Excluded(Note(place, project.line(path, place.line)))


def _read(project: Project, cls: str) -> frozenset[str]:
    """The attributes that a sample of the class is made of: what `__getitem__` and the methods that it calls
    read."""
    todo, found = [_ITEM], set[str]()
    for _ in range(MAX_READS + 1):
        new = {name for method in todo for name in _attributes(project, cls, method)} - found
        found |= new
        todo = sorted(new)
    return frozenset(found)


def _attributes(project: Project, cls: str, name: str) -> Sequence[str]:
    """The attributes of its object that a method reads; () for what is no method of the tree."""
    method = _of_tree(project, cls, name)
    if not method:
        return ()
    facts = project.index.function(method)
    nodes = (n for n in own_nodes(facts.node) if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Load))
    own = facts.parameters.first
    return [n.attr for n in nodes if isinstance(n.value, ast.Name) and n.value.id == own]
