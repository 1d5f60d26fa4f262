"""Packages without `__init__.py`: what PEP 420 finds below the folders of `sys.path`, after all others."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from posixpath import dirname

_PACKAGING = ("pyproject.toml", "setup.py", "setup.cfg")


class Namespaces:
    """Files of folders without `__init__.py`, by the names that they have below a folder of `sys.path`."""

    def __init__(self, files: Collection[str], paths: Iterable[str]) -> None:
        """`files`: the tree's Python files; `paths`: all its files."""
        self._files = files
        self._packages = {dirname(p) for p in files if p.endswith("/__init__.py")}
        self._folders = {dirname(p) for p in files} - self._packages
        self._sources = _sources(paths)

    def names(self, path: str) -> Iterator[str]:
        """The path below `src`, as a file, when a folder above it has no `__init__.py`. A regular package of
        that name at the root or in another `src` is found before, and wins."""
        for source in self._sources:
            inside = path[len(source) + 1 :] if path.startswith(f"{source}/") else ""
            top = inside.partition("/")[0]
            if "/" in inside and not any(_join(s, top) in self._packages for s in ("", *self._sources)):
                yield inside

    def above(self, dotted: str, importer: str) -> str | None:
        """The file that `import dotted` means when a script in a folder above `importer` runs, or when it
        names a package that holds `importer`: that folder, or the package's, is on `sys.path`."""
        folder, top = dirname(dirname(importer)), dotted.partition(".")[0]
        while folder:
            stem = _join(folder, dotted.replace(".", "/"))
            around = folder in self._folders or importer.startswith(f"{folder}/{top}/")
            for path in (f"{stem}/__init__.py", f"{stem}.py") if around else ():
                if path in self._files and path != importer:
                    return path
            folder = dirname(folder)
        return None


def _sources(paths: Iterable[str]) -> list[str]:
    """The folders named `src` that are on `sys.path`: at the root, and beside a file that says how a project
    is packaged (setuptools, hatch and others look there: the "src layout")."""
    homes = {dirname(p) for p in paths if p.rpartition("/")[2] in _PACKAGING}
    return sorted(_join(home, "src") for home in {"", *homes})


def _join(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name
