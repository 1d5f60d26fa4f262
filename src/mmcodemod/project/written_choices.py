"""The `choices` of an option: written out, or the keys of a table of the same file that nothing changes.
Must-analysis: none where they do not show."""

from __future__ import annotations

import ast

from mmcodemod.project.holders import Parents, around
from mmcodemod.project.model import Project

_COPIES = ("list", "sorted", "tuple", "set")
_READS = (*_COPIES, "len", "print", "max", "min", "isinstance", "enumerate", "str")
_METHODS = ("keys", "values", "items", "get", "index", "count", "copy")


def written_choices(project: Project, path: str, node: ast.expr | None) -> list[object]:
    """Those that `node`, in a file, comes to."""
    match node:
        case ast.Call(func=ast.Name(id=copies), args=[inner], keywords=[]) if copies in _COPIES:
            return written_choices(project, path, inner)
        case ast.Call(func=ast.Attribute(value=inner, attr="keys"), args=[]):
            return written_choices(project, path, inner)
        case ast.Name(id=name):
            return _shown(_table(project, path, name))
    return _shown(node)


def _shown(node: ast.expr | None) -> list[object]:
    parts = getattr(node, "keys" if isinstance(node, ast.Dict) else "elts", [])
    return [p.value for p in parts] if all(isinstance(p, ast.Constant) for p in parts) else []


def _table(project: Project, path: str, name: str) -> ast.expr | None:
    """What a name of the module holds, that is given it once and changed nowhere."""
    tree = project.index.files[path].tree
    made = [s for s in tree.body if isinstance(s, ast.Assign) and _names(s) == [name]]
    if len(made) != 1 or any(facts.path != path for facts in project.mentioning(name)):
        return None
    parents = around(tree)
    if any(isinstance(n, ast.arg) and n.arg == name for n in parents):
        return None
    others = [n for n in parents if isinstance(n, ast.Name) and n.id == name and n is not made[0].targets[0]]
    return made[0].value if all(_is_read(n, parents) for n in others) else None


def _names(statement: ast.Assign) -> list[str]:
    return [target.id if isinstance(target, ast.Name) else "" for target in statement.targets]


def _is_read(name: ast.Name, parents: Parents) -> bool:
    """Does the code only look into it there?"""
    if not isinstance(name.ctx, ast.Load):
        return False
    match parents.get(name):
        case ast.Subscript(value=held, ctx=ast.Load()) if held is name:
            return True
        case ast.Call(func=ast.Name(id=called)):
            return called in _READS
        case ast.Attribute(attr=method):
            return method in _METHODS
        case (
            ast.keyword(arg="choices")
            | ast.Compare()
            | ast.For()
            | ast.comprehension()
            | ast.FormattedValue()
        ):
            return True
    return False
