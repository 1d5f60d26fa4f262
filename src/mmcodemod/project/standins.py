"""Models that run their encoder on a stand-in when the batch has no modality. May-analysis on one function:
under a test that the modality is absent, a stand-in is made and handed to a call."""

from __future__ import annotations

import ast

from mmcodemod.facts.body import own_nodes
from mmcodemod.facts.python import FunctionFacts
from mmcodemod.model.place import Place
from mmcodemod.project.branches import modality_functions
from mmcodemod.project.collate import is_collator, is_stand_in
from mmcodemod.project.inference import inference_only
from mmcodemod.project.model import Project

NOT_MODELS = ("__getitem__", "__init__")


def model_stand_ins(project: Project) -> list[Place]:
    """The calls of encoders on stand-ins in the tree, inference left out. For `project.get`."""
    found = []
    for facts, tests in modality_functions(project):
        if facts.name in NOT_MODELS or is_collator(facts) or inference_only(project, facts) is not None:
            continue
        for test in tests:
            call = _stand_in_call(test)
            if call is not None:
                found.append(project.place(facts.path, call))
    return found


def stand_in_of(facts: FunctionFacts, tests: list[ast.If]) -> ast.Call | None:
    """The call in one function that runs on a stand-in, if there is one."""
    return next((call for test in tests if (call := _stand_in_call(test))), None)


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
    return [n.id for t in statement.targets for n in ast.walk(t) if isinstance(n, ast.Name)]


def _reads(expr: ast.expr, names: set[str]) -> bool:
    return any(isinstance(n, ast.Name) and n.id in names for n in ast.walk(expr))


def _runs(func: ast.Attribute) -> bool:
    """Is it a call on an object of the model, not one on a tensor?"""
    root: ast.expr = func
    while isinstance(root, (ast.Attribute, ast.Call)):
        root = root.value if isinstance(root, ast.Attribute) else root.func
    return isinstance(root, ast.Name) and root.id in ("self", "model", "module")
