"""The names that a dataclass of the tree and its bases declare: fields, methods, what their code stores into
the object. Must-analysis: None where an object may have more."""

from __future__ import annotations

import ast

from mmcodemod.facts.definitions import last_name
from mmcodemod.facts.syntax import walk
from mmcodemod.project.model import Project
from mmcodemod.project.sole_definitions import Definitions, Sole

MAX_BASES = 8
_DATACLASS = "dataclasses.dataclass"
_HOOKS = frozenset(("__getattr__", "__getattribute__", "__new__", "__class_getitem__"))
_OPENS = frozenset(
    ("setattr", "__setattr__", "vars", "exec", "eval", "locals", "globals", "__dict__", "__class__")
)
_READS = frozenset(
    (
        "asdict",
        "astuple",
        "fields",
        "str",
        "repr",
        "print",
        "getattr",
        "hasattr",
        "isinstance",
        "type",
        "super",
    )
)
"""Functions that put nothing into the object that they are handed."""
_DEFINES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def declared_names(
    project: Project, definitions: Definitions, found: Sole | None, depth: int = 0
) -> frozenset[str] | None:
    """Those of a class of the tree, which is a dataclass or a plain base of one."""
    node = found.node if found is not None else None
    if found is None or not isinstance(node, ast.ClassDef) or node.keywords or depth > MAX_BASES:
        return None
    decorators = [project.names(_called(d), f"{found.path}::<module>") for d in node.decorator_list]
    if any(names != {_DATACLASS} for names in decorators) or not (decorators or depth) or _is_open(node):
        return None
    bases = [definitions.of(base, found.path) for base in node.bases]
    inherited = [declared_names(project, definitions, base, depth + 1) for base in bases]
    own = frozenset(name for n in walk(node) for name in _said(n))
    return own.union(*inherited) if all(i is not None for i in inherited) else None  # type: ignore[arg-type]


def _called(decorator: ast.expr) -> ast.expr:
    return decorator.func if isinstance(decorator, ast.Call) else decorator


def _said(node: ast.AST) -> list[str]:
    """The names that a node of the class binds or stores; a text may be one, too."""
    if isinstance(node, _DEFINES):
        return [node.name]
    if isinstance(node, ast.alias):
        return [node.asname or node.name]
    if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
        return [node.attr]
    if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        return [node.id]
    return [node.value] if isinstance(node, ast.Constant) and isinstance(node.value, str) else []


def _is_open(node: ast.ClassDef) -> bool:
    """May its code give an object names that do not show, or hand it to code that does?"""
    holder = {id(inner): outer for outer in walk(node) for inner in ast.iter_child_nodes(outer)}
    for inner in walk(node):
        if isinstance(inner, _DEFINES) and inner.name in _HOOKS:
            return True
        if isinstance(inner, (ast.Name, ast.Attribute)) and last_name(inner) in _OPENS:
            return True
        if isinstance(inner, ast.Name) and inner.id in ("self", "cls"):
            if not _only_reads(holder[id(inner)], inner):
                return True
    return False


def _only_reads(holder: ast.AST, name: ast.Name) -> bool:
    """Is it asked for an attribute, called, or handed to what only reads it?"""
    if isinstance(holder, ast.Call):
        return holder.func is name or last_name(holder.func) in _READS
    return isinstance(holder, (ast.Attribute, ast.Return, ast.FormattedValue, ast.Compare))
