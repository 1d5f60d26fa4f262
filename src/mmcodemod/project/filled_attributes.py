"""Attributes that a loop over the entries of a table sets, and nothing sets by name: `setattr(self, k, v)` in
`for k, v in cfg.args.items()`. Must-analysis."""

from __future__ import annotations

import ast

from mmcodemod.facts.body import Via
from mmcodemod.facts.nodes import NodeSource
from mmcodemod.project.model import Project
from mmcodemod.project.origins import Origins
from mmcodemod.project.stubs import is_stub
from mmcodemod.project.values import Instance

_COPIES = ("to_container", "dict", "vars", "copy", "deepcopy")


def filled_from(project: Project, expr: ast.Attribute, function: str) -> str:
    """The name of the table whose entries are the attributes of an object: "args"; "" where that does not
    show, or the attribute may be set otherwise."""
    objects = project.values(expr.value, function)
    classes = sorted({v.cls for v in objects if isinstance(v, Instance)})
    if not classes or len(classes) < len(objects):
        return ""
    tables = {project.once(_of_class, cls, expr.attr) for cls in classes}
    return tables.pop() if len(tables) == 1 else ""


def _of_class(project: Project, cls: str, name: str) -> str:
    own = list(project.resolver.classes.own(cls))
    named = any(name in facts.fields or name in facts.defined.attributes for facts in own)
    if named or project.resolver.classes.find(cls, name) or any(_stored(project, cls, name)):
        return ""
    methods = {f"{c.path}::{m}" for c in own if not is_stub(c.path) for m in c.methods.values()}
    tables = {
        _table(project, method, call)
        for method in sorted(methods)
        for call in project.calls_of(method, ("setattr",))
    }
    return tables.pop() if len(tables) == 1 else ""


def _stored(project: Project, cls: str, name: str) -> list[object]:
    return list(project.resolver.attribute_sources(cls, name))


def _table(project: Project, method: str, call: ast.Call) -> str:
    """`args` of `setattr(self, k, v)` in a loop over `cfg.args.items()`."""
    match call.args:
        case [ast.Name("self"), ast.Name(key), ast.Name(value)]:
            names = project.resolver.body(method).names
            tables = [_items_of(names.get(name, ()), index) for index, name in enumerate((key, value))]
            same = tables[0] is not None and tables[0] is tables[1]
            return _named(project, tables[0], method) if same and tables[0] is not None else ""
    return ""


def _items_of(sources: tuple[NodeSource, ...], index: int) -> ast.expr | None:
    """`table` where a name is the key, or the value, of each of `table.items()` and nothing else."""
    for source in sources if len(sources) == 1 else ():
        match source.expr:
            case ast.Call(func=ast.Attribute(value=table, attr="items"), args=[]):
                return table if source.via is Via.ELEMENT and source.index == index else None
    return None


def _named(project: Project, table: ast.expr, method: str) -> str:
    """The last part of the dotted name that a table has where it comes from."""
    found = {_last(origin.expr) for origin in Origins(project).of(table, method)}
    return found.pop() if len(found) == 1 else ""


def _last(expr: ast.expr) -> str:
    match expr:
        case ast.Attribute(attr=name):
            return name
        case ast.Call(func=ast.Attribute(attr=called) | ast.Name(id=called), args=[inner, *_]):
            return _last(inner) if called in _COPIES else ""
    return ""
