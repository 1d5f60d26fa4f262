"""A launch command that somebody gives us word by word, as the machine would run it."""

from __future__ import annotations

import posixpath
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, replace

from mmcodemod.facts import shell
from mmcodemod.facts.shell import Command, Word
from mmcodemod.project.paths import Where

COMMAND = "command line"  # the path under which reports show it
_SHELLS = ("bash", "sh", "dash", "zsh", "source")
_NAMES = frozenset(
    [
        "CUDA_VISIBLE_DEVICES",
        "LOCAL_RANK",
        "MASTER_ADDR",
        "MASTER_PORT",
        "NNODES",
        "NODE_RANK",
        "NPROC_PER_NODE",
        "RANK",
        "WORLD_SIZE",
    ]
)
_PREFIXES = ("ACCELERATE_", "DEEPSPEED_", "FSDP_", "NCCL_", "TORCH_DISTRIBUTED_", "TORCH_NCCL_")


@dataclass(frozen=True)
class Given:
    """`words` are what the program gets, `environment` what decides how it runs, `folder` where it runs,
    relative to the root of the tree ("" is the root)."""

    words: tuple[str, ...]
    environment: tuple[tuple[str, str], ...] = ()
    folder: str = ""

    @property
    def text(self) -> str:
        """The command as one would type it."""
        return shlex.join(self.words)

    def command(self) -> Command:
        """Its words as a shell reads them from the text: nothing in them is expanded."""
        found = shell.parse(self.text).commands[0]
        variables = {name: Word(value, (1, 1), (1, 1)) for name, value in self.environment}
        return replace(found, env={**variables, **found.env}, cwd=self.folder)

    def script(self, paths: frozenset[str]) -> str | None:
        """The shell script of the tree that it runs, None when it runs something else."""
        words = self.words[1:] if posixpath.basename(self.words[0]) in _SHELLS else self.words
        if not words or words[0].startswith("-"):
            return None
        found = Where(paths, "", self.folder).resolve(words[0])
        return found.path if found and found.path.endswith((".sh", ".bash", ".sbatch", ".slurm")) else None


def deciding(environment: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """The variables that change how a launcher starts a run, sorted. Others may hold tokens."""
    return tuple(sorted((n, v) for n, v in environment.items() if n in _NAMES or n.startswith(_PREFIXES)))
