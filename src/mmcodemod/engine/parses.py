"""Is a changed file still what it was: Python, JSON, YAML, a script?"""

from __future__ import annotations

from mmcodemod.facts.syntax import ParseError, parse
from mmcodemod.source.tree import UnreadableFile, decode

SCRIPTS = (".sh", ".bash", ".sbatch", ".slurm")


def parses(path: str, data: bytes, before: bytes) -> bool:
    """Does the reader of such files take `data`, if it took what was there before?"""
    return _worth(path, data) >= _worth(path, before)


def _worth(path: str, data: bytes) -> int:
    """0 for a text that its reader refuses; a larger number for one that says more to its readers."""
    if path.endswith((".py", ".pyi")):
        return _python(data)
    try:
        text = decode(path, data)
    except UnreadableFile:
        return 0
    if path.endswith(".json"):
        return _json(text)
    if path.endswith((".yaml", ".yml")):
        return _yaml(text)
    return _commands(text) if path.endswith(SCRIPTS) else 1


def _python(data: bytes) -> int:
    try:
        parse(data)
    except ParseError:
        return 0
    return 1


def _json(text: str) -> int:
    """2 when Python's own `json` takes it, too."""
    from mmcodemod.facts import jsonspan

    read = jsonspan.parse(text)
    return 0 if read.root is None else 1 + read.strict


def _yaml(text: str) -> int:
    from mmcodemod.facts import yamlspan

    return int(not yamlspan.parse(text).errors)


def _commands(text: str) -> int:
    """An open quote would swallow the commands behind it."""
    from mmcodemod.facts import shell

    return len(shell.parse(text).commands)
