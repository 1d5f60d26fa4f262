"""Requirements of a setup.py: the string literals of its lists, and those of a table in which the lists look
names up (`install_requires = [deps["torch"]]`, `extras["dev"] = deps_list("pytest")`). Nothing is run."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

from mmcodemod.facts.requirement import Requirement, normalised, parsed
from mmcodemod.facts.syntax import walk

_KEYWORDS = ("require", "extras")
_TABLE = ("deps", "dependencies")  # how such a table is called, or ends


def setup_py(text: str) -> Iterator[Requirement]:
    """What extras or a dictionary list is optional, and names that only extras look up."""
    try:
        module = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    listed = list(_listed(module))
    for extra, value in listed:
        yield from _literals(value, extra or isinstance(value, ast.Dict))
    for requirement in _table(module):
        extras = [extra for extra, value in listed if normalised(requirement.name) in _looked_up(value)]
        if extras:
            yield replace(requirement, conditional=requirement.conditional or all(extras))


def _listed(module: ast.Module) -> Iterator[tuple[bool, ast.expr]]:
    """What the keywords and variables for requirements hold, and whether it is for extras."""
    for node in walk(module):
        match node:
            case ast.keyword(arg=str(name), value=value):
                pass
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                pass
            case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=name))], value=value):
                pass
            case _:
                continue
        if any(word in name for word in _KEYWORDS):
            yield "extra" in name, value


def _literals(value: ast.expr, optional: bool = False) -> Iterator[Requirement]:
    for node in walk(value):
        if isinstance(node, ast.List | ast.Tuple | ast.Set):
            for item in node.elts:
                if isinstance(item, ast.Constant) and isinstance(item.value, str):
                    yield from parsed(item.value, item.lineno, optional)


def _table(module: ast.Module) -> Iterator[Requirement]:
    """The entries of `_deps = ["torch>=2", ...]`, a list of the module's that no keyword names."""
    for node in module.body:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.List() as value) if name.endswith(_TABLE):
                yield from _literals(value)


def _looked_up(value: ast.expr) -> set[str]:
    """The names in `deps["torch"]` and `deps_list("torch", "numpy")`."""
    found = []
    for node in walk(value):
        if isinstance(node, ast.Subscript):
            found.append(node.slice)
        elif isinstance(node, ast.Call):
            found += node.args
    return {normalised(n.value) for n in found if isinstance(n, ast.Constant) and isinstance(n.value, str)}
