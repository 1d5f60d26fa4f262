"""Everything in a tree that people could train with: what made a context, and what did not and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from mmcodemod.model.context import Context, Entry, Overview, PassedOver
from mmcodemod.model.place import Place
from mmcodemod.project.contexts import configured_python, passed_over
from mmcodemod.project.launch_files import is_launch_file
from mmcodemod.project.model import Project
from mmcodemod.project.pins import Pins
from mmcodemod.project.python_config import bases, is_config
from mmcodemod.project.sources import Sources


def overview(project: Project, over: tuple[PassedOver, ...]) -> Overview:
    """The overview of a project; `over` are the launches that the contexts were read beside."""
    sources = project.sources
    contexts = () if project.is_library else project.contexts
    configured = (*project.configured, *_python(sources, contexts, project.pins))
    known = {(p.path, p.line) for p in over} | {_key(c.launcher) for c in contexts if c.launcher}
    idle = (c for c in project.launched if c.launcher and _key(c.launcher) not in known)
    rest = [*over, *(passed_over(c.launcher, _reason(c)) for c in idle if c.launcher)]
    rest += _scripts(sources, {p.path for p in rest} | {c.launcher.path for c in contexts if c.launcher})
    rest += _configs(sources, {path for c in (*contexts, *configured) for path in c.configs})
    return Overview(tuple(contexts), tuple(configured), tuple(sorted(dict.fromkeys(rest))))


def _key(place: Place) -> tuple[str, int]:
    return place.path, place.line


def _reason(context: Context) -> str:
    own = context.entry is not None and not context.entry.library
    entry = context.entry.path if own and context.entry else "the program"
    return f"no training step was found in what {entry} reaches"


def _python(sources: Sources, contexts: tuple[Context, ...], pins: Pins) -> Iterator[Context]:
    """The configurations written in Python that no launch names, for the entry that takes such ones."""
    launched = [c.entry for c in contexts if c.entry and c.entry.config]
    takes = Counter(Entry(e.path, e.symbol) for e in launched).most_common(1)
    used = {path for entry in launched for path in bases(sources, entry.config)}
    for path in sorted(p for p in sources.paths if p.endswith(".py") and p not in used):
        if is_config(sources, path):
            yield configured_python(sources, path, takes[0][0] if takes else None, pins)


def _scripts(sources: Sources, known: set[str]) -> Iterator[PassedOver]:
    """Launch files without any launch."""
    for path in sorted(p for p in sources.paths if is_launch_file(p) and p not in known):
        unread = sources.text(path) is None
        yield PassedOver(path, 0, "script", "it cannot be read" if unread else "it starts no Python program")


def _configs(sources: Sources, used: set[str]) -> Iterator[PassedOver]:
    for path in sorted(p for p in sources.paths if p.endswith((".yaml", ".yml")) and p not in used):
        yield PassedOver(path, 0, "config", _of_yaml(sources, path))


def _of_yaml(sources: Sources, path: str) -> str:
    """Why a YAML file makes no context of its own."""
    document, root = sources.document(path), sources.root(path)
    if document is None or document.errors:
        return "it cannot be read as YAML"
    if root is None:
        return "it is no mapping at the top level"
    if root.member("distributed_type") or root.member("num_processes"):
        return "an accelerate configuration that no launch names"
    if root.member("model_name_or_path"):
        return "no launch names it, and it does not ask for training"
    return "no launch names it, and its keys are of no training configuration that is known"
