"""What a name surely stands for: the only function or class of the tree that it can be when an entry runs.
Must-analysis: None where a name is bound twice, where Python may look elsewhere, or where code may set it."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator, Sequence
from functools import cached_property
from posixpath import basename, dirname

from mmcodemod.facts.syntax import SCOPES, children, walk
from mmcodemod.model.frozen import frozen
from mmcodemod.project.model import Project

MAX_HOPS = 8
_GENERIC = frozenset(
    (
        *("src", "lib", "core", "common", "utils", "util", "tools", "scripts", "model", "models", "modules"),
        *(
            "data",
            "dataset",
            "dataloader",
            "dataloaders",
            "engine",
            "train",
            "training",
            "trainer",
            "trainers",
        ),
        *("config", "configs", "losses", "loss", "networks", "nets", "options", "args", "code", "arguments"),
    )
)
"""Folders of the tree that a library hardly is called like: where scripts of other folders import them, the
tree is on the path."""
_PACKAGING = ("pyproject.toml", "setup.py", "setup.cfg")

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


@frozen()
class Sole:
    """A function or class of the tree, or a module of it (`node` None); or, without `path`, something of a
    library by its dotted name."""

    path: str
    node: Definition | None = None
    library: str = ""


class Names:
    """What a scope binds: by name, the nodes that do, and what `name = value` gives them, by their id."""

    def __init__(self, scope: ast.AST) -> None:
        self.bound: dict[str, list[ast.AST]] = {}
        self.given: dict[int, ast.expr] = {}
        self.stars: list[ast.ImportFrom] = []
        for node in _nodes(scope):
            for name in _bound(node):
                self.bound.setdefault(name, []).append(node)
            if isinstance(node, ast.Assign):
                self.given.update((id(t), node.value) for t in node.targets if isinstance(t, ast.Name))
            if isinstance(node, ast.ImportFrom) and node.names[0].name == "*":
                self.stars.append(node)
        given = getattr(scope, "args", None)
        for argument in walk(given) if isinstance(given, ast.arguments) else ():
            if isinstance(argument, ast.arg):
                self.bound.setdefault(argument.arg, []).append(argument)


def _nodes(scope: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a scope; of a module, also those under its main guard, but not those of classes."""
    todo: list[ast.AST] = list(getattr(scope, "body", []))
    while todo:
        node = todo.pop()
        yield node
        if not isinstance(node, (*SCOPES, ast.Lambda)):
            todo += children(node)


def _bound(node: ast.AST) -> Iterator[str]:
    if isinstance(node, SCOPES):
        yield node.name
    elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        yield node.id
    elif isinstance(node, (ast.Import, ast.ImportFrom)):
        yield from (a.asname or a.name.partition(".")[0] for a in node.names)
    elif isinstance(node, (ast.Global, ast.Nonlocal)):
        yield from node.names
    elif isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)) and node.name:
        yield node.name


class Definitions:
    """Of one entry, whose folder Python looks into first."""

    def __init__(self, project: Project, entry: str) -> None:
        self._project = project
        self._entry = entry
        self._modules = project.get(_modules)

    def of(self, expr: ast.expr, path: str, local: Names | None = None, hops: int = 0) -> Sole | None:
        """What a name, or an attribute of a module, stands for in a scope of a file."""
        if isinstance(expr, ast.Attribute):
            base = self.of(expr.value, path, local, hops)
            return self._attribute(base, expr.attr, hops) if base else None
        if not isinstance(expr, ast.Name):
            return None
        if local is not None and expr.id in local.bound:
            return self._only(local.bound[expr.id], expr.id, path, hops, within=local)
        return self._global(path, expr.id, hops)

    def _attribute(self, base: Sole, name: str, hops: int) -> Sole | None:
        if base.library:
            return Sole("", library=f"{base.library}.{name}")
        return self._member(base.path, name, hops) if base.node is None else None

    def _member(self, path: str, name: str, hops: int) -> Sole | None:
        """What a module has under a name: its own, or a module of its package."""
        inside = self._beside(path, name) if path.endswith("/__init__.py") else ""
        if inside and name in self._names(path).bound:
            return None
        return Sole(inside) if inside else self._global(path, name, hops)

    def _beside(self, path: str, name: str) -> str:
        files, stem = self._project.index.files, f"{dirname(path)}/{name}"
        return next((p for p in (f"{stem}/__init__.py", f"{stem}.py") if p in files), "")

    def _names(self, path: str) -> Names:
        if path not in self._modules:
            facts = self._project.index.files[path]
            self._modules[path] = Names(facts.tree)
            for name in facts.writers:
                self._modules[path].bound.setdefault(name, []).append(facts.tree)
        return self._modules[path]

    def _global(self, path: str, name: str, hops: int) -> Sole | None:
        names = self._names(path)
        found = names.bound.get(name, [])
        first = min((getattr(node, "lineno", 0) for node in found), default=0)
        over = (star for star in names.stars if star.lineno > first)
        same = _imported(found, name)
        if hops > MAX_HOPS or (found and any(self._may_bind(star, path, name, same) for star in over)):
            return None
        return self._only(found, name, path, hops) if found else self._starred(path, name, hops)

    def _may_bind(self, star: ast.ImportFrom, path: str, name: str, same: str, hops: int = 0) -> bool:
        """May `from module import *` bind a name, to anything but `same`? Of no library that shows."""
        home = self._relative(star, path) if star.level else None
        homes = [home.path] if home else [] if star.level else self._ending(star.module or "")
        known = bool(homes) and hops <= MAX_HOPS
        return not known or any(self._may_hold(file, name, same, hops) for file in homes)

    def _may_hold(self, path: str, name: str, same: str, hops: int) -> bool:
        names = self._names(path)
        inside = path.endswith("/__init__.py") and bool(self._beside(path, name))
        stars = (self._may_bind(star, path, name, same, hops + 1) for star in names.stars)
        other = name in names.bound and (not same or _imported(names.bound[name], name) != same)
        return inside or other or any(stars)

    def _ending(self, dotted: str) -> list[str]:
        """The files of the tree that `import dotted` may mean."""
        end = dotted.replace(".", "/")
        found: list[str] = self._project.get(_by_name).get(basename(end), [])
        return [p for p in found if f"/{p}".endswith((f"/{end}.py", f"/{end}/__init__.py"))]

    def _starred(self, path: str, name: str, hops: int) -> Sole | None:
        """What the only module has under the name of which everything is imported."""
        stars = self._names(path).stars
        homes = [self._relative(s, path) if s.level else self._module(s.module or "") for s in stars]
        if len(homes) != 1 or homes[0] is None or homes[0].library:
            return None
        return self._member(homes[0].path, name, hops + 1)

    def _only(
        self, nodes: list[ast.AST], name: str, path: str, hops: int, within: Names | None = None
    ) -> Sole | None:
        """What the only statement binds that binds the name."""
        if len(nodes) != 1:
            return None
        node = nodes[0]
        if isinstance(node, SCOPES):
            top = within is None and node in self._project.index.files[path].tree.body
            return Sole(path, node) if top and not self._project.once(_patched, name) else None
        if isinstance(node, ast.Import):
            return self._imported_module(node, name)
        if isinstance(node, ast.ImportFrom):
            return self._imported(node, name, path, hops)
        return None

    def _imported_module(self, node: ast.Import, name: str) -> Sole | None:
        for alias in node.names:
            if alias.asname == name:
                return self._module(alias.name)
            if not alias.asname and alias.name == name:
                return self._module(name)
            if not alias.asname and alias.name.partition(".")[0] == name:
                return Sole("", library=name) if self._module(name) == Sole("", library=name) else None
        return None

    def _imported(self, node: ast.ImportFrom, name: str, path: str, hops: int) -> Sole | None:
        given = next(a.name for a in node.names if (a.asname or a.name) == name)
        home = self._relative(node, path) if node.level else self._module(node.module or "")
        if home is None or home.library:
            return Sole("", library=f"{home.library}.{given}") if home else None
        return self._member(home.path, given, hops + 1)

    def _relative(self, node: ast.ImportFrom, path: str) -> Sole | None:
        folder = path
        for _ in range(node.level):
            if not folder:
                return None
            folder = dirname(folder)
        stem = "/".join([part for part in (folder, *(node.module or "").split(".")) if part])
        files = self._project.index.files
        return next((Sole(p) for p in (f"{stem}/__init__.py", f"{stem}.py") if p in files), None)

    def _module(self, dotted: str) -> Sole | None:
        """The only file that `import dotted` can mean, or that it is a library's."""
        top, end = dotted.partition(".")[0], dotted.replace(".", "/")
        found = self._ending(dotted)
        if not found:
            return None if top in self._tops else Sole("", library=dotted)
        if len(found) > 1 or self._may_be_installed(top):
            return None
        home = found[0].removesuffix(".py").removesuffix("/__init__").removesuffix(end).rstrip("/")
        return Sole(found[0]) if self._is_home(home, top) else None

    def _is_home(self, home: str, top: str) -> bool:
        """Does Python surely import from the folder, and from no library of that name before?"""
        within = self._entry.startswith(f"{home}/{top}/".lstrip("/"))
        return within or home in self._homes or (not home and top in _GENERIC)

    @cached_property
    def _tops(self) -> set[str]:
        """The names of all folders and modules of the tree."""
        files = self._project.index.python_files
        return {part.removesuffix(".py") for p in files for part in p.split("/")}

    def _may_be_installed(self, top: str) -> bool:
        plain = top.lower().replace("_", "-")
        required = {name.lower().replace("_", "-") for name in self._project.pins.found}
        library = self._project.index.modules.is_library(top)
        return library or top in sys.stdlib_module_names or plain in required

    @cached_property
    def _homes(self) -> set[str]:
        """The folders from which Python imports: of the script, and of what is installed of the tree."""
        packaged = {dirname(p) for p in self._project.tree.paths if basename(p) in _PACKAGING}
        inside = {f"{home}/src".lstrip("/") for home in packaged}
        return {dirname(self._entry), *packaged, *inside}


def _patched(project: Project, name: str) -> bool:
    """May code of the tree put something else in the place of what is defined, or of how it begins?"""
    ways = rf"\.{name}\s*=[^=]|\b{name}\.__(init|new)__\s*=|\b(setattr|patch\w*)\([^)\n]*\b{name}\b"
    paths = {facts.path for facts in project.mentioning(name)}
    lines = (line for path in paths for line in _lines_with(project.index.text(path), name))
    return any(re.search(ways, f"{line}\n") for line in lines if _may_patch(line, name))


def _may_patch(line: str, name: str) -> bool:
    """The quick question, as a pattern for each name takes long to make."""
    sets = "=" in line and (f".{name}" in line or f"{name}.__" in line)
    return sets or "setattr" in line or "patch" in line


def _lines_with(text: str, word: str) -> Iterator[str]:
    """The lines that hold a word."""
    at = text.find(word)
    while at >= 0:
        begin, end = text.rfind("\n", 0, at) + 1, text.find("\n", at)
        end = len(text) if end < 0 else end
        yield text[begin:end]
        at = text.find(word, end)


def _modules(project: Project) -> dict[str, Names]:
    """What the modules bind, by path; filled by `Definitions`."""
    return {}


def _by_name(project: Project) -> dict[str, list[str]]:
    """The files by the last part of their module's name."""
    found: dict[str, list[str]] = {}
    for path in project.index.python_files:
        stem = path.removesuffix(".py").removesuffix("/__init__")
        found.setdefault(basename(stem), []).append(path)
    return found


def _imported(nodes: Sequence[ast.AST], name: str) -> str:
    """The dotted name of a library that the only statements which bind a name import under it, as `torch.nn`
    for `from torch import nn`; "" for anything else."""
    found = {_dotted(node, name) for node in nodes}
    return found.pop() if len(found) == 1 else ""


def _dotted(node: ast.AST, name: str) -> str:
    if not isinstance(node, (ast.Import, ast.ImportFrom)):
        return ""
    found = next((a.name for a in node.names if (a.asname or a.name) == name), "")
    if isinstance(node, ast.Import):
        return found
    return f"{node.module}.{found}" if found and not node.level else ""
