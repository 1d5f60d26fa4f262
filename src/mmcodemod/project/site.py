"""A site joins `ast` and LibCST: (file, kind, ordinal in source order). Positions come from `ast`."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import Any

from mmcodemod.facts.body import source_order
from mmcodemod.model.place import Place
from mmcodemod.project.model import Project

LONG = 3  # lines from which a compound statement is shown by its head
KINDS = (ast.Call, ast.If, ast.IfExp, ast.For, ast.While, ast.With, ast.FunctionDef, ast.ClassDef, ast.Return)


@dataclass(frozen=True)
class Site:
    """A candidate. `kind` is the class name of the node, "" outside Python; `function` is an id.
    `data` is what the trigger found out and hands to `check`."""

    path: str
    at: Place
    kind: str = ""
    ordinal: int = -1
    function: str = ""
    node: Any = field(default=None, compare=False, repr=False)
    data: Any = field(default=None, compare=False, repr=False)

    @property
    def head(self) -> Place:
        """The place to point a finding at: of a long `if` or loop, its head alone."""
        last = getattr(self.node, "test", None) or getattr(self.node, "iter", None)
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
    kind = node.__class__.__name__
    ordinals = project.get(_ordinals)
    key = (path, kind)
    if key not in ordinals:
        nodes = nodes_of_kind(project.index.files[path].tree, kind)
        ordinals[key] = {id(n): i for i, n in enumerate(nodes)}
    return Site(path, project.place(path, node), kind, ordinals[key].get(id(node), -1), function, node, data)


def config_site(at: Place, data: Any = None) -> Site:
    """A candidate outside Python."""
    return Site(at.path, at, data=data)


def _ordinals(project: Project) -> dict[tuple[str, str], dict[int, int]]:
    return {}


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
        stack.extend(ast.iter_child_nodes(node))
    return sorted(found, key=source_order)
