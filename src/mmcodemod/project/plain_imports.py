"""What a file imports in any branch. The outline of a file has the name that `import a.b` binds, `a`; here
it has the whole name, where that begins with a package of the tree."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from posixpath import basename

from mmcodemod.facts.body import own_nodes
from mmcodemod.facts.outline import Import
from mmcodemod.project.model import Project


def imports_of(project: Project, path: str) -> tuple[Import, ...]:
    """The imports of a file that stand in no function; a file is read again only for whole names."""
    facts = project.index.files.get(path)
    if facts is None:
        return ()
    found = (*facts.imports, *facts.stars)
    tops = project.get(_packages)
    dotted = any(i.name is None and i.module == i.bound and i.bound in tops for i in facts.imports)
    return (*found, *_dotted(facts.tree, tops)) if dotted else found


def _dotted(tree: ast.Module, tops: frozenset[str]) -> Iterator[Import]:
    for node in own_nodes(tree):
        if not isinstance(node, ast.Import):
            continue
        for alias in node.names:
            top, _, rest = alias.name.partition(".")
            if rest and not alias.asname and top in tops:
                yield Import(top, alias.name, None, 0, node.lineno)


def _packages(project: Project) -> frozenset[str]:
    """The names of the packages of the tree, wherever they lie."""
    return frozenset(basename(package) for package in project.index.modules.packages)
