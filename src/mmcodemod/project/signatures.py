"""What a function's signature and decorators say."""

from __future__ import annotations

import ast

from mmcodemod.facts.python import FunctionFacts


def parameters(facts: FunctionFacts) -> set[str]:
    """The names of all parameters."""
    node = facts.node
    if isinstance(node, ast.Module):
        return set()
    args = node.args
    names = {a.arg for a in (*args.posonlyargs, *args.args, *args.kwonlyargs)}
    return names | {a.arg for a in (args.vararg, args.kwarg) if a is not None}


def first_parameter(node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    """The name of the first positional parameter, "" when there is none."""
    args = (*node.args.posonlyargs, *node.args.args)
    return args[0].arg if args else ""


def decorators(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> set[str]:
    """The names of the decorators of a function or class, without their modules."""
    found = set()
    for decorator in node.decorator_list:
        target = decorator.func if isinstance(decorator, ast.Call) else decorator
        if isinstance(target, ast.Attribute):
            found.add(target.attr)
        elif isinstance(target, ast.Name):
            found.add(target.id)
    return found


def is_static(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Is it a static method?"""
    return "staticmethod" in decorators(node)


def is_classmethod(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Is it a class method?"""
    return "classmethod" in decorators(node)


def is_property(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Is it read like an attribute?"""
    return bool(decorators(node) & {"property", "cached_property"})
