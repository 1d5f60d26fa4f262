"""A site joins `ast` and LibCST: (file, kind, ordinal in source order). Positions come from `ast`."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import field
from typing import Any

from mmcodemod.facts.body import source_order
from mmcodemod.facts.syntax import children
from mmcodemod.model.frozen import frozen
from mmcodemod.model.place import Place
from mmcodemod.project.model import Project

LONG = 3  # lines from which a compound statement is shown by its head
KINDS = (
    *(ast.Call, ast.If, ast.IfExp, ast.For, ast.While, ast.With, ast.Match),
    *(ast.FunctionDef, ast.ClassDef, ast.Return),
)


def _none(path: str, kind: str) -> dict[int, int]:
    return {}


@frozen()
class Site:
    """A candidate. `kind` is the class name of the node, "" outside Python; `function` is an id.
    `data` is what the trigger found out and hands to `check`; `ordinals` those of the nodes of a file by
    path and kind."""

    path: str
    at: Place
    kind: str = ""
    function: str = ""
    node: Any = field(default=None, compare=False, repr=False)
    data: Any = field(default=None, compare=False, repr=False)
    ordinals: Callable[[str, str], dict[int, int]] = field(default=_none, compare=False, repr=False)

    @property
    def ordinal(self) -> int:
        """The number of the node among those of its kind: counted for those that are not dismissed."""
        return self.ordinals(self.path, self.kind).get(id(self.node), -1)

    @property
    def head(self) -> Place:
        """The place to point a finding at: of a long `if`, `match` or loop, its head alone."""
        heads = (getattr(self.node, name, None) for name in ("test", "iter", "subject"))
        last = next((head for head in heads if head is not None), None)
        if last is None or self.at.last_line - self.at.line < LONG:
            return self.at
        return Place(self.path, self.at.line, self.at.column, last.end_lineno, last.end_col_offset + 1)

    @property
    def symbol(self) -> str:
        """The dotted name of the function, "" outside Python and for module code."""
        name = self.function.partition("::")[2]
        return "" if name.startswith("<") else name


def site(project: Project, function: str, node: ast.AST, data: Any = None) -> Site:
    """The site of an `ast` node of one of KINDS in `function`."""
    path = function.partition("::")[0]
    at = project.place(path, node)
    return Site(path, at, node.__class__.__name__, function, node, data, project.get(_Ordinals).of)


def config_site(at: Place, data: Any = None) -> Site:
    """A candidate outside Python."""
    return Site(at.path, at, data=data)


class _Ordinals:
    """Use through `project.get`."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._known: dict[tuple[str, str], dict[int, int]] = {}

    def of(self, path: str, kind: str) -> dict[int, int]:
        """The numbers of the nodes of a kind, by their id."""
        if (path, kind) not in self._known:
            nodes = nodes_of_kind(self._project.index.files[path].tree, kind)
            self._known[path, kind] = {id(node): number for number, node in enumerate(nodes)}
        return self._known[path, kind]


def nodes_of_kind(tree: ast.Module, kind: str) -> list[ast.AST]:
    """All nodes of a class in source order, insides of f-strings left out."""
    found: list[Any] = []
    stack: list[ast.AST] = [tree]
    while stack:
        node = stack.pop()
        if isinstance(node, ast.JoinedStr):
            continue
        if node.__class__.__name__ == kind:
            found.append(node)
        stack += children(node)
    return sorted(found, key=source_order)
