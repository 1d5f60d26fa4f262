"""Variables that hold modality features: results of module calls on images, video or audio. May-analysis
on the local data flow of one function, in no order."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from mmcodemod.facts.body import Source, Via, own_nodes
from mmcodemod.facts.python import FunctionFacts
from mmcodemod.project.flow import Flow
from mmcodemod.project.infer import Frame
from mmcodemod.project.modality import MODALITY, Scope, data_roots
from mmcodemod.project.model import Project
from mmcodemod.project.module_calls import ModuleCall, ModuleCalls


@dataclass
class Features:
    """`names` hold features; `calls` compute them. `weak`: only a parameter's name says so."""

    names: set[str] = field(default_factory=set)
    calls: list[ModuleCall] = field(default_factory=list)
    weak: bool = False

    def used_in(self, nodes: tuple[ast.stmt, ...]) -> list[ast.Name]:
        """Reads of features in some statements, in source order; assignments to another feature variable
        are followed, so a read counts only where something else gets it."""
        found = []
        for statement in nodes:
            for node in own_nodes(statement):
                if isinstance(node, ast.Name) and node.id in self.names and isinstance(node.ctx, ast.Load):
                    found.append(node)
        return sorted(found, key=lambda n: (n.lineno, n.col_offset))


def features_of(project: Project, facts: FunctionFacts, scope: Scope, frame: Frame) -> Features:
    """The feature variables of a function; of its modality parameters when it computes none."""
    found = Features()
    calls = project.get(ModuleCalls)
    for name, sources in scope.body.names.items():
        for source in sources:
            for node in own_nodes(source.expr):
                if isinstance(node, ast.Call):
                    run = calls.of(node, frame)
                    if run.modules and _on_modality(run, scope):
                        found.names.add(name)
                        found.calls.append(run)
    if not found.names and any("embed" in name for name in scope.body.names):
        found.weak = True
        found.names = {p for p in scope.parameters if MODALITY.search(p)}
    _close(found, scope)
    return found


def _on_modality(run: ModuleCall, scope: Scope) -> bool:
    """Is it run on modality data, or by its name an encoder of one?"""
    if any(MODALITY.search(m) for m in run.modules):
        return True
    arguments = [*run.call.args, *(k.value for k in run.call.keywords)]
    return any(MODALITY.search(root) for a in arguments for root in data_roots(a, scope))


def _close(found: Features, scope: Scope) -> None:
    """Names that are made from features hold features."""
    grew = True
    while grew:
        grew = False
        for name in scope.body.names:
            if name not in found.names and _derives(name, found, scope):
                found.names.add(name)
                grew = True


def _derives(name: str, found: Features, scope: Scope) -> bool:
    """Is the name made from features by indexing, slicing, copying or a method of the feature? Not by
    asking for a shape or a length."""
    return any(_carries(source.expr, found.names) for source in scope.body.names[name] if not _zipped(source))


def _zipped(source: Source) -> bool:
    """`for a, b in zip(x, y)`: which of them gets the features is not followed."""
    return source.via is Via.ELEMENT and source.index >= 0 and isinstance(source.expr, ast.Call)


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


def _call_carries(expr: ast.Call, names: set[str]) -> bool:
    if isinstance(expr.func, ast.Attribute):
        if expr.func.attr in _MEASURES:
            return False
        if _carries(expr.func.value, names):
            return True
    elif isinstance(expr.func, ast.Name) and expr.func.id in ("len", "max", "min", "sum", "range", "type"):
        return False
    return any(_carries(a, names) for a in expr.args)


def without_gradients(flow: Flow, call: ast.Call) -> bool:
    """Is the call under `with torch.no_grad()`?"""
    statement = flow.statement_of(call)
    for around in [statement, *flow.ancestors(statement)] if statement else []:
        if isinstance(around, (ast.With, ast.AsyncWith)):
            text = " ".join(ast.unparse(item.context_expr) for item in around.items)
            if "no_grad" in text or "inference_mode" in text:
                return True
    return False
