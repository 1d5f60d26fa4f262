"""The DeepSpeed configurations of the tree, and the contexts that run with each."""

from __future__ import annotations

from mmcodemod.facts import jsonspan
from mmcodemod.facts.lines import LineMap
from mmcodemod.facts.node import Json
from mmcodemod.model.context import Context, Origin
from mmcodemod.model.frozen import frozen
from mmcodemod.model.place import Place
from mmcodemod.project.code_settings import CHANGED
from mmcodemod.project.deepspeed_config import STAGE
from mmcodemod.project.model import Project
from mmcodemod.project.sources import Sources


def parsed(project: Project) -> dict[str, Json]:
    """DeepSpeed JSON files by path. Use through `project.get(parsed)`."""
    return project.deepspeed_documents


def users(project: Project, path: str) -> list[Context]:
    """The training contexts that run with a configuration: launched ones when there are any."""
    launched = [c for c in project.contexts if path in c.configs]
    return launched or [c for c in project.configured if path in c.configs and c.origin is Origin.CONFIGURED]


def changed_by_code(context: Context, key: str) -> bool:
    """Does the code of a run change a setting of its file, as a dictionary that it has loaded?"""
    return context.option(f"deepspeed.{key}").note == CHANGED


@frozen()
class Unreadable:
    """A configuration that neither strict JSON nor hjson can read; `ends`: the text ends too early."""

    at: Place
    error: str
    ends: bool


def unreadable(project: Project) -> list[Unreadable]:
    """The files that runs name as their configuration and nobody can read. Use through `project.get`."""
    every = (*project.contexts, *project.configured)
    named = {c.configs[-1] for c in every if c.configs and STAGE in c.options}
    sources = project.sources
    found = (_unreadable(sources, path) for path in sorted(named - project.get(parsed).keys()))
    return [unreadable for unreadable in found if unreadable is not None]


def _unreadable(sources: Sources, path: str) -> Unreadable | None:
    text = sources.text(path) if path.endswith((".json", ".hjson")) else None
    document = None if text is None else jsonspan.parse(text)
    if text is None or document is None or document.root is not None or document.strict:
        return None
    line, column, error = document.errors[0]
    last = LineMap(text).position(max(len(text.rstrip()) - 1, 0))
    return Unreadable(Place(path, *min((line, column), last)), error, (line, column) > last)
