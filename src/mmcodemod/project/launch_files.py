"""Files that hold launch commands: shell scripts, Makefiles, and shell blocks of Markdown."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from mmcodemod.facts import makefile, shell
from mmcodemod.facts.markdown import shell_blocks
from mmcodemod.facts.shell import Command
from mmcodemod.model.pattern import regex
from mmcodemod.model.place import is_readme
from mmcodemod.project.called_scripts import SCRIPTS, Found, called, script_commands
from mmcodemod.project.records import is_record
from mmcodemod.project.sources import Sources

__all__ = ["PAGES", "Found", "commands"]

_README, _PAGE = "from README code block", "from a code block of a page"
RECORD = "from a code block of a plan or a record"
PAGES = frozenset((_README, _PAGE, RECORD))
"""The notes on what a launch was read from, where that is Markdown."""
_MAKEFILES = ("Makefile", "makefile", "GNUmakefile")
_STARTS = regex(r"python|torchrun|deepspeed|accelerate|-cli")


def commands(sources: Sources, names: frozenset[str]) -> Iterator[Found]:
    """All commands of the tree that may launch something: scripts first, Markdown last. `names` are the
    console scripts of the tree and of libraries."""
    pages, starts = [], _starts(names)
    for path in sorted(sources.paths):
        if path.endswith(SCRIPTS):
            yield from (Found(path, c) for c in script_commands(sources, path))
        elif posixpath.basename(path) in _MAKEFILES or path.endswith(".mk"):
            yield from (Found(path, c) for c in _make_commands(sources.text(path) or "", starts))
        elif path.endswith((".md", ".markdown")) and not path.startswith("."):
            pages.append(path)
    for path in sorted(p for p in sources.paths if p.endswith(SCRIPTS)):
        yield from called(sources, path)
    for path in sorted(pages, key=is_record):  # a command counts where it is first
        if starts.search(sources.data(path)):
            note = RECORD if is_record(path) else _README if is_readme(path) else _PAGE
            yield from (Found(path, c, note) for c in _page_commands(sources.text(path) or "", starts))


def is_launch_file(path: str) -> bool:
    """Is it a shell script or a makefile?"""
    return path.endswith((*SCRIPTS, ".mk")) or posixpath.basename(path) in _MAKEFILES


def _starts(names: frozenset[str]) -> re.Pattern[bytes]:
    words = ["torchrun", "deepspeed", "accelerate", r"python[\d.]*", *(re.escape(n) for n in sorted(names))]
    return re.compile(rf"\b(?:{'|'.join(words)})\s".encode())


def _page_commands(text: str, starts: re.Pattern[bytes]) -> Iterator[Command]:
    for block in shell_blocks(text):
        if starts.search(block.text.encode(errors="replace")):
            yield from shell.parse("\n" * (block.line - 1) + block.text, placeholders=True).commands


def _make_commands(text: str, starts: re.Pattern[bytes]) -> Iterator[Command]:
    """Recipe lines, each a shell of its own, with the makefile's variables."""
    known = makefile.variables(text)
    starting = [name for name, value in known.items() if _STARTS.search(value)]
    for start, recipe in makefile.recipes(text):
        named = _STARTS.search(recipe) or any(f"${{{name}}}" in recipe for name in starting)
        if named or starts.search(recipe.encode(errors="replace")):
            yield from shell.parse("\n" * start + recipe, known).commands
