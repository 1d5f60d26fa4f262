"""Changes of parameters inside a `GatheredParameters`, which are lost at its end when no `modifier_rank` says
whose values count. May-analysis: changes by code of the tree that is called inside count, two calls deep."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import replace

from mmcodemod.facts.body import Via, own_nodes
from mmcodemod.facts.python import FunctionFacts
from mmcodemod.facts.syntax import walk
from mmcodemod.model.frozen import frozen
from mmcodemod.project.arguments import argument
from mmcodemod.project.bound_before import with_bound
from mmcodemod.project.callgraph import Edge
from mmcodemod.project.gathered import GATHER, Held, Roots, Spelling, gather_calls
from mmcodemod.project.model import Project
from mmcodemod.project.stubs import is_stub
from mmcodemod.project.values import ClassRef

IN_INIT = "torch.nn.init."
NO_WRITES = ("requires_grad_", "share_memory_", "detach_", "rename_", "retain_grad_")
LOADS = ("load_state_dict", "_load_from_state_dict", "reset_parameters")
_CONVERTS = (
    "to",
    "cpu",
    "cuda",
    "half",
    "float",
    "bfloat16",
    "double",
    "contiguous",
    "clone",
    "detach",
    "type",
)
_SAVES = ("state_dict", "save_pretrained", "save", "save_file", "save_model")
MAX_DEPTH = 2


@frozen()
class Write:
    """`node` changes what `of` names in place; `function` is where it stands."""

    node: ast.AST
    of: ast.expr
    function: str


@frozen()
class Gather:
    """`call` gathers `given` around `block`; `writes` are the changes inside; `whose` is the `modifier_rank`,
    None where there is none; `used` where the changed values are read before the gather ends; `filtered` when
    code may leave parameters out."""

    function: str
    call: ast.Call
    block: ast.With
    writes: tuple[Write, ...]
    used: ast.AST | None
    whose: ast.expr | None
    given: ast.expr
    filtered: bool


def writing_gathers(project: Project) -> list[Gather]:
    """The gathers of the tree inside which gathered parameters are changed, in source order. Use through
    `project.get(writing_gathers)`."""
    return [
        found
        for facts in project.mentioning(GATHER)
        if not is_stub(facts.id)
        for call in gather_calls(project, facts)
        for found in _gathers(project, facts, call)
    ]


def _gathers(project: Project, facts: FunctionFacts, call: ast.Call) -> Iterator[Gather]:
    full = with_bound(project, call, facts.id)
    given = full.args[0] if full.args else _keyword(full, "params")
    if given is None or _is_open(full) or _is_own(project, call, facts):
        return
    plain = Spelling(project, facts.id)
    spelling = replace(plain, roots=frozenset(plain.held(given)))
    whose = _whose(call) or (call.func if _whose(full) else None)
    for block in _entered(project, facts, call):
        writes = tuple(_writes(spelling, block.body, 0))
        if writes:
            used = _used(spelling, block, writes)
            yield Gather(facts.id, call, block, writes, used, whose, given, _filters(plain, given))


def _is_open(call: ast.Call) -> bool:
    """May it be given what does not show, or is it switched off?"""
    off = _keyword(call, "enabled")
    spread = any(isinstance(a, ast.Starred) for a in call.args) or any(k.arg is None for k in call.keywords)
    return spread or (isinstance(off, ast.Constant) and not off.value)


def _is_own(project: Project, call: ast.Call, facts: FunctionFacts) -> bool:
    """Is it a class of the tree, which may say by itself whose values count?"""
    values = project.values(call.func, facts.id)
    return any(isinstance(v, ClassRef) and not is_stub(v.cls) for v in values)


def _filters(spelling: Spelling, expr: ast.expr, steps: int = 0) -> bool:
    """Does a condition, or a function of the tree, choose what is gathered?"""
    for node in walk(expr):
        if isinstance(node, ast.comprehension) and node.ifs:
            return True
        if isinstance(node, ast.Call) and _callees(spelling, node):
            return True
        if isinstance(node, ast.Name) and steps < MAX_DEPTH:
            made = [s for s in spelling.sources(node.id) if s.via is Via.VALUE and s.expr is not expr]
            if any(_filters(spelling, source.expr, steps + 1) for source in made):
                return True
    return False


def _whose(call: ast.Call) -> ast.expr | None:
    found = call.args[1] if len(call.args) > 1 else _keyword(call, "modifier_rank")
    return None if isinstance(found, ast.Constant) and found.value is None else found


def _keyword(call: ast.Call, name: str) -> ast.expr | None:
    return next((k.value for k in call.keywords if k.arg == name), None)


def _entered(project: Project, facts: FunctionFacts, call: ast.Call) -> Iterator[ast.With]:
    """The `with` blocks of the function that enter a gather: itself, or through a variable."""
    for node in own_nodes(facts.node):
        if isinstance(node, ast.With):
            exprs = [e for item in node.items for e in _managers(project, facts.id, item.context_expr)]
            if any(n is call for expr in exprs for n in _arms(expr)):
                yield node


def _managers(project: Project, function: str, expr: ast.expr) -> list[ast.expr]:
    if not isinstance(expr, ast.Name):
        return [expr]
    return [source.expr for source in project.resolver.body(function).names.get(expr.id, ())]


def _arms(expr: ast.expr) -> list[ast.expr]:
    return [expr.body, expr.orelse] if isinstance(expr, ast.IfExp) else [expr]


# -- what changes a parameter ---------------------------------------------------------------------------


def _writes(spelling: Spelling, body: Sequence[ast.stmt], depth: int) -> Iterator[Write]:
    nodes = [n for statement in body for n in own_nodes(statement)]
    for node in sorted((n for n in nodes if isinstance(n, (ast.stmt, ast.expr))), key=_start):
        changed = _changed(spelling, node)
        if changed is not None:
            yield Write(node, changed, spelling.function)
        elif isinstance(node, ast.Call) and depth < MAX_DEPTH:
            yield from _through(spelling, node, depth)


def _start(node: ast.stmt | ast.expr) -> tuple[int, int]:
    return node.lineno, node.col_offset


def _changed(spelling: Spelling, node: ast.AST) -> ast.expr | None:
    """The gathered parameter that a statement or a call changes."""
    if isinstance(node, ast.Assign):
        found = [t for t in node.targets if _assigned(spelling, t, node.value)]
        return found[0] if found else None
    if isinstance(node, ast.AugAssign):
        return node.target if _tensor(spelling, node.target) else None
    return changed_by(spelling, node) if isinstance(node, ast.Call) else None


def _assigned(spelling: Spelling, target: ast.expr, value: ast.expr) -> bool:
    """`p[...] = value`, or `p.data = value` where that is no mere conversion of `p`."""
    if isinstance(target, ast.Subscript):
        return spelling.gathered(target.value)
    if isinstance(target, ast.Attribute) and target.attr == "data":
        return spelling.gathered(target.value) and not _converts(spelling, value, target)
    return False


def _converts(spelling: Spelling, value: ast.expr, target: ast.expr) -> bool:
    while isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
        if value.func.attr not in _CONVERTS:
            return False
        value = value.func.value
    return spelling.of(value) == spelling.of(target)


def _tensor(spelling: Spelling, expr: ast.expr) -> bool:
    """Is it a gathered parameter, or a part of one?"""
    while not spelling.gathered(expr):
        if isinstance(expr, ast.Subscript) or (isinstance(expr, ast.Attribute) and expr.attr == "data"):
            expr = expr.value
        else:
            return False
    return True


def changed_by(spelling: Spelling, call: ast.Call) -> ast.expr | None:
    """The gathered parameter that a call of a library changes in place."""
    func = call.func
    names = spelling.project.names(func, spelling.function)
    if any(name.startswith(IN_INIT) and name.endswith("_") for name in names):
        return call.args[0] if call.args and _tensor(spelling, call.args[0]) else None
    if not isinstance(func, ast.Attribute):
        return None
    if func.attr.endswith("_") and not func.attr.startswith("_") and func.attr not in NO_WRITES:
        return func.value if _tensor(spelling, func.value) else None
    if func.attr in LOADS and spelling.module(func.value) and not _callees(spelling, call):
        return func.value
    return None


# -- through functions of the tree ----------------------------------------------------------------------


def _callees(spelling: Spelling, call: ast.Call) -> list[Edge]:
    edges = [
        edge
        for frame in spelling.project.frames(spelling.function)
        for edge in spelling.project.graph.edges.get(frame, ())
        if edge.site is not None and edge.site.span == _span(call)
    ]
    return [edge for edge in edges if not is_stub(edge.callee.function)]


def _span(call: ast.Call) -> tuple[int, int, int, int]:
    return call.lineno, call.col_offset, call.end_lineno or 0, call.end_col_offset or 0


def _through(spelling: Spelling, call: ast.Call, depth: int) -> Iterator[Write]:
    """What the one function of the tree that a call means changes."""
    functions = {edge.callee.function for edge in _callees(spelling, call)}
    if len(functions) != 1:
        return
    facts = spelling.project.index.function(functions.pop())
    roots = frozenset(_handed(spelling, call, facts))
    if roots and not any(getattr(n, "attr", "") == GATHER for n in own_nodes(facts.node)):
        inner = Spelling(spelling.project, facts.id, roots)
        if any(True for _ in _writes(inner, getattr(facts.node, "body", []), depth + 1)):
            changed = call.func.value if isinstance(call.func, ast.Attribute) else call.func
            yield Write(call, changed, spelling.function)


def _handed(spelling: Spelling, call: ast.Call, facts: FunctionFacts) -> Iterator[tuple[str, Held]]:
    """What the callee's names hold of what is gathered."""
    if facts.owner and isinstance(call.func, ast.Attribute):
        yield from _own(spelling, call.func.value, "self")
    for name in facts.parameters.names:
        passed = argument(call, facts, name)
        if passed is not None and spelling.gathered(passed):
            yield name, Held.PARAMETER
        elif passed is not None:
            yield from _own(spelling, passed, name)


def _own(spelling: Spelling, owner: ast.expr, name: str) -> Roots:
    """The gathered parameters of a module, by the name that the callee has for it."""
    spelled = spelling.of(owner)
    if not spelled:
        return frozenset()
    if spelling.module(owner):
        return frozenset({(name, Held.MODULE)})
    mine = (
        (root.removeprefix(spelled), held) for root, held in spelling.roots if root.startswith(f"{spelled}.")
    )
    return frozenset((name + rest, held) for rest, held in mine)


# -- changes that are meant for the time of the gather ----------------------------------------------------


def _used(spelling: Spelling, block: ast.With, writes: Sequence[Write]) -> ast.AST | None:
    """What reads the changed parameters before the gather ends: a save, or code that puts them back."""
    first = min(write.node.lineno for write in writes if isinstance(write.node, (ast.stmt, ast.expr)))
    for statement in block.body:
        for node in own_nodes(statement):
            if isinstance(node, ast.Call) and node.lineno >= first and _saves(node):
                return node
    return next((w.node for w in writes if _puts_back(spelling, w)), None)


def _saves(call: ast.Call) -> bool:
    word = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    return word in _SAVES


def _puts_back(spelling: Spelling, write: Write) -> bool:
    """Does it write what was kept of the same parameter?"""
    given = write.node.args if isinstance(write.node, ast.Call) else [getattr(write.node, "value", None)]
    for expr in given:
        if isinstance(expr, ast.Name):
            for source in spelling.sources(expr.id):
                if isinstance(source.expr, ast.Call) and _converts(spelling, source.expr, write.of):
                    return True
    return False
