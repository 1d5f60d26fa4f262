"""What a field of a dataclass holds that only code of the tree makes: `Config()` in a program without flags
of its own. Must-analysis: a class that code hands on (to a parser, say) may be filled with anything, and all
that makes it must give the field the same.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.facts.python import ClassFacts
from mmcodemod.model.frozen import frozen
from mmcodemod.model.pattern import regex
from mmcodemod.project.fields import attributes_set, default_of
from mmcodemod.project.holders import Parents, around
from mmcodemod.project.model import Project
from mmcodemod.project.stubs import is_stub
from mmcodemod.project.values import Instance, Values

_ASKS = ("isinstance", "issubclass", "is_dataclass", "fields")
_IN_PLACE = (  # each begins with what is rare, else a search takes as long as reading
    regex(r"__dict__(?:\.update|\[)"),
    regex(r"vars\([^()]*\)(?:\.update|\[)"),
    regex(r"setattr\((?<!\wsetattr\()(?!\s*self\b)"),
    regex(r"dataclasses\.replace\((?<!\wdataclasses\.replace\()"),
    regex(r"replace\((?<![.\w]replace\()"),
)
_CHOICES = (ast.Subscript, ast.BinOp, ast.Tuple)  # `Config | None` and `Optional[Config]`


@frozen()
class _Use:
    """A construction, with its call; None where a class is named as the default of a field."""

    call: ast.Call | None


def made_field(project: Project, objects: Values, name: str) -> tuple[ast.Constant, str] | None:
    """(constant, file) of what the field has in every object; None where it may hold anything else."""
    classes = {v.cls for v in objects if isinstance(v, Instance)}
    if len(classes) != 1 or len(objects) != 1 or is_stub(min(classes)):
        return None
    own = list(project.resolver.classes.own(min(classes)))
    holder = next((facts for facts in own if name in facts.fields), None)
    if holder is None or not all("dataclass" in facts.decorators for facts in own):
        return None
    if name in project.get(attributes_set) or project.get(_changed_in_place):
        return None
    uses = project.once(_uses, min(classes))
    found = [_given(use, name) or _default(holder, name) for use in uses or ()]
    if not found or any(_spreads(use) for use in uses or ()):
        return None
    alike = all(f is not None and found[0] is not None and ast.dump(f) == ast.dump(found[0]) for f in found)
    only = found[0] if alike else None
    return (only, holder.path) if isinstance(only, ast.Constant) else None


def _given(use: _Use, name: str) -> ast.expr | None:
    return next((k.value for k in use.call.keywords if k.arg == name), None) if use.call else None


def _spreads(use: _Use) -> bool:
    """May the call give it in a way that does not show?"""
    return use.call is not None and (bool(use.call.args) or any(k.arg is None for k in use.call.keywords))


def _default(holder: ClassFacts, name: str) -> ast.expr | None:
    said = holder.defined.attributes.get(name, [])
    return default_of(said[-1]) if said else None


def _changed_in_place(project: Project) -> bool:
    """Does any code set attributes by names that it works out? Use through `project.get`."""
    texts = map(project.index.text, project.index.python_files)
    return any(pattern.search(text) for text in texts for pattern in _IN_PLACE)


def _uses(project: Project, cls: str) -> list[_Use] | None:
    """The constructions of a class, by its name in any file; None where something else takes it."""
    name, found = cls.rpartition("::")[2].rpartition(".")[2], []
    for path in project.index.python_files:
        if name in project.index.text(path):
            for use in _in(project.index.files[path].tree, name):
                if use is None:
                    return None
                found.append(use)
    return found


def _in(tree: ast.Module, name: str) -> Iterator[_Use | None]:
    parents = around(tree)
    for node in parents:
        named = (isinstance(node, ast.Name) and node.id == name) or (
            isinstance(node, ast.Attribute) and node.attr == name
        )
        if named and isinstance(node.ctx, ast.Load) and not _is_type(node, parents):  # type: ignore[attr-defined]
            yield _use(node, parents)


def _use(node: ast.AST, parents: Parents) -> _Use | None:
    parent = parents[node]
    if isinstance(parent, ast.Call) and parent.func is node:
        return _Use(parent)
    return _Use(None) if isinstance(parent, ast.keyword) and parent.arg == "default_factory" else None


def _is_type(node: ast.AST, parents: Parents) -> bool:
    """Is it the annotation of something, a base, or what `isinstance` asks?"""
    outer = parents[node]
    while isinstance(outer, _CHOICES):
        node, outer = outer, parents[outer]
    if isinstance(outer, ast.Call):
        return isinstance(outer.func, ast.Name) and outer.func.id in _ASKS
    said = getattr(outer, "annotation", None) is node or getattr(outer, "returns", None) is node
    return said or (isinstance(outer, ast.ClassDef) and node in outer.bases)
