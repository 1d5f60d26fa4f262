"""Models that run their encoder on a stand-in when the batch has no modality. May-analysis on one function:
under a test that the modality is absent, a stand-in is made and handed to a call."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.facts.body import own_nodes
from mmcodemod.facts.python import FunctionFacts
from mmcodemod.facts.syntax import walk
from mmcodemod.model.place import Place
from mmcodemod.project.branches import all_modality_tests
from mmcodemod.project.collate import is_collator, is_stand_in
from mmcodemod.project.inference import inference_only
from mmcodemod.project.model import Project

NOT_MODELS = ("__getitem__", "__init__")


def model_stand_ins(project: Project) -> list[Place]:
    """The calls of encoders on stand-ins in the tree, inference left out. For `project.get`."""
    found = []
    for function, tests in project.get(all_modality_tests).items():
        facts = project.index.function(function)
        if facts.name in NOT_MODELS or is_collator(facts) or inference_only(project, facts) is not None:
            continue
        for test in tests:
            call = _stand_in_call(test) if isinstance(test, ast.If) else None
            call = call or _filled_call(facts, test)
            if call is not None:
                found.append(project.place(facts.path, call))
    return found


def stand_in_of(facts: FunctionFacts, tests: list[ast.If]) -> ast.Call | None:
    """The call in one function that runs on a stand-in, if there is one."""
    return next((call for test in tests if (call := _stand_in_call(test))), None)


def _filled_call(facts: FunctionFacts, test: ast.If | ast.IfExp) -> ast.Call | None:
    """The call of the model that runs, under no test, on what a stand-in takes the place of: `pixels = zeros
    if images is None else images`."""
    names = set(_filled(facts, test))
    later = [s for s in facts.node.body if s.lineno > (test.end_lineno or 0)] if names else []
    for statement in (s for s in later if isinstance(s, (ast.Assign, ast.AugAssign, ast.Expr, ast.Return))):
        for node in own_nodes(statement):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and _runs(node.func):
                if any(isinstance(a, ast.Name) and a.id in names for a in node.args):
                    return node
    return None


def _filled(facts: FunctionFacts, test: ast.If | ast.IfExp) -> Iterator[str]:
    """Names that are a stand-in where the modality is absent, and else what the batch has."""
    for statement in facts.node.body:
        if statement is test and isinstance(test, ast.If):
            yield from (n for s in test.body for n in _made(s) if not test.orelse and _asks(test.test, n))
        elif isinstance(statement, ast.Assign) and statement.value is test and isinstance(test, ast.IfExp):
            if is_stand_in(test.body) or is_stand_in(test.orelse) or _is_made(facts, test):
                yield from (t.id for t in statement.targets if isinstance(t, ast.Name))


def _asks(test: ast.expr, name: str) -> bool:
    return name in {n.id for n in walk(test) if isinstance(n, ast.Name)} or isinstance(test, ast.Name)


def _is_made(facts: FunctionFacts, choice: ast.IfExp) -> bool:
    """Is one of two names that are chosen from made as a stand-in before?"""
    names = {n.id for n in (choice.body, choice.orelse) if isinstance(n, ast.Name)}
    return any(name in names for s in facts.node.body if s.lineno < choice.lineno for name in _made(s))


def _stand_in_call(test: ast.If) -> ast.Call | None:
    for body in (test.body, test.orelse):
        names = {n for s in body for n in _made(s)}
        for statement in body:
            for node in own_nodes(statement):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                    if any(_reads(a, names) for a in (*node.args, *(k.value for k in node.keywords))):
                        if _runs(node.func):
                            return node
    return None


def _made(statement: ast.stmt) -> list[str]:
    """Names that a statement sets to a stand-in."""
    if not isinstance(statement, ast.Assign) or not is_stand_in(statement.value):
        return []
    return [n.id for t in statement.targets for n in walk(t) if isinstance(n, ast.Name)]


def _reads(expr: ast.expr, names: set[str]) -> bool:
    return any(isinstance(n, ast.Name) and n.id in names for n in walk(expr))


def _runs(func: ast.Attribute) -> bool:
    """Is it a call on an object of the model, not one on a tensor?"""
    root: ast.expr = func
    while isinstance(root, (ast.Attribute, ast.Call)):
        root = root.value if isinstance(root, ast.Attribute) else root.func
    return isinstance(root, ast.Name) and root.id in ("self", "model", "module")
