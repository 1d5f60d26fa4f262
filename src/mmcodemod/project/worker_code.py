"""What the worker processes of a DataLoader run, and where that uses the GPU. May-analysis over the call
graph, at most MAX_DEPTH calls deep.

Source: https://docs.pytorch.org/docs/stable/notes/multiprocessing.html (CUDA in multiprocessing)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.facts.body import own_nodes
from mmcodemod.facts.syntax import unparse
from mmcodemod.model.frozen import frozen
from mmcodemod.model.grade import How
from mmcodemod.project.flow import flow_of
from mmcodemod.project.model import Project
from mmcodemod.project.origins import Origins
from mmcodemod.project.samplers import LOADERS
from mmcodemod.project.stubs import is_stub
from mmcodemod.project.values import Bound, FunctionRef, Instance, ordered

MAX_DEPTH = 4
_ORDER = ("dataset", "batch_size", "shuffle", "sampler", "batch_sampler", "num_workers", "collate_fn")
_DEVICE = "torch.device"
_AVAILABLE = "is_available"


@frozen()
class Loader:
    """A call in `function` that makes a loader."""

    function: str
    call: ast.Call

    def given(self, name: str) -> ast.expr | None:
        """The argument for a parameter; None where none shows."""
        found = next((k.value for k in self.call.keywords if k.arg == name), None)
        position = _ORDER.index(name) if name in _ORDER else len(self.call.args)
        plain = self.call.args[: position + 1]
        if found is None and len(plain) > position and not any(isinstance(a, ast.Starred) for a in plain):
            found = plain[position]
        return found

    @property
    def spreads(self) -> bool:
        """May arguments be given that do not show?"""
        return any(k.arg is None for k in self.call.keywords)


@frozen()
class Touch:
    """`call` in `function` uses the GPU, in the workers of each of `loaders`."""

    function: str
    call: ast.Call
    loaders: tuple[Loader, ...]


def touches(project: Project) -> list[Touch]:
    """All of them, in the order of files and lines. Use through `project.get(touches)`."""
    found: dict[tuple[str, int, int], tuple[ast.Call, list[Loader]]] = {}
    for loader in _loaders(project):
        for function in _in_workers(project, loader):
            for call in uses_gpu(project, function):
                place = (function, call.lineno, call.col_offset)
                found.setdefault(place, (call, []))[1].append(loader)
    return [Touch(place[0], found[place][0], tuple(found[place][1])) for place in sorted(found)]


def _loaders(project: Project) -> Iterator[Loader]:
    """The loaders that are given a number of workers."""
    for facts in project.mentioning("num_workers"):
        for call in project.calls_of(facts.id, ("DataLoader",)):
            loader = Loader(facts.id, call)
            number = loader.given("num_workers")
            zero = isinstance(number, ast.Constant) and number.value == 0
            if number is not None and not zero and project.names(call.func, facts.id) & {*LOADERS}:
                yield loader


def _in_workers(project: Project, loader: Loader) -> Iterator[str]:
    """The functions that run in a worker: what gives a sample, what makes a batch, and what they call, but
    not what a call may mean because it has that name alone."""
    todo = [(function, 0) for function in _starts(project, loader)]
    seen = set[str]()
    while todo:
        function, depth = todo.pop(0)
        if function in seen or is_stub(function):
            continue
        seen.add(function)
        yield function
        for frame in project.frames(function) if depth < MAX_DEPTH else ():
            edges = [e for e in project.graph.edges.get(frame, ()) if e.site is not None]
            todo += [(e.callee.function, depth + 1) for e in edges if e.how is not How.NAME_ONLY]


def _starts(project: Project, loader: Loader) -> Iterator[str]:
    dataset, collate = loader.given("dataset"), loader.given("collate_fn")
    for value in ordered(project.values(dataset, loader.function)) if dataset is not None else ():
        if isinstance(value, Instance):
            yield from _methods(project, value, "__getitem__") or _methods(project, value, "__iter__")
    for value in ordered(project.values(collate, loader.function)) if collate is not None else ():
        if isinstance(value, Instance):
            yield from _methods(project, value, "__call__")
        elif isinstance(value, (Bound, FunctionRef)):
            yield value.function


def _methods(project: Project, owner: Instance, name: str) -> list[str]:
    found = ordered(project.resolver.member(owner, name))
    return [value.function for value in found if isinstance(value, Bound) and not is_stub(value.function)]


# -- the GPU --------------------------------------------------------------------------------------------


def uses_gpu(project: Project, function: str) -> Iterator[ast.Call]:
    """The calls of a function that put something on the GPU for certain, where they come to run."""
    for node in own_nodes(project.index.function(function).node):
        if isinstance(node, ast.Call) and _on_gpu(project, function, node):
            if not _only_without(project, function, node):
                yield node


def _on_gpu(project: Project, function: str, call: ast.Call) -> bool:
    """`x.cuda()`, `x.to("cuda")`, `torch.zeros(8, device="cuda")`; not `torch.device("cuda")`."""
    func, names = call.func, project.names(call.func, function)
    method = func.attr if isinstance(func, ast.Attribute) else ""
    if method == "cuda":
        return not any(n.startswith("torch.cuda") for n in names)
    device = next((k.value for k in call.keywords if k.arg == "device"), None)
    if method == "to":
        device = device if device is not None else next(iter(call.args), None)
    elif _DEVICE in names or not any(n.startswith("torch.") for n in names):
        return False
    return device is not None and _is_gpu(project, device, function)


def _is_gpu(project: Project, device: ast.expr, function: str) -> bool:
    """Is it the GPU in all ways that show? `"cuda" if torch.cuda.is_available() else "cpu"` is."""
    kinds = {_kind(project, o.expr, o.function) for o in Origins(project, _available).of(device, function)}
    return kinds == {True}


def _available(test: ast.expr, function: str) -> frozenset[bool]:
    """There is a GPU where somebody trains."""
    return frozenset((True,) if _AVAILABLE in unparse(test) else (True, False))


def _kind(project: Project, expr: ast.expr, function: str) -> bool:
    if isinstance(expr, ast.Call) and _DEVICE in project.names(expr.func, function) and expr.args:
        return _is_gpu(project, expr.args[0], function)
    text = expr.values[0] if isinstance(expr, ast.JoinedStr) and expr.values else expr
    return isinstance(text, ast.Constant) and isinstance(text.value, str) and text.value.startswith("cuda")


def _only_without(project: Project, function: str, call: ast.Call) -> bool:
    """Does it run only outside of workers, as `get_worker_info() is None` says?"""
    return any("worker_info" in unparse(s.test) for s, _ in flow_of(project, function).tests(call))
