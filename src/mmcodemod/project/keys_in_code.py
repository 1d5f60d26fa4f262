"""Keys that code of a run writes or removes: of configurations, or of the environment. May-analysis."""

from __future__ import annotations

import ast

from mmcodemod.facts.body import own_nodes
from mmcodemod.model.context import Entry
from mmcodemod.model.place import Place
from mmcodemod.project.model import Project


def set_in_code(project: Project, entry: Entry | None, *keys: str) -> Place | None:
    """Where code that a run reaches writes or removes one of the keys: `x[KEY] = ...`, `del x[KEY]`,
    `x.pop(KEY)`, `x.setdefault(KEY, ...)`, `x.update(KEY=...)`, `dict(KEY=...)`. Without an entry, any code
    of the tree."""
    found = [
        project.place(facts.path, node)
        for facts in project.mentioning(*keys)
        if entry is None or facts.id in project.reach(entry)
        for node in own_nodes(facts.node)
        if _changes(node, keys)
    ]
    return min(found, default=None)


def _changes(node: ast.AST, keys: tuple[str, ...]) -> bool:
    if isinstance(node, ast.Assign | ast.Delete):
        return any(isinstance(t, ast.Subscript) and _is_key(t.slice, keys) for t in node.targets)
    if not isinstance(node, ast.Call):
        return False
    match node.func:
        case ast.Attribute(attr="pop" | "setdefault"):
            return bool(node.args) and _is_key(node.args[0], keys)
        case ast.Attribute(attr="update") | ast.Name(id="dict"):
            return any(k.arg in keys for k in node.keywords) or any(_holds(a, keys) for a in node.args)
    return False


def _holds(node: ast.expr, keys: tuple[str, ...]) -> bool:
    return isinstance(node, ast.Dict) and any(k is not None and _is_key(k, keys) for k in node.keys)


def _is_key(node: ast.expr, keys: tuple[str, ...]) -> bool:
    return isinstance(node, ast.Constant) and node.value in keys
