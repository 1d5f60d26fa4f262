"""Does a run get to a place step by step: by the calls that lead to a node, then by that node to the next?
As `let_in`; besides, a test is no doubt whose other side leads there as well, or that asks for a parameter
that nothing gives, or for a configuration around what builds it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence

from mmcodemod.facts.syntax import unparse
from mmcodemod.model.context import Context, Entry
from mmcodemod.model.grade import How
from mmcodemod.model.verdict import Answer, Excluded, Fatal, Unclear, easiest
from mmcodemod.project.answers import both, doubted
from mmcodemod.project.comes_by import MAX_DEPTH, Tests, leading_to
from mmcodemod.project.either_way import either_way
from mmcodemod.project.flow import flow_of, holds, inline_tests
from mmcodemod.project.let_in import let_by, no_doubt
from mmcodemod.project.model import Project

CAUGHT = "whether an exception leads there"
_BUILD = "build"  # of a registry, from a configuration

Calls = Mapping[str, Sequence[ast.Call]]
"""By function: its calls that lead to a place, also over several functions."""


def come_through(
    project: Project,
    context: Context,
    steps: Sequence[tuple[str, ast.AST]],
    settled: Tests = frozenset(),
) -> Answer:
    """`steps`: functions, each with the node by which the run gets to the next. `settled`: tests that are no
    doubt."""
    entry = context.entry
    calls = _leading(project, entry, steps[0][0]) if entry else {}
    answer = _comes(project, context, *steps[0], calls, settled, 0)
    for function, node in steps[1:]:
        answer = both(answer, _here(project, context, function, node, {}, settled))
    return answer


def _leading(project: Project, entry: Entry, function: str) -> Calls:
    found: dict[str, list[ast.Call]] = {}
    todo, seen = [function], {function}
    for _ in range(MAX_DEPTH):
        edges = [edge for target in todo for edge in leading_to(project, entry, target)]
        for edge in edges:
            found.setdefault(edge.caller.function, []).append(edge.call)
        todo = [f for f in dict.fromkeys(e.caller.function for e in edges) if f not in seen]
        seen.update(todo)
    return found


def configured_call(project: Project, function: str) -> bool:
    """Does a configuration in Python, a module of the tree, name a function, or one that leads to it?"""
    todo, seen = [function], {function}
    for _ in range(MAX_DEPTH):
        edges = [edge for target in todo for edge in project.callers(target)]
        if any(e.how is How.REGISTRY and e.caller.function.endswith("::<module>") for e in edges):
            return True
        todo = [f for f in dict.fromkeys(e.caller.function for e in edges) if f not in seen]
        seen.update(todo)
    return False


def _comes(
    project: Project,
    context: Context,
    function: str,
    node: ast.AST,
    calls: Calls,
    settled: Tests,
    depth: int,
) -> Answer:
    """The easiest way to a node, over the calls of its function."""
    here = _here(project, context, function, node, calls, settled)
    if isinstance(here, Excluded) or depth == MAX_DEPTH or context.entry is None:
        return here
    edges = leading_to(project, context.entry, function)
    ways = (_comes(project, context, e.caller.function, e.call, calls, settled, depth + 1) for e in edges)
    return both(here, easiest(ways))


def _here(
    project: Project, context: Context, function: str, node: ast.AST, calls: Calls, settled: Tests
) -> Answer:
    others = [call for call in calls.get(function, ()) if call is not node]
    either = either_way(project, context, function, node, others, lambda *_: True) if others else frozenset()
    known = settled | either | frozenset(_known(project, function, node))
    answer = both(let_by(project, context, function, node, known), _inline(project, context, function, node))
    return doubted(answer, CAUGHT, plausible=False) if _in_handler(project, function, node) else answer


def _in_handler(project: Project, function: str, node: ast.AST) -> bool:
    """Only an exception leads there, as where no cache is found."""
    tries = (a for a in flow_of(project, function).around(node) if isinstance(a, ast.Try))
    return any(holds(handler, node) for a in tries for handler in a.handlers)


def _inline(project: Project, context: Context, function: str, node: ast.AST) -> Answer:
    """What the tests of the statement itself say: `f() if flag else None`, `flag and f()`."""
    for test, outcome in inline_tests(flow_of(project, function).statement_of(node), node):
        if not no_doubt(project, context, function, test, outcome):
            return Unclear(f"whether `{unparse(test)}` is {str(outcome).lower()}", plausible=False)
    return Fatal()


def _known(project: Project, function: str, node: ast.AST) -> Iterator[tuple[ast.If, bool]]:
    for asked, outcome in flow_of(project, function).tests(node):
        if (not outcome and _not_given(project, function, asked.test)) or (
            outcome and _built(asked.test, node)
        ):
            yield asked, outcome


def _not_given(project: Project, function: str, test: ast.expr) -> bool:
    """`path is not None`, of a parameter that is None by default and that no other code names."""
    left = test.left if isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.IsNot) else test
    facts = project.index.function(function)
    if not isinstance(left, ast.Name) or left.id not in facts.parameters.names:
        return False
    saying = [f for f in project.mentioning(left.id) if f.path != facts.path or not f.is_module]
    others = [f for f in saying if f.id != function and left.id.encode() in project.source(f)]
    return _none_by_default(facts.node, left.id) and not others


def _none_by_default(node: ast.AST, name: str) -> bool:
    given = getattr(node, "args", None)
    if not isinstance(given, ast.arguments):
        return False
    plain = [*given.posonlyargs, *given.args]
    pairs = [*zip(plain[::-1], given.defaults[::-1]), *zip(given.kwonlyargs, given.kw_defaults)]
    return any(a.arg == name and isinstance(d, ast.Constant) and d.value is None for a, d in pairs)


def _built(test: ast.expr, node: ast.AST) -> bool:
    """`isinstance(config, dict)` before `REGISTRY.build(config)`, which makes what that names."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or not node.args:
        return False
    parts = test.values if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.Or) else [test]
    kinds = [p for p in parts if isinstance(p, ast.Call) and getattr(p.func, "id", "") == "isinstance"]
    same = all(unparse(k.args[0]) == unparse(node.args[0]) for k in kinds)
    return node.func.attr == _BUILD and len(kinds) == len(parts) and same
