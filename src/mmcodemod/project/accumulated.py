"""Training loops that add up gradients of several batches before the optimizer steps, with a loss that
nothing divides. Must-analysis on the code of one function: any division on the way to the loss ends it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import islice

from mmcodemod.facts.body import own_nodes
from mmcodemod.facts.definitions import bare_name
from mmcodemod.facts.syntax import unparse, walk
from mmcodemod.model.frozen import frozen
from mmcodemod.model.pattern import regex
from mmcodemod.project.flow import Loop, flow_of, holds
from mmcodemod.project.gradients import BACKWARDS, CLIPS, STEPS, Grad, GradCall, Gradients
from mmcodemod.project.inference import inference_only
from mmcodemod.project.model import Project
from mmcodemod.project.namespace_stores import is_parsed
from mmcodemod.project.origins import Origins
from mmcodemod.project.scaling_hooks import scaling_hooks
from mmcodemod.project.stubs import is_stub
from mmcodemod.project.values import Bound, FunctionRef, Instance, ordered

_DIVIDES = (ast.Div, ast.FloorDiv)
_METHODS = frozenset(("div", "div_", "divide", "true_divide", "mul", "mul_"))
_SUMS = ("sum(", "'sum'", '"sum"')
_GRAD = regex(rb"\.grad\b|[\"']grad[\"']|_foreach_(mul|div)")
MAX_PARTS = 200
MAX_LEVELS = 3


@frozen()
class Accumulated:
    """`passed` in `function` adds gradients up in `loop`, `step` steps under `test`, once in `every` batches.
    `sums`: a function of the tree on the way to the loss adds something up. `clip`: what clips before."""

    function: str
    passed: GradCall
    loss: ast.expr
    step: GradCall
    test: ast.If
    every: ast.expr
    loop: Loop
    sums: bool
    clip: ast.Call | None


def accumulated(project: Project) -> list[Accumulated]:
    """All of them, in the order of files and lines. Use through `project.get(accumulated)`."""
    gradients, found = project.get(Gradients), list[Accumulated]()
    for facts in project.mentioning("zero_grad"):
        own = gradients.own(facts.id)
        if not any(g.kind in STEPS for g in own) or inference_only(project, facts) is not None:
            continue
        for passed in own:
            if passed.kind in BACKWARDS and not _elsewhere(passed):
                found += islice(_accumulates(project, facts.id, passed, own), 1)
    return found


def _elsewhere(passed: GradCall) -> bool:
    """A pass of a library object, which may divide by itself, or one that is given what to begin with."""
    begins = any(k.arg in ("gradient", None) for k in passed.call.keywords)
    return begins or (passed.kind is Grad.BACKWARD and bool(passed.call.args))


def _accumulates(
    project: Project, function: str, passed: GradCall, own: list[GradCall]
) -> Iterator[Accumulated]:
    flow, loss = flow_of(project, function), _loss(passed)
    loop = flow.loop_of(passed.call)
    if loop is None or loss is None or _by_hand(project, function):
        return
    for step in own:
        if (
            step.kind not in STEPS
            or flow.loop_of(step.call) is not loop
            or not _together(project, function, passed, step)
        ):
            continue
        for test, outcome in flow.tests(step.call):
            every = _every(test.test, outcome) if holds(loop, test) and not holds(test, passed.call) else None
            if every is not None and _zeroes_so(project, function, loop):
                sums = _undivided(project, function, loss, every)
                if sums is not None:
                    yield Accumulated(function, passed, loss, step, test, every, loop, sums, _clip(own, loop))


def _by_hand(project: Project, function: str) -> bool:
    """Does the function, or one that it calls, look at gradients itself, or a hook of the tree scale them?"""
    if project.get(scaling_hooks):
        return True
    edges = [e for frame in project.frames(function) for e in project.graph.edges.get(frame, ())]
    every = {function, *(e.callee.function for e in edges if e.site is not None)}
    return any(_GRAD.search(project.source(project.index.function(f))) for f in every if not is_stub(f))


def _together(project: Project, function: str, passed: GradCall, step: GradCall) -> bool:
    """Do no two tests keep the pass and the step apart?"""
    gradients = project.get(Gradients)
    here, there = (gradients.conditions(function, g.call) for g in (passed, step))
    return not any(text in there and there[text][1] is not wanted for text, (_, wanted) in here.items())


def _loss(passed: GradCall) -> ast.expr | None:
    """The loss of `loss.backward()` and of `scaler.scale(loss).backward()`."""
    func = passed.call.func
    loss = func.value if isinstance(func, ast.Attribute) else None
    if passed.kind is Grad.SCALED_BACKWARD:
        return loss.args[0] if isinstance(loss, ast.Call) and len(loss.args) == 1 else None
    return loss


def _every(test: ast.expr, outcome: bool) -> ast.expr | None:
    """`n` of `(step + 1) % n == 0`, where that outcome of the test says that it holds."""
    if isinstance(test, ast.BoolOp):
        return next((n for part in test.values if (n := _every(part, outcome)) is not None), None)
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return _every(test.operand, not outcome)
    if isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.comparators[0], ast.Constant):
        equal = isinstance(test.ops[0], ast.Eq) if outcome else isinstance(test.ops[0], ast.NotEq)
        return _modulus(test.left) if equal else None
    return _modulus(test) if not outcome else None


def _modulus(expr: ast.expr) -> ast.expr | None:
    return expr.right if isinstance(expr, ast.BinOp) and isinstance(expr.op, ast.Mod) else None


def _zeroes_so(project: Project, function: str, loop: Loop) -> bool:
    """Does the loop forget gradients under such tests alone?"""
    flow = flow_of(project, function)
    zeroed = [c for c in project.calls_of(function, ("zero_grad",)) if holds(loop, c)]
    tests = [[_every(t.test, outcome) for t, outcome in flow.tests(c) if holds(loop, t)] for c in zeroed]
    return bool(zeroed) and all(any(counted is not None for counted in found) for found in tests)


def _clip(own: list[GradCall], loop: Loop) -> ast.Call | None:
    """A clip in the loop."""
    return next((g.call for g in own if g.kind in CLIPS and holds(loop, g.call)), None)


# -- the way to the loss ---------------------------------------------------------------------------------


def _undivided(project: Project, function: str, loss: ast.expr, every: ast.expr) -> bool | None:
    """None where something may divide the loss; else whether something on the way adds up."""
    word, sums = bare_name(every), False
    if _shared_out(project, function, loss):
        return None
    for node, home in _parts(project, function, loss):
        if _scales(node):
            return None
        if isinstance(node, ast.Call):
            given = (*node.args, *(k.value for k in node.keywords))
            if given and (not word or any(bare_name(n) == word for a in given for n in walk(a))):
                return None  # a number without a name may be in anything that is given
            sums = sums or "sum" in bare_name(node.func) or any(_is_sum(k.value) for k in node.keywords)
            callees = _callees(project, node, home)
            if len(callees) > MAX_PARTS:
                return None
            for callee in callees:
                text = project.source(project.index.function(callee)).decode(errors="replace")
                if word in text or "accum" in text:
                    return None
                sums = sums or any(part in text for part in _SUMS)
    return sums


def _shared_out(project: Project, function: str, loss: ast.expr) -> bool:
    """Is the loss as a whole multiplied by a number below 1?"""
    nodes = own_nodes(project.index.function(function).node)
    assigns = [n for n in nodes if isinstance(n, ast.Assign | ast.AugAssign)]
    wholes, todo = list[ast.expr](), [loss]
    while todo and len(wholes) < MAX_PARTS:
        whole = todo.pop()
        wholes.append(whole)
        if isinstance(whole, ast.Name):
            todo += [v for n in assigns for v in _given(n, whole.id) if v not in wholes]
    return any(isinstance(w, ast.BinOp) and isinstance(w.op, ast.Mult) and _has_share(w) for w in wholes)


def _given(assign: ast.Assign | ast.AugAssign, name: str) -> list[ast.expr]:
    """What a statement makes of a name."""
    if isinstance(assign, ast.Assign):
        named = any(isinstance(t, ast.Name) and t.id == name for t in assign.targets)
        return [assign.value] if named else []
    changed = isinstance(assign.target, ast.Name) and assign.target.id == name
    return [ast.BinOp(assign.target, assign.op, assign.value)] if changed else []


def _has_share(product: ast.BinOp) -> bool:
    values = [e.value for e in (product.left, product.right) if isinstance(e, ast.Constant)]
    return any(isinstance(v, int | float) and 0 < v < 1 for v in values)


def _scales(node: ast.AST) -> bool:
    """A division, or a factor that is not written down as a number."""
    if isinstance(node, ast.BinOp):
        plain = isinstance(node.left, ast.Constant) or isinstance(node.right, ast.Constant)
        return isinstance(node.op, _DIVIDES) or (isinstance(node.op, ast.Mult) and not plain)
    return isinstance(node, ast.Call) and bare_name(node.func) in _METHODS


def _is_sum(expr: ast.expr) -> bool:
    return isinstance(expr, ast.Constant) and expr.value == "sum"


def _parts(project: Project, function: str, loss: ast.expr) -> Iterator[tuple[ast.AST, str]]:
    """The nodes that a loss is made of, through names of the function, in place changes included."""
    nodes = own_nodes(project.index.function(function).node)
    todo, seen = [loss], set[str]()
    assigns = [n for n in nodes if isinstance(n, (ast.Assign, ast.AugAssign, ast.AnnAssign)) and n.value]
    while todo and len(seen) < MAX_PARTS:
        for node in walk(todo.pop(0)):
            yield node, function
            text = unparse(node) if isinstance(node, (ast.Name, ast.Attribute)) else ""
            if text and text not in seen and not _is_parsed(project, node, function):
                seen.add(text)
                for assign in assigns:
                    targets = assign.targets if isinstance(assign, ast.Assign) else [assign.target]
                    if any(unparse(n) == text for t in targets for n in walk(t) if isinstance(n, type(node))):
                        if isinstance(assign, ast.AugAssign):
                            yield ast.BinOp(assign.target, assign.op, assign.value), function
                        todo += [assign.value] if assign.value else []


def _is_parsed(project: Project, node: ast.AST, function: str) -> bool:
    """Is it the namespace of a parser, which is no part of the loss?"""
    return isinstance(node, ast.Name) and is_parsed(project.values(node, function))


def _callees(project: Project, call: ast.Call, function: str) -> set[str]:
    """The functions of the tree that a call runs, and those that they call."""
    found, todo = set[str](), [(call.func, function)]
    for level in range(MAX_LEVELS):
        new = {f for func, home in todo for f in _runs(project, func, home)} - found
        found |= new
        todo = [(inner.func, f) for f in sorted(new) for inner in project.resolver.body(f).calls]
        if len(found) > MAX_PARTS or level + 1 == MAX_LEVELS:
            break
    return found


def _runs(project: Project, func: ast.expr, function: str) -> Iterator[str]:
    for value in ordered(project.values(func, function)):
        callee = value.function if isinstance(value, (Bound, FunctionRef)) else _forward(project, value)
        if callee and not is_stub(callee) and not callee.startswith("<"):
            yield callee


def _forward(project: Project, value: object) -> str | None:
    """What runs when an object of the tree is called."""
    if not isinstance(value, Instance):
        return None
    return project.resolver.classes.find(value.cls, "forward") or project.resolver.classes.find(
        value.cls, "__call__"
    )


# -- how much it matters -----------------------------------------------------------------------------------


def optimizer_names(project: Project, found: Accumulated) -> set[str] | None:
    """The last names of what may have made the optimizer; None where one does not show."""
    if found.step.optimizer is None:
        return None
    names = set()
    for origin in Origins(project).of(found.step.optimizer, found.function):
        made = (
            project.names(origin.expr.func, origin.function) if isinstance(origin.expr, ast.Call) else set()
        )
        if not made:
            return None
        names |= {name.rpartition(".")[2] for name in made}
    return names
