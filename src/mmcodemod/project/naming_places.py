"""Where code that a run may come to names a class or a function: each place, with the nodes around it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from mmcodemod.facts.body import own_nodes
from mmcodemod.facts.python import FunctionFacts
from mmcodemod.facts.syntax import children
from mmcodemod.model.context import Entry
from mmcodemod.model.frozen import frozen
from mmcodemod.project.model import Project

Named = ast.Name | ast.Attribute
_ASKS = ("isinstance", "issubclass", "super", "len", "list", "sorted", "print")


@frozen()
class Naming:
    """A place that names something; `around`: the nodes that hold it, innermost first."""

    function: str
    node: Named
    around: Sequence[ast.AST]

    @property
    def parent(self) -> ast.AST | None:
        return next(iter(self.around), None)

    @property
    def call(self) -> ast.Call | None:
        """The call that the node is an argument of."""
        return (
            self.parent if isinstance(self.parent, ast.Call) and self.parent.func is not self.node else None
        )

    @property
    def only_asks(self) -> bool:
        """Is nothing made of it there: a base, an annotation, `isinstance(x, C)`?"""
        if self.call is not None:
            return isinstance(self.call.func, ast.Name) and self.call.func.id in _ASKS
        around = self.parent
        base = isinstance(around, ast.ClassDef) and self.node in around.bases
        return base or (isinstance(around, ast.AnnAssign) and self.node is around.annotation)


def namings(project: Project, entry: Entry, name: str) -> Iterator[Naming]:
    """The places in functions that the entry may reach."""
    reach = project.reach(entry)
    for facts in project.mentioning(name):
        if facts.id in reach and name.encode() in project.source(facts):
            yield from project.get(_kept).of(facts, name)


class _Kept:
    """The places of a name in one function, looked for once."""

    def __init__(self, project: Project) -> None:
        self._found: dict[tuple[str, str], list[Naming]] = {}

    def of(self, facts: FunctionFacts, name: str) -> list[Naming]:
        key = (facts.id, name)
        if key not in self._found:
            self._found[key] = list(_in_function(facts, name))
        return self._found[key]


def _kept(project: Project) -> _Kept:
    return _Kept(project)


def _in_function(facts: FunctionFacts, name: str) -> Iterator[Naming]:
    nodes = list(own_nodes(facts.node))
    held = {id(child): node for node in nodes for child in children(node)}
    for node in nodes:
        if isinstance(node, Named) and (node.id if isinstance(node, ast.Name) else node.attr) == name:
            yield Naming(facts.id, node, tuple(_around(node, held)))


def _around(node: ast.AST, held: dict[int, ast.AST]) -> Iterator[ast.AST]:
    while id(node) in held:
        node = held[id(node)]
        yield node
