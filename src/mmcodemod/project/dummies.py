"""Encoders that run on a stand-in where the batch has no modality, and whether what they give stays in the
graph. May-analysis on one function: a value that is read for anything but its size counts as used."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from mmcodemod.facts.body import own_nodes
from mmcodemod.facts.definitions import bare_name
from mmcodemod.facts.python import FunctionFacts
from mmcodemod.facts.syntax import children, walk
from mmcodemod.model.frozen import frozen
from mmcodemod.model.pattern import regex
from mmcodemod.project.branches import function_scope, modality_functions
from mmcodemod.project.collate import is_collator, is_stand_in
from mmcodemod.project.features import without_gradients
from mmcodemod.project.flow import Flow, flow_of, holds
from mmcodemod.project.infer import Frame
from mmcodemod.project.modality import MODALITY, Scope, data_roots, means_present, presence
from mmcodemod.project.model import Project
from mmcodemod.project.module_calls import ModuleCall, ModuleCalls

_LEAVES_GRAPH = ("detach", "item", "tolist", "numpy")
_MEASURES = ("shape", "size", "ndim", "dtype", "device", "numel", "dim")
_MAKER = regex(r"(new_)?(zeros|ones|full|empty|randn|rand)(_like)?")
_NOT_MODELS = ("__getitem__", "__init__")


@frozen()
class Dummy:
    """`run` is on a stand-in under `test`; `lost` says how its result leaves the graph. `real` are the calls
    of the same modules that do not stand beside it."""

    facts: FunctionFacts
    test: ast.If
    frame: Frame
    run: ModuleCall
    lost: str
    real: tuple[ModuleCall, ...]


def lost_dummies(project: Project) -> Iterator[Dummy]:
    """The stand-ins of training code whose result reaches nothing that has gradients."""
    for facts, tests in modality_functions(project):
        if facts.name in _NOT_MODELS or is_collator(facts) or facts.id not in project.trained:
            continue
        flow, scope = flow_of(project, facts.id), function_scope(project, facts)
        for test in tests:
            asked = presence(test.test, scope)
            if asked:
                yield from _under(project, scope, flow, test, means_present(asked[0].node))


def _under(project: Project, scope: Scope, flow: Flow, test: ast.If, present: bool) -> Iterator[Dummy]:
    facts, arms = scope.facts, flow.arms(test)
    absent = arms.false if present else arms.true
    names = {n for s in absent for n in _made(s)}
    for frame in project.frames(facts.id):
        runs = project.get(ModuleCalls).within(absent, frame)
        dummies = [run for run in runs if _on_dummy(run.call, names, scope)]
        if not dummies:
            continue
        every = project.get(ModuleCalls).within(facts.node.body, frame)
        real = [run for run in every if not any(holds(s, run.call) for s in absent)]
        for run in _outermost(dummies):
            lost = _lost(project, flow, run, frame, (*absent, *flow.afterwards(test)))
            if lost:
                same = tuple(r for r in real if r.modules & run.modules)
                yield Dummy(facts, test, frame, run, lost, same)
        return


def _made(statement: ast.stmt) -> Iterator[str]:
    """Names that are set to a stand-in."""
    for node in own_nodes(statement):
        if isinstance(node, ast.Assign) and not any(
            isinstance(n, ast.Call) and _on_self(n) for n in _calls(node)
        ):
            if is_stand_in(node.value):
                yield from (n.id for t in node.targets for n in own_nodes(t) if isinstance(n, ast.Name))


def _calls(node: ast.Assign) -> list[ast.AST]:
    return [n for n in own_nodes(node.value) if isinstance(n, ast.Call)]


def _on_self(call: ast.AST) -> bool:
    """A call of something of the model, not of the library: `self.encode(zeros)`."""
    root: ast.AST = call
    while isinstance(root, (ast.Attribute, ast.Call)):
        root = root.value if isinstance(root, ast.Attribute) else root.func
    return isinstance(root, ast.Name) and root.id in ("self", "model", "module")


def _given(call: ast.Call) -> list[ast.expr]:
    return [*call.args, *(k.value for k in call.keywords)]


def _is_dummy(expr: ast.expr, names: set[str]) -> bool:
    return is_stand_in(expr) or any(isinstance(n, ast.Name) and n.id in names for n in own_nodes(expr))


def _on_dummy(call: ast.Call, names: set[str], scope: Scope) -> bool:
    """Is it run on a stand-in and on nothing of the batch's own? (A mask beside a picture is none.)"""
    given = _given(call)
    read = [name for expr in given for name in _outside(expr, names)]
    real = any(MODALITY.search(root) for name in read for root in data_roots(name, scope))
    return not real and any(_is_dummy(expr, names) for expr in given)


def _outside(expr: ast.AST, names: set[str]) -> Iterator[ast.Name]:
    """The names that are read, but not to make a stand-in: where that lives, and what type it has, is none of
    its data (`embeds.new_zeros(...)`, `torch.zeros(..., device=embeds.device)`)."""
    if isinstance(expr, ast.Name) and expr.id not in names:
        yield expr
    if not (isinstance(expr, ast.Call) and _MAKER.fullmatch(bare_name(expr.func))):
        for part in children(expr):
            yield from _outside(part, names)


def _outermost(runs: Sequence[ModuleCall]) -> list[ModuleCall]:
    """Without those inside another: `project(encode(dummy))` is one."""
    return [r for r in runs if not any(o is not r and holds(o.call, r.call) for o in runs)]


# -- what becomes of the result ---------------------------------------------------------------------------


def _lost(project: Project, flow: Flow, run: ModuleCall, frame: Frame, later: Sequence[ast.stmt]) -> str:
    if without_gradients(project, run.call, frame):
        return "it runs without gradients"
    statement = flow.statement_of(run.call)
    if isinstance(statement, ast.Expr) and statement.value is run.call:
        return "its result is thrown away"
    if statement is None or not isinstance(statement, (ast.Assign, ast.AnnAssign)) or statement.value is None:
        return ""
    if _leaves(statement.value, run.call):
        return "its result is detached"
    names = _targets(statement)
    return _unused(names, later, statement) if names else ""


def _targets(statement: ast.stmt) -> set[str]:
    """The names that a statement sets; none when it stores into anything else."""
    targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
    nodes = [n for t in targets if t is not None for n in own_nodes(t)]
    if any(isinstance(n, (ast.Attribute, ast.Subscript)) for n in nodes):
        return set()
    return {n.id for n in nodes if isinstance(n, ast.Name)}


def _unused(names: set[str], later: Sequence[ast.stmt], made: ast.stmt) -> str:
    """How the named values are lost in what runs later: "" when one of them is used."""
    known, detached, grew = set(names), False, True
    while grew:
        grew = False
        for statement in _simple(later):
            for read in _reads(statement, known) if statement is not made else ():
                if _leaves(statement, read):
                    detached = detached or not _measured(statement, read)
                    continue
                more = _targets(statement) if isinstance(statement, ast.Assign) else set()
                if not more:
                    return ""
                grew = grew or not more <= known
                known |= more
    return "its result is detached" if detached else "its result is thrown away"


def _simple(statements: Sequence[ast.stmt]) -> Iterator[ast.AST]:
    """The simple statements, and the heads of compound ones."""
    todo: list[ast.AST] = list(statements)
    while todo:
        node = todo.pop(0)
        inner = [n for n in ast.iter_child_nodes(node) if isinstance(n, (ast.stmt, ast.excepthandler))]
        if not inner:
            yield node
            continue
        yield from (n for n in ast.iter_child_nodes(node) if not isinstance(n, (ast.stmt, ast.excepthandler)))
        todo += inner


def _reads(statement: ast.AST, names: set[str]) -> list[ast.Name]:
    found = (n for n in walk(statement) if isinstance(n, ast.Name) and n.id in names)
    return [n for n in found if isinstance(n.ctx, ast.Load)]


def _leaves(outer: ast.AST, inner: ast.AST) -> bool:
    """Does what `inner` gives leave the graph in `outer`: `x.detach()`, `x.data`, `x.shape`, `len(x)`?"""
    for node in walk(outer):
        if isinstance(node, ast.Attribute) and node.attr in (*_LEAVES_GRAPH, *_MEASURES, "data"):
            if any(n is inner for n in walk(node.value)):
                return True
        elif (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in ("len", "print")
        ):
            if any(n is inner for n in walk(node)):
                return True
    return False


def _measured(outer: ast.AST, inner: ast.AST) -> bool:
    """Is it only asked for its size?"""
    return not any(
        isinstance(node, ast.Attribute)
        and node.attr in (*_LEAVES_GRAPH, "data")
        and any(n is inner for n in walk(node.value))
        for node in walk(outer)
    )
