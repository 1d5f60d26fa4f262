"""Launches that die because the program asks an object of a dataclass for a field that no class declares, and
nothing stores: AttributeError. Must-analysis (see data_objects, argument_reads)."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.facts.syntax import unparse, walk
from mmcodemod.model.context import Context, Entry, Origin
from mmcodemod.model.frozen import frozen
from mmcodemod.project.argument_reads import Read, walked
from mmcodemod.project.argument_writers import by_libraries, is_hidden
from mmcodemod.project.data_objects import DataObject, data_objects
from mmcodemod.project.death import Death, dead_at
from mmcodemod.project.launch_sides import lets_in
from mmcodemod.project.model import Project

_OF_OBJECTS = frozenset(dir(object()))
_ASKS = ("getattr", "hasattr")
_SELF = ("self", "cls")
_STARTED = (Origin.LAUNCHED, Origin.ENTRY)  # a program that nothing launches is started without flags


def undeclared(project: Project, context: Context) -> Death | None:
    """How a launch dies that asks for a field which no class declares; None when nothing shows that."""
    entry = context.entry
    if entry is None or context.origin not in _STARTED or entry.library:
        return None
    for missing in project.once(_every, entry) if entry.symbol == "<module>" else ():
        if all(lets_in(project, context, *condition) for condition in missing.read.conditions):
            return _told(project, missing)
    return None


@frozen()
class _Missing:
    """A read that ends the run where its tests come out so; `cls`: the class of the object."""

    read: Read
    cls: str


def _every(project: Project, entry: Entry) -> tuple[_Missing, ...]:
    return tuple(_candidates(project, entry))


def _told(project: Project, missing: _Missing) -> Death:
    node = missing.read.node
    at = project.place(missing.read.function.partition("::")[0], node)
    why = f"`{unparse(node.value)}` is of the dataclass {missing.cls}, which declares no `{node.attr}`"
    return dead_at(at, "AttributeError", why)


def _candidates(project: Project, entry: Entry) -> Iterator[_Missing]:
    """What the entry reads, under some tests, and no class declares."""
    if entry.path not in project.index.files:
        return
    files: list[str] | None = None
    for made in data_objects(project, entry):
        files = _loaded(project, entry) if files is None else files
        if not any(is_hidden(project, path) for path in files):
            yield from _of(project, entry, made, files)


def _loaded(project: Project, entry: Entry) -> list[str]:
    """The files of the tree that the run loads."""
    files = project.reach(entry).files
    return sorted(files & set(project.index.python_files))


def _of(project: Project, entry: Entry, made: DataObject, files: list[str]) -> Iterator[_Missing]:
    found = walked(project, entry.path, made.made)
    own = frozenset(id(read.node) for read in found.reads)
    for read in found.reads if found.trained else ():
        if _is_missing(made, read) and not _is_stored(project, read.node.attr, files, own):
            yield _Missing(read, made.cls)


def _is_missing(made: DataObject, read: Read) -> bool:
    name = read.node.attr
    known = name in made.declared or name in _OF_OBJECTS or name.startswith("_") or by_libraries(name)
    return not known and not any(_speaks_of(test, name) for _, test, _ in read.conditions)


def _speaks_of(test: ast.expr, name: str) -> bool:
    """Does a test ask by name whether there is such a field?"""
    return any(isinstance(n, ast.Constant) and n.value == name for n in walk(test))


def _is_stored(project: Project, name: str, files: list[str], own: frozenset[int]) -> bool:
    """May the code that the run loads give an object the attribute?"""
    return any(
        any(_stores(project.index.files[path].tree, name, own))
        for path in files
        if name in project.index.text(path)
    )


def _stores(tree: ast.Module, name: str, own: frozenset[int]) -> Iterator[bool]:
    """The stores by that name, and texts that are the name. `config.x = args.x` is none, because reading ends
    the run first; nor is a text that `getattr` is given."""
    passed = {id(n) for statement in walk(tree) for n in _harmless(statement, own)}
    for node in walk(tree):
        if isinstance(node, ast.Attribute) and node.attr == name and not isinstance(node.ctx, ast.Load):
            yield id(node) not in passed and getattr(node.value, "id", "") not in _SELF
        elif isinstance(node, ast.Constant) and node.value == name:
            yield id(node) not in passed


def _harmless(node: ast.AST, own: frozenset[int]) -> Iterator[ast.AST]:
    if isinstance(node, ast.Assign) and id(node.value) in own:
        yield from node.targets
    elif isinstance(node, ast.Call) and getattr(node.func, "id", "") in _ASKS:
        yield from node.args[1:2]
