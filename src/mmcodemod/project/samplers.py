"""`DistributedSampler`: what it is given, and the loops that train on what it samples. May-analysis.

Source: https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.distributed.DistributedSampler
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

from mmcodemod.facts.syntax import walk
from mmcodemod.knowledge.wrappers import DATA_PARALLEL
from mmcodemod.model.frozen import frozen
from mmcodemod.model.place import Place
from mmcodemod.project.arguments import argument
from mmcodemod.project.flow import Loop, flow_of
from mmcodemod.project.local_data import data_loops, through, training_functions
from mmcodemod.project.model import Project
from mmcodemod.project.origins import Origin, Origins
from mmcodemod.project.spread import given
from mmcodemod.project.stubs import is_stub
from mmcodemod.project.trained_loaders import trained_loaders
from mmcodemod.project.wrapping import Wrap, wrapped

NAMES = ("torch.utils.data.DistributedSampler", "torch.utils.data.distributed.DistributedSampler")
LOADERS = ("torch.utils.data.DataLoader", "torch.utils.data.dataloader.DataLoader")
_ORDER = ("dataset", "num_replicas", "rank", "shuffle", "seed", "drop_last")
MAX_LEVELS = 3  # calls between a loop over batches and the loop over epochs


@frozen()
class Sampler:
    """A call in `function` that makes a sampler. `asked`: the call of that function through which a loader
    has it, where one shows."""

    function: str
    call: ast.Call
    asked: ast.Call | None = None

    def given(self, name: str) -> ast.expr | None:
        """The argument for a parameter; None where none shows."""
        found = next((k.value for k in self.call.keywords if k.arg == name), None)
        position = _ORDER.index(name)
        plain = self.call.args[: position + 1]
        if found is None and len(plain) > position and not any(isinstance(a, ast.Starred) for a in plain):
            found = plain[position]
        return found

    @property
    def spreads(self) -> bool:
        """May arguments be given that do not show?"""
        starred = any(isinstance(a, ast.Starred) for a in self.call.args)
        return starred or any(k.arg is None for k in self.call.keywords)


@frozen()
class Epochs:
    """`batches` in `inner` trains on what `sampler` samples; the loop `epochs` in `function` repeats it.
    `wrap` is what the loader was given to, None where it was not."""

    sampler: Sampler
    inner: str
    batches: ast.For
    function: str
    epochs: Loop
    wrap: Wrap | None


def samplers(project: Project) -> list[Sampler]:
    """The calls that make one, in the order of files and lines. Use through `project.get(samplers)`."""
    found = {
        (frame.function, outside.site.lineno, outside.site.col_offset): outside
        for frame, calls in project.graph.external.items()
        for outside in calls
        if outside.name in NAMES and not is_stub(frame.function)
    }
    return [Sampler(key[0], found[key].call) for key in sorted(found)]


def epochs(project: Project) -> list[Epochs]:
    """Use through `project.get(epochs)`."""
    by_place = {_key(project, s.call, s.function): s for s in project.get(samplers)}
    if not by_place:
        return []
    return [
        Epochs(sampler, function, loop, *outer, _wrap(project, function, loop))
        for function in sorted(project.get(training_functions))
        for loop in data_loops(project, function)
        for sampler in _sampled(project, loop, function, by_place)
        for outer in _repeating(project, function, loop, 0)
    ]


def _wrap(project: Project, function: str, batches: ast.For) -> Wrap | None:
    """What wraps the loader: where the loop is, or where a dict was given it."""
    kept = trained_loaders(project, function, batches)
    places = [(through(batches.iter), function), *((o.expr, o.function) for o in kept)]
    return next((wrap for place in places if (wrap := wrapped(project, *place))), None)


def _key(project: Project, call: ast.expr, function: str) -> Place:
    return project.place(function.partition("::")[0], call)


def _sampled(
    project: Project, batches: ast.For, function: str, known: dict[Place, Sampler]
) -> Iterator[Sampler]:
    """The samplers of the loaders that a loop goes over."""
    origins, seen = Origins(project), set[Place]()
    for loader in trained_loaders(project, function, batches):
        for origin in sampler_of(project, origins, loader):
            place = _key(project, origin.expr, origin.function)
            if place in known and place not in seen:
                seen.add(place)
                yield replace(known[place], asked=_asked(project, loader, known[place].function))


def _asked(project: Project, loader: Origin, function: str) -> ast.Call | None:
    """The one call of `function` whose value the call of a loader is given."""
    keywords = loader.expr.keywords if isinstance(loader.expr, ast.Call) else []
    values = [k.value for k in keywords if k.arg in (None, "sampler")]
    named = project.resolver.body(loader.function).names
    values += [s.expr for v in values if isinstance(v, ast.Name) for s in named.get(v.id, ())]
    places = {_key(project, v, loader.function) for v in values}
    calls = [e.call for e in project.callers(function) if e.caller.function == loader.function and e.call]
    found = {at: c for c in calls if (at := _key(project, c, loader.function)) in places}
    return found.popitem()[1] if len(found) == 1 else None


def as_asked(project: Project, sampler: Sampler, test: ast.expr) -> ast.expr:
    """A comparison of a parameter, with the constant that the call of the function passes for it."""
    facts = project.index.function(sampler.function)
    if isinstance(test, ast.Compare) and isinstance(test.left, ast.Name):
        passed = argument(sampler.asked, facts, test.left.id)
        kept = test.left.id not in project.resolver.body(sampler.function).names
        if isinstance(passed, ast.Constant) and kept:
            return ast.copy_location(ast.Compare(passed, test.ops, test.comparators), test)
    return test


def sampler_of(project: Project, origins: Origins, loader: Origin) -> list[Origin]:
    """Where the sampler of a loader comes from, through what a wrapper was given."""
    call = loader.expr
    names = project.names(call.func, loader.function) if isinstance(call, ast.Call) else set()
    if isinstance(call, ast.Call) and names & {*DATA_PARALLEL}:
        inner = [o for arg in call.args for o in origins.of(arg, loader.function) if o.expr is not call]
        return [s for o in inner if isinstance(o.expr, ast.Call) for s in sampler_of(project, origins, o)]
    if not isinstance(call, ast.Call) or names.isdisjoint(LOADERS):
        return []
    return given(project, origins, call, loader.function, "sampler")


def _repeating(project: Project, function: str, node: ast.AST, depth: int) -> list[tuple[str, Loop]]:
    """The innermost loops around a loop, in its function or around the calls that lead there; not those over
    the names of what is trained on."""
    loops = flow_of(project, function).loops(node)
    around = [x for x in loops if not (_names(project, x, function) or _hands_out(x, node))]
    if around:
        return [(function, around[0])]
    calls = [e for e in project.callers(function) if e.site is not None and not is_stub(e.caller.function)]
    if depth >= MAX_LEVELS:
        return []
    found = [r for e in calls for r in _repeating(project, e.caller.function, e.call, depth + 1)]
    return list({(f, loop.lineno): (f, loop) for f, loop in found}.values())


def _names(project: Project, loop: Loop, function: str) -> bool:
    """`for phase in ("train", "val")`"""
    ends = Origins(project).of(loop.iter, function) if not isinstance(loop, ast.While) else []
    parts = (part for o in ends for part in getattr(o.expr, "elts", [o.expr]))
    every = [part.value if isinstance(part, ast.Constant) else None for part in parts]
    return bool(every) and all(isinstance(value, str) for value in every)


def _hands_out(loop: Loop, node: ast.AST) -> bool:
    """`for loader in loaders.values()`: does it give what is gone over, or what a call is given?"""
    if not isinstance(loop, ast.For) or (isinstance(node, ast.Call) and not _is_of_dict(loop.iter)):
        return False  # `for epoch in epochs: step(epoch)`
    parts = _gone_over(node.iter) if isinstance(node, ast.For) else [*getattr(node, "args", ())]
    parts += [k.value for k in getattr(node, "keywords", ())]
    read = {n.id for part in parts for n in walk(part) if isinstance(n, ast.Name)}
    return not read.isdisjoint(n.id for n in walk(loop.target) if isinstance(n, ast.Name))


def _gone_over(given: ast.expr) -> list[ast.expr]:
    """`loader` of `tqdm(loader, desc=f"epoch {epoch}") if main else loader`."""
    if isinstance(given, ast.IfExp):
        return [*_gone_over(given.body), *_gone_over(given.orelse)]
    return _gone_over(given.args[0]) if isinstance(given, ast.Call) and given.args else [given]


def _is_of_dict(given: ast.expr) -> bool:
    """`loaders.items()`"""
    func = given.func if isinstance(given, ast.Call) else None
    return isinstance(func, ast.Attribute) and func.attr in ("items", "values")
