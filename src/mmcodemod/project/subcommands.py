"""Commands of a console script that start another file: `swift sft`, `xtuner train`.

Such a script looks its first argument up in a dictionary, whose values are dotted modules, or functions that
return `module.__file__`. The file is read with `ast`, before the index, and nothing of it is run."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.facts.shell import Word
from mmcodemod.facts.syntax import walk
from mmcodemod.model.context import Entry
from mmcodemod.project.console_scripts import module_file
from mmcodemod.project.sources import Sources


def handed_on(sources: Sources, entry: Entry, words: tuple[Word, ...]) -> Entry | None:
    """The file that the first of `words` names as a command of the console script `entry`, None when the
    script itself does the work (or does not show what it starts)."""
    if not words or words[0].unknown:
        return None
    return _commands(sources, entry.path).get(_spelled(words[0].text))


def _commands(sources: Sources, path: str) -> dict[str, Entry]:
    """The commands of one console script by name; read once."""
    return sources.once(("subcommands", path), lambda: dict(_read(sources, path)))


def _read(sources: Sources, path: str) -> Iterator[tuple[str, Entry]]:
    module = sources.python(path)
    if module is None:
        return
    functions = {node.name: node for node in module.body if isinstance(node, ast.FunctionDef)}
    for display in (node for node in walk(module) if isinstance(node, ast.Dict)):
        for key, value in zip(display.keys, display.values):
            if isinstance(key, ast.Constant) and isinstance(key.value, str):
                file = _file(sources, path, value, functions)
                if file is not None:
                    yield _spelled(key.value), Entry(file)


def _file(sources: Sources, path: str, value: ast.expr, functions: dict[str, ast.FunctionDef]) -> str | None:
    if isinstance(value, ast.Constant) and isinstance(value.value, str) and "." in value.value:
        return _module(sources, path, value.value)
    if isinstance(value, ast.Name) and value.id in functions:
        return _returned(sources, path, functions[value.id])
    return None


def _returned(sources: Sources, path: str, function: ast.FunctionDef) -> str | None:
    """`from a.b import c; return c.__file__`: the file of a.b.c."""
    imported = {
        alias.asname or alias.name: f"{node.module}.{alias.name}"
        for node in function.body
        if isinstance(node, ast.ImportFrom) and node.module and not node.level
        for alias in node.names
    }
    for node in function.body:
        match node:
            case ast.Return(value=ast.Attribute(value=ast.Name(id=name), attr="__file__")):
                return _module(sources, path, imported[name]) if name in imported else None
    return None


def _module(sources: Sources, path: str, dotted: str) -> str | None:
    """The file of a module, seen from the folder that holds the console script's package."""
    parts = path.split("/")[:-1]
    bases = ("/".join(parts[:n]) for n in range(len(parts) + 1))
    return next((f for b in bases if (f := module_file(sources.paths, b, dotted)) is not None), None)


def _spelled(name: str) -> str:
    return name.replace("_", "-").lower()
