"""Module names: which file does `import a.b` mean, from where. May-analysis: the nearest match wins."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from posixpath import dirname as _dirname

from mmcodemod.facts.python import FileFacts
from mmcodemod.facts.terms import Constant, List, Tuple
from mmcodemod.project.namespaces import Namespaces
from mmcodemod.project.stubs import MODELS


@lru_cache(1 << 16)
def dirname(path: str) -> str:
    """The folder of a path: asked of the same few, for each import."""
    return _dirname(path)


class Modules:
    """Files by dotted module name. A file carries several names; its path is its identity."""

    def __init__(
        self, files: Mapping[str, FileFacts], models: Mapping[str, str], paths: Iterable[str] = ()
    ) -> None:
        """`models` maps the dotted name that a framework model stands for to its path; `paths` are all files
        of the tree."""
        self._files = {p for p in files if not p.startswith(MODELS)}
        self._imports = {p: files[p].imports for p in self._files}
        self._self_named: dict[str, bool] = {}
        self._packages = {dirname(p) for p in files if p.endswith("/__init__.py")}
        self._by_name: dict[str, str] = {}
        self._bearers: dict[str, list[str]] = {}  # files of the tree by each of their names
        self._name_of: dict[str, str] = {}
        self._folders: set[str] = set()
        for path in sorted(files, key=lambda p: (p.count("/"), p)):
            if not path.startswith(MODELS):
                self._add(path)
        tree = set(self._by_name)
        self._models: dict[str, str] = {}
        for name, path in models.items():
            self._name_of[path] = name
            if name not in tree and name.partition(".")[0] not in tree:  # the tree's own package wins
                self._by_name[name] = path
                self._models.update((home, path) for home in (name, *_homes(files[path])))
        self._libraries = {name.partition(".")[0] for name in models}
        self._namespaces = Namespaces(self._files, paths)
        for path in sorted(self._files, key=lambda p: (p.count("/"), p)):
            self._add_namespace(path)
        self._owners: dict[str, tuple[str, ...]] = {}
        self._found: dict[tuple[str, str], str | None] = {}

    def _add(self, path: str) -> None:
        full = _dotted(path)
        short = _dotted(path[len(self._root(path)) :].lstrip("/"))
        for name in (short, full):
            self._enter(name, path)
        self._name_of[path] = short

    def _enter(self, name: str, path: str) -> None:
        self._by_name.setdefault(name, path)
        bearers = self._bearers.setdefault(name, [])
        if path not in bearers:
            bearers.append(path)
        parent = name.rpartition(".")[0]
        while parent:
            self._folders.add(parent)
            parent = parent.rpartition(".")[0]

    def _add_namespace(self, path: str) -> None:
        """Installed libraries are regular packages, and win."""
        for inside in self._namespaces.names(path):
            name = _dotted(inside)
            if name.partition(".")[0] not in self._libraries:
                self._enter(name, path)
                if self._by_name[name] == path:
                    self._name_of[path] = name

    def _root(self, path: str) -> str:
        """The folder above the topmost package that holds the file; the file's own folder when none does.
        `src` layouts and namespace folders inside packages follow from this."""
        folder = dirname(path)
        root = folder
        while folder:
            if folder in self._packages:
                root = dirname(folder)
            folder = dirname(folder)
        return root

    def name(self, path: str) -> str:
        """The dotted name of a file, e.g. "package.model.arch"."""
        return self._name_of.get(path, _dotted(path))

    def find(self, dotted: str, importer: str) -> str | None:
        """The file that `import dotted` means in file `importer`. Python looks into a script's own folder
        first; a file of a package may be a script, too: its siblings come behind what the folders above hold.
        A name that several other folders hold, and none of those, is no file. No importer: the first."""
        key = (dotted, importer)
        if key not in self._found:
            self._found[key] = self._find(dotted, importer)
        return self._found[key]

    def _find(self, dotted: str, importer: str) -> str | None:
        sibling = self.sibling(dotted, importer)
        if sibling is not None and not self.in_package(importer):
            return sibling
        return self._named(dotted, importer, sibling) or self._above(dotted, importer)

    def _named(self, dotted: str, importer: str, sibling: str | None) -> str | None:
        first = self._by_name.get(dotted)
        if not importer or first is None or first.startswith(MODELS):
            return first or sibling
        bearers = self._bearers[dotted]
        alone = first if len(bearers) == 1 else None
        return _nearest(dotted, bearers, importer) or sibling or alone

    def _above(self, dotted: str, importer: str) -> str | None:
        top = dotted.partition(".")[0]
        if top in self._libraries or top in sys.stdlib_module_names:
            return None
        return self._namespaces.above(dotted, importer) or self._inside(dotted, importer)

    def _inside(self, dotted: str, importer: str) -> str | None:
        """The file of a package that lies inside another package above the importer, and whose own files
        import it by its bare name: so the outer folder is on `sys.path`, for all its `__init__.py`."""
        top, folder = dotted.partition(".")[0], dirname(importer)
        while folder:
            stem = f"{folder}/{dotted.replace('.', '/')}"
            found = [p for p in (f"{stem}/__init__.py", f"{stem}.py") if p in self._files]
            if found and folder in self._packages and self._names_itself(f"{folder}/{top}"):
                return found[0] if found[0] != importer else None
            folder = dirname(folder)
        return None

    def _names_itself(self, package: str) -> bool:
        """Does a file of the package import a module of the package by its bare name? The name alone may be
        a library's: `import evaluate` in a folder called so."""
        if package not in self._packages:
            return False
        if package not in self._self_named:
            own = (i for p in self._files if p.startswith(f"{package}/") for i in self._imports[p])
            self._self_named[package] = any(self._is_inside(package, i.module) for i in own if not i.level)
        return self._self_named[package]

    def _is_inside(self, package: str, dotted: str) -> bool:
        """Is it the name of a module that lies in the package?"""
        top, _, inner = dotted.partition(".")
        stem = f"{package}/{inner.replace('.', '/')}"
        there = f"{stem}.py" in self._files or f"{stem}/__init__.py" in self._files
        return bool(inner) and there and top == package.rpartition("/")[2]

    def inside(self, package: str) -> list[str]:
        """The dotted names of the modules and packages in a package of the tree, without private ones."""
        file = self.find(package, "")
        if file is None or not file.endswith("/__init__.py") or file.startswith(MODELS):
            return []
        folder = dirname(file)
        beside = {p.removesuffix("/__init__.py").removesuffix(".py") for p in self._files}
        names = sorted(p.rpartition("/")[2] for p in beside if dirname(p) == folder)
        return [f"{package}.{name}" for name in names if not name.startswith("_")]

    def sibling(self, dotted: str, importer: str) -> str | None:
        """The file that `import dotted` means when `importer` is run as a script: one beside it. Inside a
        package a name of the standard library means that library, and `__init__.py` is no script."""
        if importer.endswith("/__init__.py"):
            return None
        if self.in_package(importer) and dotted.partition(".")[0] in sys.stdlib_module_names:
            return None
        stem = f"{dirname(importer)}/{dotted.replace('.', '/')}".lstrip("/")
        for path in (f"{stem}/__init__.py", f"{stem}.py"):
            if path in self._files and path != importer:
                return path
        return None

    @property
    def packages(self) -> set[str]:
        """The folders of the tree with `__init__.py`."""
        return self._packages

    def is_library(self, name: str) -> bool:
        """Is it the name of a library that a framework model stands for?"""
        return name in self._libraries

    def in_package(self, path: str) -> bool:
        """Does the file lie in a folder with `__init__.py`?"""
        return dirname(path) in self._packages

    def models(self, dotted: str) -> tuple[str, ...]:
        """The framework models that may define what a library module exports, the nearest first."""
        if dotted not in self._owners:
            self._owners[dotted] = tuple(dict.fromkeys(self._find_models(dotted)))
        return self._owners[dotted]

    def _find_models(self, dotted: str) -> Iterator[str]:
        if dotted in self._models:
            yield self._models[dotted]
        while dotted and dotted.islower() and "(" not in dotted:
            if f"{dotted}.*" in self._models:
                yield self._models[f"{dotted}.*"]
            dotted = dotted.rpartition(".")[0]

    def is_folder(self, dotted: str) -> bool:
        """Is it a package, a module or a namespace folder of the tree (not a framework model)?"""
        return dotted in self._folders or not self._by_name.get(dotted, MODELS).startswith(MODELS)

    def absolute(self, module: str, level: int, importer: str) -> str:
        """The absolute name of a relative import."""
        if not level:
            return module
        parts = [] if not dirname(importer) else dirname(importer).split("/")
        parts = parts[: len(parts) - (level - 1)] if level > 1 else parts
        return ".".join([*parts, module] if module else parts)


def _homes(facts: FileFacts) -> tuple[str, ...]:
    """The other modules that export what a framework model defines; "x.*" stands for all modules below x."""
    for value in facts.bindings.get("HOMES", ()):
        elements = value.elts if isinstance(value, (List, Tuple)) else ()
        return tuple(e.value for e in elements if isinstance(e, Constant))
    return ()


def _nearest(dotted: str, bearers: Iterable[str], importer: str) -> str | None:
    """The file that has this name below the closest folder above the importer."""
    ends = [f"{dotted.replace('.', '/')}{end}" for end in (".py", "/__init__.py")]
    roots = {p.removesuffix(end): p for p in bearers for end in ends if p.endswith(end)}
    above = [root for root in roots if importer.startswith(root)]
    return roots[max(above, key=len)] if above else None


def _dotted(path: str) -> str:
    stem = path.removesuffix(".py")
    stem = stem.removesuffix("/__init__") if stem.endswith("/__init__") else stem
    return stem.replace("/", ".")
