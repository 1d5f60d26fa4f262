"""The text of a file of the tree, for those who only search in it."""

from __future__ import annotations

from mmcodemod.project.model import Project
from mmcodemod.source.tree import UnreadableFile


def text_of(project: Project, path: str) -> str:
    """The decoded text; "" where the file cannot be read."""
    try:
        return project.index.text(path)
    except UnreadableFile:
        return ""
