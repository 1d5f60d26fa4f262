"""What install commands take from the tree itself: its own projects, and requirements files."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence

from mmcodemod.facts import installs, shell
from mmcodemod.facts.dockerfile import as_shell
from mmcodemod.facts.markdown import shell_blocks
from mmcodemod.facts.shell import Word
from mmcodemod.model.frozen import frozen

_FILE = ("-r", "--requirement")
_PROJECT = ("-e", "--editable")


@frozen(slots=True)
class Together:
    """What the commands of one text install after each other: folders of projects, and requirements files.
    Paths as written, below the folder that `cd` led to."""

    projects: tuple[str, ...]
    files: tuple[str, ...]


def together(path: str, text: str) -> Iterator[Together]:
    """Of a script or Dockerfile as a whole, and of each shell block of Markdown; also where the commands
    install only projects, or only files. Nothing of it is run."""
    if installs.MAY_INSTALL.search(text):
        for script in _scripts(path, text):
            found = [pair for command in shell.parse(script).commands for pair in _named(command)]
            projects = tuple(dict.fromkeys(name for is_file, name in found if not is_file))
            files = tuple(dict.fromkeys(name for is_file, name in found if is_file))
            yield Together(projects, files)


def _scripts(path: str, text: str) -> list[str]:
    if path.lower().endswith(".md"):
        return [block.text for block in shell_blocks(text)]
    scripts = path.endswith((".sh", ".bash", ".sbatch", ".slurm"))
    return [text if scripts else as_shell(text)]


def _named(command: shell.Command) -> Iterator[tuple[bool, str]]:
    """(is it a requirements file?, path) of each that a pip command names."""
    conda, words = installs.asked(command.words)
    for option, word in () if conda else _valued(words):
        known = not word.unknown and command.cwd is not None
        if known and (option in _FILE or option in _PROJECT or (not option and _is_path(word.text))):
            name = word.text if option in _FILE else word.text.partition("[")[0]
            yield option in _FILE, posixpath.join(command.cwd or "", name)


def _valued(words: Sequence[Word]) -> Iterator[tuple[str, Word]]:
    """Each argument with the option whose value it is, "" for none."""
    before = ""
    for word in words:
        if not word.text.startswith("-"):
            yield before, word
        before = word.text if word.text.startswith("-") and word.text in (*_FILE, *_PROJECT) else ""


def _is_path(text: str) -> bool:
    """pip takes for a folder what begins with a dot or has a slash."""
    return text.startswith(".") or ("/" in text and "://" not in text and "@" not in text)
