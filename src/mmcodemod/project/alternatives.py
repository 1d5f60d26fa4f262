"""Functions of which one caller runs one: it calls them on different sides of its tests, or through a name
that its tests, or those of a function that it asks, give one of them. And which of them a run may choose."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from itertools import product

from mmcodemod.facts.syntax import unparse, walk
from mmcodemod.model.context import Context
from mmcodemod.model.finding import Note
from mmcodemod.model.verdict import Answer, Excluded, Fatal, Unclear, easiest
from mmcodemod.project.callgraph import Edge
from mmcodemod.project.chosen import Chosen
from mmcodemod.project.flow import flow_of
from mmcodemod.project.model import Project
from mmcodemod.project.stubs import is_stub
from mmcodemod.project.values import Bound, FunctionRef

MAX_DEPTH = 3
_SAME = (ast.Eq, ast.NotEq, ast.In, ast.NotIn, ast.Is, ast.IsNot)
_PARTS = ("startswith", "endswith")

Sides = list[dict[int, bool]]
"""For each place that leads to a function: the tests around it, by the id of the `if`, with the outcome."""


def alternatives(project: Project, functions: Iterable[str]) -> list[list[str]]:
    """The functions in groups of which one caller runs one at a time; the others alone. Order is kept."""
    groups: list[list[str]] = []
    for function in functions:
        group = next((g for g in groups if all(_apart(project, function, f) for f in g)), None)
        if group is None:
            groups.append([function])
        else:
            group.append(function)
    return groups


def _apart(project: Project, one: str, other: str) -> bool:
    """Does some caller choose between the two, or between those that alone call them?"""
    return any(_parted(project, a, b) for a, b in product(_upwards(project, one), _upwards(project, other)))


def _upwards(project: Project, function: str) -> list[str]:
    """The function, its only caller, the only caller of that."""
    found = [function]
    while len(found) < MAX_DEPTH:
        callers = {e.caller.function for e in project.callers(found[-1]) if e.site is not None}
        if len(callers) != 1 or is_stub(caller := callers.pop()) or caller in found:
            break
        found.append(caller)
    return found


def _parted(project: Project, one: str, other: str) -> bool:
    shared = {e.caller.function for e in _edges(project, one)}
    shared &= {e.caller.function for e in _edges(project, other)}
    return any(_chooses(_sides(project, c, one), _sides(project, c, other)) for c in sorted(shared))


def _chooses(one: Sides, other: Sides) -> bool:
    pairs = [(a, b) for a in one for b in other]
    return bool(pairs) and all(
        any(b.get(test, side) is not side for test, side in a.items()) for a, b in pairs
    )


def _sides(project: Project, caller: str, function: str) -> Sides:
    edges = [e for e in _edges(project, function) if e.caller.function == caller]
    return [
        {id(t): side for t, side in flow_of(project, where).tests(place)}
        for e in edges
        for where, place in _places(project, e)
    ]


def _edges(project: Project, function: str) -> list[Edge]:
    return [e for e in project.callers(function) if e.site is not None and not is_stub(e.caller.function)]


def _places(project: Project, edge: Edge) -> list[tuple[str, ast.expr]]:
    """The call and its function; where it calls a local name, or what another function returns, the places
    that give it the function."""
    func, caller, callee = edge.call.func, edge.caller.function, edge.callee.function
    if not isinstance(func, (ast.Name, ast.Call)):
        return [(caller, edge.call)]
    return list(dict.fromkeys(_given(project, func, caller, callee, 0))) or [(caller, edge.call)]


def _given(
    project: Project, expr: ast.expr, function: str, callee: str, depth: int
) -> Iterator[tuple[str, ast.expr]]:
    """Where `expr` in `function` is given the function `callee`; nothing for another expression."""
    for where, source in _sources(project, expr, function) if depth <= MAX_DEPTH else ():
        if _means(project, source, where, callee):
            yield from list(_given(project, source, where, callee, depth + 1)) or [(where, source)]


def _sources(project: Project, expr: ast.expr, function: str) -> list[tuple[str, ast.expr]]:
    """What a local name holds, and what the functions return that a call means."""
    if isinstance(expr, ast.Name):
        return [(function, s.expr) for s in project.resolver.body(function).names.get(expr.id, ())]
    if not isinstance(expr, ast.Call):
        return []
    called = project.values(expr.func, function)
    makers = sorted({v.function for v in called if isinstance(v, (FunctionRef, Bound))})
    return [(m, e) for m in makers if not is_stub(m) for e in project.resolver.body(m).returns]


def _means(project: Project, expr: ast.expr, caller: str, callee: str) -> bool:
    return any(isinstance(v, FunctionRef) and v.function == callee for v in project.values(expr, caller))


def chosen(project: Project, context: Context, function: str, depth: int = 0) -> Answer:
    """Does a run get to a function? Excluded by the test that keeps it out of every way, fatal when all tests
    around one call let it in, unclear when one of them stays open, and not plausible when that asks for a
    name which nothing gives."""
    if context.entry is None or depth > MAX_DEPTH:
        return Fatal()
    reach = project.reach(context.entry)
    calls = [e for e in project.callers(function) if e.caller.function in reach]
    return easiest((_by(project, context, edge, depth) for edge in calls), _rank)


def named_around(project: Project, context: Context, function: str, node: ast.AST) -> Answer:
    """Does a run come to `node` in its function, as far as the tests there ask for certain names? Other tests
    are not looked at."""
    return _here(project, context, function, node, only_named=True)


def _rank(answer: Answer) -> int:
    if isinstance(answer, Unclear):
        return 1 if answer.plausible else 2
    return 3 if isinstance(answer, Excluded) else 0


def _by(project: Project, context: Context, edge: Edge, depth: int) -> Answer:
    """By one call, in a function that the run must get to, too."""
    caller = edge.caller.function
    if edge.site is None or is_stub(caller):
        return Fatal()
    here = min((_here(project, context, *place) for place in _places(project, edge)), key=_rank)
    above = here if isinstance(here, Excluded) else chosen(project, context, caller, depth + 1)
    return above if _rank(above) > 1 else here


def _truths(project: Project, context: Context, test: ast.expr, function: str) -> frozenset[bool]:
    """The outcomes that a test may have in a run: several functions and rules ask for the same ones."""
    return project.judging.once(
        context, test, "chosen", lambda run: Chosen(project, run).truths(test, function)
    )


def _here(
    project: Project, context: Context, function: str, place: ast.AST, only_named: bool = False
) -> Answer:
    """What the tests around a place say, or those that ask for certain names."""
    answer: Answer = Fatal()
    for asked, outcome in flow_of(project, function).tests(place):
        if only_named and not (_named(asked.test) and _names_one(asked.test)):
            continue
        truths = _truths(project, context, asked.test, function)
        if outcome not in truths:
            at = project.place(function.partition("::")[0], asked.test)
            does = "false" if outcome else "true"
            return Excluded(
                Note(at, f"the launched runs do not come here: `{unparse(asked.test)}` is {does}")
            )
        if truths != {outcome}:
            fact = f"whether `{unparse(asked.test)}` is {'true' if outcome else 'false'}"
            named = _named(asked.test)
            if named or not (isinstance(answer, Unclear) and not answer.plausible):
                answer = Unclear(fact, plausible=not named)
    return answer


def _named(test: ast.expr) -> bool:
    """Does a test ask for certain names, of which a run is given one: `style == Style.PAIRS`, `version in
    ["a", "b"]`, `version.startswith("v1")`?"""
    parts = [test, *walk(test)] if isinstance(test, (ast.BoolOp, ast.UnaryOp)) else [test]
    return any(_asks_name(part) for part in parts)


def _names_one(test: ast.expr) -> bool:
    """Is all that a test compares with written out or a constant by its name, and nothing less or more?"""
    compared = [part for part in walk(test) if isinstance(part, ast.Compare)]
    fields = [c.attr for part in compared for c in part.comparators if isinstance(c, ast.Attribute)]
    return all(isinstance(op, _SAME) for part in compared for op in part.ops) and all(
        map(str.isupper, fields)
    )


def _asks_name(test: ast.AST) -> bool:
    if isinstance(test, ast.Call) and isinstance(test.func, ast.Attribute) and test.func.attr in _PARTS:
        held, asked = test.func.value, test.args[:1]
    elif isinstance(test, ast.Compare) and len(test.ops) == 1:
        held, asked = test.left, test.comparators
    else:
        return False
    names = [e for a in asked for e in (a.elts if isinstance(a, (ast.List, ast.Tuple, ast.Set)) else [a])]
    return isinstance(held, (ast.Name, ast.Attribute)) and bool(names) and all(map(_is_name, names))


def _is_name(expr: ast.expr) -> bool:
    """A text, or a member of an enumeration."""
    text = isinstance(expr, ast.Constant) and isinstance(expr.value, str)
    return text or isinstance(expr, ast.Attribute)
