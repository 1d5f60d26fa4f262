"""Variables that hold modality features: results of module calls on images, video or audio. May-analysis
on the local data flow of one function; what a side of a test uses depends on what runs on that side."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field

from mmcodemod.facts.body import Via, own_nodes
from mmcodemod.facts.collecting import FILLS
from mmcodemod.facts.nodes import NodeSource
from mmcodemod.facts.python import FunctionFacts
from mmcodemod.facts.syntax import unparse, walk
from mmcodemod.model.frozen import mutable
from mmcodemod.model.pattern import regex
from mmcodemod.project.flow import flow_of
from mmcodemod.project.infer import Frame
from mmcodemod.project.modality import MODALITY, Scope, data_roots
from mmcodemod.project.model import Project
from mmcodemod.project.module_calls import ModuleCall, ModuleCalls, is_text
from mmcodemod.project.values import Bound, FunctionRef, Instance

MAX_DEPTH = 4


@mutable()
class Features:
    """`names` hold features somewhere; `calls` compute them. `weak`: only a parameter's name says so."""

    scope: Scope
    names: set[str] = field(default_factory=set)
    calls: list[ModuleCall] = field(default_factory=list)
    weak: bool = False

    def used_in(self, side: Sequence[ast.stmt], test: ast.If) -> list[ast.Name]:
        """Reads of features on one side of a test, in source order: of features that are computed before
        it, and of what this side makes of them. A size, a length or a list that is filled is no read."""
        names = self.known(side, test)
        found = [n for statement in side for n in _reads(statement, names)]
        return sorted(found, key=lambda n: (n.lineno, n.col_offset))

    def known(self, side: Sequence[ast.stmt], test: ast.If) -> set[str]:
        """The names that hold features on one side of a test."""
        inside = {id(n) for statement in side for n in own_nodes(statement)}

        def runs(source: NodeSource) -> bool:
            return source.expr.lineno < test.lineno or id(source.expr) in inside

        sources = {n: [s for s in found if runs(s)] for n, found in self.scope.body.names.items()}
        if self.weak:
            return _closed({p for p in self.scope.parameters if MODALITY.search(p)}, sources)
        calls = {id(c.call) for c in self.calls}
        made = {n for n, found in sources.items() if any(_holds_one(s.expr, calls) for s in found)}
        return _closed(made, sources)


def _holds_one(expr: ast.expr, nodes: set[int]) -> bool:
    return any(id(n) in nodes for n in own_nodes(expr))


def _reads(node: ast.AST, names: set[str]) -> Iterator[ast.Name]:
    """The names that are read for what they hold, in no order."""
    todo = [node]
    while todo:
        current = todo.pop()
        if isinstance(current, ast.Name):
            if current.id in names and isinstance(current.ctx, ast.Load):
                yield current
        elif isinstance(current, _COMPREHENSIONS):
            inner = _inside(current, names)
            yield from (n for part in ast.iter_child_nodes(current) for n in _reads(part, inner))
        elif not _asks_only(current):
            todo += _parts(current)


def _inside(node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp, names: set[str]) -> set[str]:
    """The names that hold features inside a comprehension, whose own variables hide others."""
    found = set(names)
    for generator in node.generators:
        own = {n.id for n in walk(generator.target) if isinstance(n, ast.Name)}
        found = found | own if _carries(generator.iter, found) else found - own
    return found


_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def _asks_only(node: ast.AST) -> bool:
    """`x.shape`, `len(x)`, `x is None`: no gradient flows there."""
    if isinstance(node, ast.Attribute):
        return node.attr in _MEASURES
    if isinstance(node, ast.Compare):
        return all(isinstance(op, (ast.Is, ast.IsNot)) for op in node.ops)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return node.func.id in (*_COUNTS, "print")
    return isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))


def _parts(node: ast.AST) -> list[ast.AST]:
    """The children of a node, without the list of `list.append(x)`."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in FILLS:
        if isinstance(node.func.value, ast.Name):
            return [*node.args, *node.keywords]
    return list(ast.iter_child_nodes(node))


def features_of(project: Project, facts: FunctionFacts, scope: Scope, frame: Frame) -> Features:
    """The feature variables of a function; of its modality parameters when it computes none."""
    found = Features(scope)
    runs = list(_runs(project, scope, frame))
    pure = {id(run.call) for _, run in runs if _on_modality(run, scope)}
    encoders = {m for _, run in runs if id(run.call) in pure for m in run.modules}
    for name, run in runs:
        if id(run.call) in pure or run.modules <= encoders:  # an encoder on anything gives features
            found.names.add(name)
            found.calls.append(run)
    if not found.names and any("embed" in name for name in scope.body.names):
        found.weak = True
        found.names = {p for p in scope.parameters if MODALITY.search(p)}
    found.names = _closed(found.names, scope.body.names)
    return found


def _runs(project: Project, scope: Scope, frame: Frame) -> Iterator[tuple[str, ModuleCall]]:
    """(name, call) of the module calls that give a name its value."""
    calls = project.get(ModuleCalls)
    for name, sources in scope.body.names.items():
        for source in sources:
            for node in own_nodes(source.expr):
                if isinstance(node, ast.Call):
                    run = calls.of(node, frame)
                    if run.modules:
                        yield name, run


def _on_modality(run: ModuleCall, scope: Scope) -> bool:
    """Is it run on modality data, or by its name an encoder of one?"""
    if any(MODALITY.search(m) for m in run.modules):
        return True
    if all(is_text(m) for m in run.modules):
        return False
    arguments = [*run.call.args, *(k.value for k in run.call.keywords)]
    roots = {root for a in arguments for root in data_roots(a, scope)}
    mixed = any(_TEXT.search(root) for root in roots)  # what runs on text and images together comes later
    return not mixed and any(MODALITY.search(root) for root in roots)


_TEXT = regex(r"(^|_)(ids|labels|tokens?|texts?|words|inputs_embeds|embeds|hidden_states?)$")


def _closed(names: set[str], sources: Mapping[str, Sequence[NodeSource]]) -> set[str]:
    """With the names that are made from features by indexing, slicing, copying or a method of the feature,
    not by asking for a shape or a length."""
    found, grew = set(names), True
    while grew:
        more = {
            n for n, made in sources.items() if any(_carries(e, found) for s in made for e in _made_of(s))
        }
        grew = not more <= found
        found |= more
    return found


def _made_of(source: NodeSource) -> list[ast.expr]:
    """What gives the name its value: `for a, b in zip(x, y)` gives b that of y; which part of another call's
    result it gets is not followed."""
    call = source.expr
    if source.via is not Via.ELEMENT or source.index < 0 or not isinstance(call, ast.Call):
        return [call]
    zips = isinstance(call.func, ast.Name) and call.func.id == "zip"
    plain = zips and not any(isinstance(a, ast.Starred) for a in call.args)
    return call.args[source.index : source.index + 1] if plain else []


def _carries(expr: ast.expr, names: set[str]) -> bool:
    if isinstance(expr, ast.Name):
        return expr.id in names
    if isinstance(expr, ast.Attribute):
        return expr.attr not in _MEASURES and _carries(expr.value, names)
    if isinstance(expr, (ast.Subscript, ast.Starred)):
        return _carries(expr.value, names)
    if isinstance(expr, ast.Call):
        return _call_carries(expr, names)
    if isinstance(expr, ast.BinOp):
        return _carries(expr.left, names) or _carries(expr.right, names)
    if isinstance(expr, (ast.List, ast.Tuple)):
        return any(_carries(e, names) for e in expr.elts)
    if isinstance(expr, (ast.ListComp, ast.GeneratorExp)):
        return any(_carries(g.iter, names) for g in expr.generators)
    if isinstance(expr, ast.IfExp):
        return _carries(expr.body, names) or _carries(expr.orelse, names)
    return False


_MEASURES = frozenset(("shape", "size", "ndim", "dtype", "device", "numel", "dim"))
_COUNTS = ("len", "max", "min", "sum", "range", "type")


def _call_carries(expr: ast.Call, names: set[str]) -> bool:
    if isinstance(expr.func, ast.Attribute):
        if expr.func.attr in _MEASURES:
            return False
        if _carries(expr.func.value, names):
            return True
    elif isinstance(expr.func, ast.Name) and expr.func.id in _COUNTS:
        return False
    return any(_carries(a, names) for a in expr.args)


def without_gradients(project: Project, call: ast.Call, frame: Frame, depth: int = 0) -> bool:
    """Does the call run its modules without gradients, under `with torch.no_grad()` or in functions of the
    tree that switch them off?"""
    facts = project.index.function(frame.function)
    if not isinstance(facts.node, ast.Module) and _switches_off(facts.node.decorator_list):
        return True
    for around in flow_of(project, frame.function).around(call):
        if isinstance(around, (ast.With, ast.AsyncWith)):
            if _switches_off([item.context_expr for item in around.items]):
                return True
    inner = callees(project, call, frame) if depth < MAX_DEPTH else []
    return bool(inner) and all(_runs_without(project, callee, depth + 1) for callee in inner)


def _switches_off(exprs: Sequence[ast.expr]) -> bool:
    text = " ".join(unparse(e) for e in exprs)
    return any(word in text for word in ("no_grad", "inference_mode", "set_grad_enabled(False)"))


def callees(project: Project, call: ast.Call, frame: Frame) -> list[Frame]:
    """The functions of the tree that a call runs; none when it may run anything else."""
    found = []
    for value in project.resolver.infer(call.func, frame):
        if isinstance(value, Instance):
            forward = project.resolver.classes.find(value.cls, "forward")
            found.append(Frame(forward, value.cls) if forward else None)
        elif isinstance(value, Bound):
            found.append(Frame(value.function, value.receiver))
        else:
            found.append(Frame(value.function) if isinstance(value, FunctionRef) else None)
    known = [f for f in found if f is not None and not f.function.startswith("<")]
    return known if len(known) == len(found) else []


def _runs_without(project: Project, frame: Frame, depth: int) -> bool:
    facts = project.index.function(frame.function)
    if not isinstance(facts.node, ast.Module) and _switches_off(facts.node.decorator_list):
        return True
    calls = project.get(ModuleCalls).within([facts.node], frame)
    return bool(calls) and all(without_gradients(project, c.call, frame, depth) for c in calls)
