"""Dotted names for people: what Python would call a module, seen from where it is run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from posixpath import dirname

from mmcodemod.facts.outline import MAIN, Import
from mmcodemod.project.index import Index
from mmcodemod.project.stubs import MODELS

OWN_CODE = ("<module>", MAIN)


class Naming:
    """Names of the modules and functions of one tree. Two modules of one name: the one nearer to the root
    keeps it, the others are named by their whole path."""

    def __init__(self, index: Index, paths: Iterable[str] = ()) -> None:
        """`paths` are the files that must not share a name."""
        self._index = index
        self._scripts = _scripts(index)
        self._modules: dict[str, str] = {}
        taken: set[str] = set()
        for path in sorted(paths, key=lambda p: (p.startswith(MODELS), p.count("/"), p)):
            name = self._free(path, taken)
            taken.add(name)
            self._modules[path] = name

    def _free(self, path: str, taken: set[str]) -> str:
        short, full = self._short(path), path.removesuffix(".py").replace("/", ".")
        return short if short not in taken else full.removesuffix(".__init__")

    def _short(self, path: str) -> str:
        folder = self._scripts.get(path)
        if folder is None:
            return self._index.modules.name(path)
        inside = path[len(folder) :].lstrip("/").removesuffix(".py").removesuffix("/__init__")
        return inside.replace("/", ".")

    def module(self, path: str) -> str:
        """The dotted name of a file's module."""
        if path not in self._modules:
            self._modules[path] = self._short(path)
        return self._modules[path]

    def function(self, function: str) -> str:
        """The dotted name of a function, given its id; a module's own code has the module's name."""
        path, _, qualname = function.partition("::")
        module = self.module(path)
        return module if qualname in OWN_CODE else f"{module}.{qualname.replace(chr(39), '')}"


def _scripts(index: Index) -> dict[str, str]:
    """Files of packages that are run as scripts or imported by one from the same folder (path -> that
    folder). What is imported by its package name, too, keeps that name."""
    scripts: dict[str, str] = {}
    packaged: set[str] = set()
    for importer, target, beside in _imported(index):
        if beside:
            folder = dirname(importer)
            scripts[importer] = scripts[target] = folder
        elif not target.endswith("/__init__.py"):
            packaged.add(target)
    return {path: folder for path, folder in sorted(scripts.items()) if path not in packaged}


def _imported(index: Index) -> Iterator[tuple[str, str, bool]]:
    """(importer, file, is it found only because it lies beside the importer?) for imports in packages."""
    modules = index.modules
    for path in index.python_files:
        for item in _imports_of(index, path):
            target = modules.absolute(item.module, item.level, path)
            for dotted in (target, f"{target}.{item.name}"):
                found = modules.find(dotted, path)
                if found is not None and found != path and not found.startswith(MODELS):
                    yield path, found, not item.level and _only_beside(index, dotted, path)


def _imports_of(index: Index, path: str) -> list[Import]:
    file = index.files[path]
    return [*file.imports, *file.stars, *(i for f in file.functions.values() for i in f.imports)]


def _only_beside(index: Index, dotted: str, path: str) -> bool:
    modules = index.modules
    known = modules.find(dotted, "")
    beside = known is None or modules.find(dotted, path) == modules.sibling(dotted, path) != known
    return modules.in_package(path) and beside
