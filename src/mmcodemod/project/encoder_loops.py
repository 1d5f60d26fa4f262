"""Loops that run one module after another, each only where the batch has what it takes: `for name in
self.encoders: if name in batch:`. All ranks make the same rounds; in each the batch decides. May-analysis."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import replace

from mmcodemod.facts.body import Via, own_nodes, source_order
from mmcodemod.facts.python import FunctionFacts
from mmcodemod.facts.syntax import unparse, walk
from mmcodemod.model.frozen import frozen
from mmcodemod.model.pattern import regex
from mmcodemod.project.branches import Branch, function_scope
from mmcodemod.project.flow import Flow, flow_of, raises
from mmcodemod.project.infer import Frame
from mmcodemod.project.modality import MODALITY, POINTS, Atom, Kind, Scope, data_roots
from mmcodemod.project.model import Project
from mmcodemod.project.module_calls import ModuleCall, ModuleCalls, label
from mmcodemod.project.values import Text
from mmcodemod.project.whether_there import takes_key

_SIMPLE = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr, ast.Return)
_ASKS = regex(rb"\bif\b[^\n]{0,1000}(\bin\b|\.get\(|\]\s*is\b)|\[\w+\]\(")
"""Stands in all that `_asks_batch` and `_of_batch` take."""


@frozen()
class Turn:
    """`asked`, on the key in hand in a round of the loop, decides between `true` and `false`. `name` is bound
    to the key, by the loop or by a comprehension; `held` has the keys where the loop goes over a batch."""

    node: ast.If | ast.For | ast.Call
    loop: ast.For | ast.comprehension
    asked: ast.expr
    name: ast.Name
    true: Sequence[ast.AST]
    false: Sequence[ast.AST] = ()
    held: ast.expr | None = None


def encoder_loops(project: Project) -> list[Branch]:
    """The tests of such loops in what a forward runs. Use through `project.get(encoder_loops)`."""
    found = [
        branch
        for facts in project.forward_functions()
        if facts.body.loops and _ASKS.search(project.source(facts))
        for branch in _of_function(project, facts)
    ]
    return [branch for branch in found if branch.lone or branch.shared]


def _of_function(project: Project, facts: FunctionFacts) -> Iterator[Branch]:
    scope, flow = function_scope(project, facts), flow_of(project, facts.id)
    turns: list[Turn] = []
    for loop in flow.statements:
        if isinstance(loop, ast.For) and flow.loop_of(loop) is None:
            turns += [*_tested(flow, loop, scope), *_chosen_before(loop, scope), *_of_batch(loop, scope)]
        elif isinstance(loop, _SIMPLE) and flow.loop_of(loop) is None:
            turns += _in_one_line(loop, scope)
    as_it_came = [turn for turn in turns if not _filled_up(turn.asked, scope)]
    for frame in project.frames(facts.id)[:1] if as_it_came else ():
        yield from _joined([b for turn in as_it_came for b in _branch(project, facts, frame, turn)])


def _joined(found: list[Branch]) -> Iterator[Branch]:
    """Two loops of which one runs what the batch has, and the other the rest, are the sides of one test."""
    for branch in found:
        here, present = _means(branch.asked)
        others = [
            b for b in found if _means(b.asked) == (here, not present) and not b.lone.isdisjoint(branch.lone)
        ]
        if not others:
            yield branch
        elif present:
            yield replace(branch, false=(*branch.false, *others[0].true))


def _means(asked: ast.expr | None) -> tuple[str, bool]:
    """What is asked for the key in hand, and whether for its being there."""
    match asked:
        case ast.UnaryOp(op=ast.Not(), operand=inner):
            holder, present = _means(inner)
            return holder, not present
        case ast.Compare(ops=[ast.In() | ast.NotIn() as operator], comparators=[holder]):
            return unparse(holder), isinstance(operator, ast.In)
        case ast.Compare(left=inner, ops=[ast.Is() | ast.IsNot() as operator]):
            return _means(inner)[0], isinstance(operator, ast.IsNot)
        case ast.Call(func=ast.Attribute(value=held)) | ast.Subscript(value=held):
            return unparse(held), True
    return "", True


def _filled_up(asked: ast.expr, scope: Scope) -> bool:
    """May the function itself have put what is missing into the batch that a test asks?"""
    names = set(scope.names_in(asked))
    changed = [name for name in names if not _as_it_came(name, scope)]
    nodes = list(own_nodes(scope.facts.node))
    stored = [n for n in nodes if isinstance(n, ast.Subscript) and isinstance(n.ctx, ast.Store)]
    calls = [n.func for n in nodes if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute)]
    put = [n.value for n in stored if not isinstance(n.slice, ast.Constant)]
    put += [f.value for f in calls if f.attr in ("setdefault", "update")]
    return bool(changed) or any(isinstance(n, ast.Name) and n.id in names for n in put)


def _as_it_came(name: str, scope: Scope) -> bool:
    """Is it what the function got, or a part of that, or bound by a loop?"""
    sources = scope.body.names.get(name, ())
    taken = [s for s in sources if s.via is Via.ELEMENT or takes_key(s.expr) or _each_of(s.expr)]
    return len(taken) == len(sources) and (not sources or name not in scope.parameters)


def _each_of(made: ast.expr) -> bool:
    """`{name: value.to(device) for name, value in batch.items()}`"""
    return isinstance(made, ast.DictComp) and _keyed(made.generators[0].iter) is not None


def _tested(flow: Flow, loop: ast.For, scope: Scope) -> Iterator[Turn]:
    """Tests in a loop over what is the same on all ranks."""
    names = [n for n in walk(loop.target) if isinstance(n, ast.Name)]
    if data_roots(loop.iter, scope):
        return
    for node in flow.statements:
        if isinstance(node, ast.If) and flow.loop_of(node) is loop and not _gives_up(node):
            arms = flow.arms(node)
            asked = next((n for n in names if _asks_batch(node.test, n.id, scope)), None)
            if asked is not None:
                yield Turn(node, loop, node.test, asked, arms.true, arms.false)


def _gives_up(node: ast.If) -> bool:
    return raises(node.body) or raises(node.orelse)


def _chosen_before(loop: ast.For, scope: Scope) -> Iterator[Turn]:
    """`for name in present:`, where `present = [name for name in self.encoders if name in batch]`"""
    over = scope.stands_for(loop.iter.id) if isinstance(loop.iter, ast.Name) else loop.iter
    match over:
        case ast.ListComp(
            elt=ast.Name(id=given), generators=[ast.comprehension(ast.Name(id=name) as one, every, [asked])]
        ) if given == name and _asks_batch(asked, name, scope) and not data_roots(every, scope):
            yield Turn(loop, loop, asked, one, loop.body)


def _of_batch(loop: ast.For, scope: Scope) -> Iterator[Turn]:
    """`for name, value in batch.items():`, of which the encoders are looked up: `self.encoders[name]`; also
    `for name in batch["present"]:`"""
    names = loop.target.elts if isinstance(loop.target, ast.Tuple) else [loop.target]
    listed = loop.iter if len(names) == 1 and isinstance(loop.iter, (ast.Name, ast.Subscript)) else None
    batch, one = _keyed(loop.iter) or listed, names[0]
    if batch is None or not isinstance(one, ast.Name) or not data_roots(batch, scope):
        return
    inside = (n for statement in loop.body for n in own_nodes(statement))
    for call in (n for n in inside if isinstance(n, ast.Call) and isinstance(n.func, ast.Subscript)):
        held = call.func
        if isinstance(held, ast.Subscript) and unparse(held.slice) == one.id:
            asked = ast.Compare(one, [ast.In()], [batch])
            yield Turn(loop, loop, asked, one, loop.body, (), held.value)
            return


def _keyed(over: ast.expr) -> ast.expr | None:
    """`batch` of `batch.items()` and `batch.keys()`"""
    match over:
        case ast.Call(func=ast.Attribute(value=batch, attr="items" | "keys")):
            return batch
    return None


def _in_one_line(statement: ast.stmt, scope: Scope) -> Iterator[Turn]:
    """`[encoder(batch[name]) for name, encoder in self.encoders.items() if name in batch]`"""
    for made in (n for n in own_nodes(statement) if isinstance(n, (ast.ListComp, ast.DictComp))):
        each, one = made.generators[0], made.value if isinstance(made, ast.DictComp) else made.elt
        runs = sorted((n for n in own_nodes(one) if isinstance(n, ast.Call)), key=source_order)
        if not runs or len(made.generators) > 1 or len(each.ifs) != 1 or data_roots(each.iter, scope):
            continue
        for name in (n for n in walk(each.target) if isinstance(n, ast.Name)):
            if _asks_batch(each.ifs[0], name.id, scope):
                yield Turn(runs[0], each, each.ifs[0], name, [one])


def _asks_batch(test: ast.expr, name: str, scope: Scope) -> bool:
    """`name in batch`, `batch.get(name) is not None`, `batch[name] is not None`, and the contrary of each"""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=inner):
            return _asks_batch(inner, name, scope)
        case ast.Compare(left=ast.Name(id=key), ops=[ast.In() | ast.NotIn()], comparators=[holder]):
            return key == name and bool(data_roots(holder, scope))
        case ast.Compare(left=inner, ops=[ast.Is() | ast.IsNot()], comparators=[ast.Constant(value=None)]):
            return _asks_batch(inner, name, scope)
        case (
            ast.Call(func=ast.Attribute(value=holder, attr="get"), args=[ast.Name(id=key), *_])
            | ast.Subscript(value=holder, slice=ast.Name(id=key))
        ):
            return key == name and bool(data_roots(holder, scope))
    return False


def _branch(project: Project, facts: FunctionFacts, frame: Frame, turn: Turn) -> Iterator[Branch]:
    values = project.resolver.infer(turn.held or turn.name, frame)
    values = project.resolver.iterated(values) if turn.held is not None else values
    keys = sorted(str(v.value) for v in values if isinstance(v, Text))
    atoms = [Atom(turn.asked, Kind.PRESENCE, k, key=True) for k in keys if is_modality(k)]
    if atoms:
        true, false = (_runs(project, side, frame, turn.loop) for side in (turn.true, turn.false))
        loop = turn.loop if isinstance(turn.loop, ast.For) else None
        yield Branch(facts, turn.node, tuple(atoms), frame, true, false, loop, turn.asked)


def is_modality(key: str) -> bool:
    """Does a key of a dict of encoders name a modality?"""
    return bool(MODALITY.search(key) or POINTS.fullmatch(key))


def _runs(
    project: Project, side: Sequence[ast.AST], frame: Frame, loop: ast.For | ast.comprehension
) -> tuple[ModuleCall, ...]:
    """The module calls of a side; what the loop takes from a dict of modules is called as that."""
    given = {n.id for n in walk(loop.target) if isinstance(n, ast.Name)}
    whole = _dict(loop.iter)
    calls = project.get(ModuleCalls).within(side, frame)
    named = (frozenset(whole if m in given else m for m in c.modules) for c in calls)
    return tuple(ModuleCall(c.call, modules) for c, modules in zip(calls, named, strict=True))


def _dict(over: ast.expr) -> str:
    """`encoders` of `self.encoders.items()`"""
    match over:
        case ast.Call(func=ast.Attribute(value=inner, attr="items" | "keys" | "values")):
            return label(inner)
        case ast.Call(func=ast.Name(id="enumerate" | "zip" | "sorted"), args=[*_, last]):
            return _dict(last)
    return label(over)
