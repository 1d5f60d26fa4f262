"""Commands that the tree itself installs: `llamafactory-cli = llamafactory.cli:main`."""

from __future__ import annotations

import ast
import posixpath
from collections.abc import Iterator

from mmcodemod.facts.syntax import walk
from mmcodemod.model.context import Entry
from mmcodemod.model.pattern import regex
from mmcodemod.project.sources import Sources

_SCRIPT = regex(
    r"\s*[\"']?([\w.-]{1,100})[\"']?\s*=\s*[\"']?([\w.]{1,200}):([A-Za-z_][\w.]{0,100})[\"']?\s*(?:#.*)?"
)
_MOST_HOPS = 5  # packages that pass a function on
_FILES = ("pyproject.toml", "setup.cfg", "entry_points.txt", "setup.py")


def console_scripts(sources: Sources) -> dict[str, Entry]:
    """The entry of every console script whose function lies in the tree."""
    found: dict[str, Entry] = {}
    for path in sorted(sources.paths):
        if posixpath.basename(path) in _FILES:
            for name, module, symbol in _declared(path, sources.text(path) or ""):
                file = module_file(sources.paths, posixpath.dirname(path), module)
                if file is not None:
                    found.setdefault(name, _defined(sources, Entry(file, symbol)))
    return found


def _defined(sources: Sources, entry: Entry) -> Entry:
    """Where the function is defined, when a package only passes it on: `from .entry_point import cli`."""
    for _ in range(_MOST_HOPS):
        onward = _imported(sources, entry)
        if onward is None:
            break
        entry = onward
    return entry


def _imported(sources: Sources, entry: Entry) -> Entry | None:
    """The file and name that a module imports a name from, None when it is not in the tree."""
    module = sources.python(entry.path)
    imports = [node for node in (module.body if module else ()) if isinstance(node, ast.ImportFrom)]
    for node in imports:
        for alias in node.names:
            if (alias.asname or alias.name) == entry.symbol:
                folder = _package(entry.path, node.level)
                file = module_file(sources.paths, folder, node.module or alias.name) if node.level else None
                return Entry(file, alias.name) if file else None
    return None


def _package(path: str, level: int) -> str:
    """The folder that `level` dots mean in a module."""
    for _ in range(level):
        path = posixpath.dirname(path)
    return path


def _declared(path: str, text: str) -> Iterator[tuple[str, str, str]]:
    lines = _string_literals(text) if path.endswith(".py") else _script_sections(text)
    for line in lines:
        if found := _SCRIPT.fullmatch(line):
            yield found[1], found[2], found[3]


def _script_sections(text: str) -> Iterator[str]:
    """Lines of the sections that hold scripts (TOML, INI and entry_points.txt look alike here)."""
    section = ""
    for line in text.splitlines():
        if line.startswith("["):
            section = line.strip("[] \t")
        elif section.endswith(("scripts", "entry_points")):
            yield line


def _string_literals(text: str) -> Iterator[str]:
    try:
        module = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in walk(module):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value) < 500:
            yield from node.value.splitlines()


def module_file(paths: frozenset[str], folder: str, module: str) -> str | None:
    """The file of the dotted `module` for a project in `folder`, None when it is not in the tree."""
    stem = module.replace(".", "/")
    bases = ("", "src") if folder.endswith(".dist-info") else (folder, posixpath.join(folder, "src"))
    candidates = (posixpath.join(b, stem + end) for b in bases for end in (".py", "/__init__.py"))
    return next((c for c in candidates if c in paths), None)
