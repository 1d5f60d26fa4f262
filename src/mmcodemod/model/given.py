"""A launch command that somebody gives us word by word, as the machine would run it."""

from __future__ import annotations

import shlex
from collections.abc import Mapping

from mmcodemod.model.frozen import held

COMMAND = "command line"  # the path under which reports show it
_NAMES = (
    "CUDA_VISIBLE_DEVICES",
    "FORCE_TORCHRUN",
    "NNODES",
    "NODE_RANK",
    "NPROC_PER_NODE",
    "RANK",
    "LOCAL_RANK",
    "WORLD_SIZE",
)
_PREFIXES = ("ACCELERATE_", "DEEPSPEED_", "FSDP_", "MASTER_", "NCCL_", "TORCH_DISTRIBUTED_", "TORCH_NCCL_")


@held()
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


def deciding(environment: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """The variables that change how a launcher starts a run, sorted. Others may hold tokens."""
    return tuple(sorted((n, v) for n, v in environment.items() if n in _NAMES or n.startswith(_PREFIXES)))
