"""The DeepSpeed configurations of the tree, and the contexts that run with each."""

from __future__ import annotations

from mmcodemod.facts.node import Json
from mmcodemod.model.context import Context, Origin
from mmcodemod.project.model import Project


def parsed(project: Project) -> dict[str, Json]:
    """DeepSpeed JSON files by path. Use through `project.get(parsed)`."""
    return project.deepspeed_documents


def users(project: Project, path: str) -> list[Context]:
    """The training contexts that run with a configuration: launched ones when there are any."""
    launched = [c for c in project.contexts if path in c.configs]
    return launched or [c for c in project.configured if path in c.configs and c.origin is Origin.CONFIGURED]
