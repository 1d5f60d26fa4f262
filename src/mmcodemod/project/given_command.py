"""What a command that is given word by word runs. Nothing in it is expanded or evaluated."""

from __future__ import annotations

import posixpath
from dataclasses import replace

from mmcodemod.facts import shell
from mmcodemod.facts.shell import Command, Word
from mmcodemod.model.given import Given
from mmcodemod.project.paths import Where

_SHELLS = ("bash", "sh", "dash", "zsh", "source")
_SCRIPTS = (".sh", ".bash", ".sbatch", ".slurm")


def command_of(given: Given) -> Command:
    """The command with its words as a shell reads them from the text."""
    found = shell.parse(given.text).commands[0]
    variables = {name: Word(value, (1, 1), (1, 1)) for name, value in given.environment}
    return replace(found, env={**variables, **found.env}, cwd=given.folder)


def script_of(given: Given, paths: frozenset[str]) -> str | None:
    """The shell script of the tree that it runs, None when it runs something else."""
    words = given.words[1:] if posixpath.basename(given.words[0]) in _SHELLS else given.words
    if not words or words[0].startswith("-"):
        return None
    found = Where(paths, "", given.folder).resolve(words[0])
    return found.path if found and found.path.endswith(_SCRIPTS) else None
