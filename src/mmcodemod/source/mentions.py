"""Which files of a repository a text names: by path, in an import, behind `-m` or `cd`. Nothing is parsed:
this is for a hint, not for an answer."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from posixpath import dirname, join, normpath

from mmcodemod.model.pattern import regex

_SUFFIX = regex(r"\.(?:py|sh|bash|sbatch|slurm|json|ya?ml)(?![\w/-])")  # quick: begins with what is rare
_PATH = regex(r"[\w./-]+")
_IMPORT = regex(r"^[ \t]*(?:from|import)[ \t]+(\.*)([\w.]*)", re.M)
_RUN = regex(r" -[bBdEiIOPqsSuvx]*m[ \t]+()([\w.]+)")
_FOLDER = regex(r"cd(?<!\wcd)[ \t]+[\"']?(?:\$\{?\w+\}?[\"']?/)?([\w./-]+)")
_LONGEST = 300  # characters of a path


def mentions(text: str, at: str) -> Iterator[Iterator[str]]:
    """What each name may mean, nearest first, when `text` is that of the file `at`: it is looked up in the
    folder of that file and in all above, a module also in their `src`. Paths are relative to the top of the
    repository."""
    above = tuple(_above(at))
    for path in dict.fromkeys([*_files(text), *_FOLDER.findall(text)]):
        yield _from(above, path.lstrip("/"))
    roots = (*above, *(join(folder, "src") for folder in above))
    for dots, name in dict.fromkeys([*_IMPORT.findall(text), *_RUN.findall(text)]):
        path = name.strip(".").replace(".", "/")
        folders = (normpath(join(above[0], "../" * (len(dots) - 1))),) if dots else roots
        yield (one for found in _from(folders, path) for one in (f"{found}.py", found))


def _files(text: str) -> Iterator[str]:
    for suffix in _SUFFIX.finditer(text):
        yield from _PATH.findall(text, max(suffix.end() - _LONGEST, 0), suffix.end())[-1:]


def folders_of(paths: Iterable[str]) -> frozenset[str]:
    """All folders that hold one of these files, however deep."""
    return frozenset(folder for path in paths for folder in _above(path))


def _above(path: str) -> Iterator[str]:
    """The folder of a path and those above it; the top is ""."""
    while path:
        path = dirname(path)
        yield path


def _from(folders: Iterable[str], path: str) -> Iterator[str]:
    """A relative path from each of these folders, as far as it stays in the repository."""
    plain = "./" not in path and "//" not in path
    for folder in folders:
        found = f"{folder}/{path}" if folder else path
        found = found if plain else normpath(found)
        if not found.startswith(".."):
            yield "" if found == "." else found
