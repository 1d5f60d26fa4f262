"""Entries that nobody is told to start: nothing launches them and no text of the tree names them, while other
entries are launched."""

from __future__ import annotations

import posixpath

from mmcodemod.model.context import Context, Origin
from mmcodemod.project.config_answers import mentioned
from mmcodemod.project.model import Project

_TEXTS = (
    ".md",
    ".rst",
    ".txt",
    ".sh",
    ".slurm",
    ".sbatch",
    ".yaml",
    ".yml",
    ".toml",
    "Makefile",
    "Dockerfile",
)
_BEFORE = (" ", "/", "`", "\t", '"', "'")  # what stands before the name of a file


def nobody_starts(project: Project, context: Context) -> bool:
    """Does a run start at such an entry?"""
    if context.origin is not Origin.ENTRY or context.entry is None:
        return False
    if not any(c.origin is Origin.LAUNCHED for c in project.contexts):
        return False
    words = tuple(f"{before}{posixpath.basename(context.entry.path)}" for before in _BEFORE)
    return mentioned(project, words, (*_TEXTS, context.entry.path)) is None
