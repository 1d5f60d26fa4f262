"""The DeepSpeed file that a run's code loads before it gives it on, or that an option of the program names:
`deepspeed.initialize(config=json.load(open(args.ds_config)))`. Must-analysis: everything that gives one shows
that it is this file, and what the code changes of it is UNKNOWN.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from dataclasses import replace

from mmcodemod.facts.node import Node
from mmcodemod.facts.syntax import unparse
from mmcodemod.model.context import Context
from mmcodemod.model.finding import Problem
from mmcodemod.model.frozen import frozen
from mmcodemod.model.option import UNKNOWN, Option
from mmcodemod.model.place import Place
from mmcodemod.project.changed_keys import Change, Kind, changed
from mmcodemod.project.code_settings import (
    CHANGED,
    DICTIONARY,
    found,
    leaves_open,
    with_file,
    with_settings,
)
from mmcodemod.project.flags import deepspeed_options
from mmcodemod.project.followed import Followed
from mmcodemod.project.given_configs import SPREAD
from mmcodemod.project.holders import occurrences
from mmcodemod.project.isolation import isolated
from mmcodemod.project.judging import watched
from mmcodemod.project.loaded_files import file_behind, plain_path
from mmcodemod.project.model import Project
from mmcodemod.project.origins import Origin, Origins
from mmcodemod.project.plugin_configs import MADE_BY_PLUGIN, file_of, plugin_of, settings_of
from mmcodemod.project.settings import Settings

BY_ACCELERATE = "accelerate.deepspeed_config_file"  # the option of a file that Accelerate loads


@frozen()
class _Loaded:
    """A file of the tree, how it is named, and what the code changes of its content."""

    path: str
    named: str
    at: Place
    changes: tuple[Change, ...]
    further: tuple[tuple[str, Option], ...] = ()


@frozen()
class _Plugged:
    """What a DeepSpeedPlugin of the code sets."""

    at: Place
    settings: tuple[tuple[str, Option], ...]


def with_loaded(project: Project, contexts: tuple[Context, ...]) -> tuple[Context, ...]:
    """The contexts, those whose launch leaves the configuration open with the file that their code loads."""
    answers = project.judging.each(contexts, lambda context: _isolated(project, context))
    return tuple(context if found is None else _joined(project, context, found) for context, found in answers)


def _joined(project: Project, context: Context, loaded: _Loaded | _Plugged) -> Context:
    if isinstance(loaded, _Plugged):
        options = {**dict(loaded.settings), "deepspeed": Option(MADE_BY_PLUGIN, loaded.at)}
        return watched(with_settings(context, options, f"by the DeepSpeedPlugin at {loaded.at}"))
    root = project.deepspeed_documents[loaded.path].root
    assert root is not None
    options = deepspeed_options(root, loaded.path) | dict(loaded.further)
    for change in loaded.changes:
        options |= dict(_opened(options, change))
    return watched(with_file(context, Option(loaded.named, loaded.at), loaded.path, options))


def _opened(options: dict[str, Option], change: Change) -> Iterator[tuple[str, Option]]:
    """What a change leaves open: the key, and all that it holds."""
    name = ".".join(("deepspeed", *change.keys))
    for key, option in options.items():
        inside = key.startswith(f"{name}.") and change.kind is Kind.HANDED
        if inside or (key == name and change.kind is Kind.SET):
            yield key, Option(UNKNOWN, option.at, CHANGED)


def _isolated(project: Project, context: Context) -> _Loaded | _Plugged | None:
    """What crashes for one context leaves that as its launch says."""

    def left_out(error: Exception) -> None:
        told = f"the configuration that the code loads is left out ({type(error).__name__}: {error})"
        project.problems.append(Problem(context.entry.path if context.entry else "", "analysis", told))

    return isolated(lambda: _loaded(project, context), left_out)


def _loaded(project: Project, context: Context) -> _Loaded | _Plugged | None:
    """The one file that every call of the run is given which takes a configuration; or its plugin."""
    if context.entry is None or not leaves_open(context) or context.option("deepspeed").value == DICTIONARY:
        return None
    reach = project.reach(context.entry)
    givings = [(g.expr, g.function, g.at) for g in project.in_code.givings(reach) if g.keyword != SPREAD]
    found = [_given(project, context, *giving, reach.functions) for giving in givings]
    if not found:
        return _plugged(project, context)
    first = found[0]
    alike = all(other is not None and first is not None and other.path == first.path for other in found)
    return first if alike else None


def _plugged(project: Project, context: Context) -> _Loaded | _Plugged | None:
    """What the DeepSpeedPlugin of the code brings, where there is one."""
    plugin = plugin_of(project, context)
    if plugin is None or context.entry is None:
        return None
    at, file = project.place(plugin.function.partition("::")[0], plugin.expr), file_of(plugin)
    if file is None:
        settings = settings_of(project, context, plugin)
        return _Plugged(at, tuple(settings.items())) if settings else None
    reach = project.reach(context.entry)
    loaded = _given(project, context, file, plugin.function, at, reach.functions)
    by_accelerate = ((BY_ACCELERATE, Option(loaded.named, at)),) if loaded else ()
    return replace(loaded, further=by_accelerate) if loaded else None


def _given(
    project: Project,
    context: Context,
    expr: ast.expr | None,
    function: str,
    at: Place,
    within: Collection[str],
) -> _Loaded | None:
    """The file that an expression comes to, which is given to a library at a place."""
    if expr is None:
        return None
    followed = Followed(project, within)
    ends = followed.of(expr, function)
    files = [file_behind(project, end) for end in ends]
    named = {_named(project, context, file or plain_path(project, end)) for file, end in zip(files, ends)}
    path, text = next(iter(named)) if len(named) == 1 else ("", "")
    root = project.deepspeed_documents[path].root if path else None
    if root is None:
        return None
    changes = _changes(project, followed.through, root) if any(files) else []
    return None if changes is None else _Loaded(path, text, at, tuple(changes))


def _named(project: Project, context: Context, path: Origin) -> tuple[str, str]:
    """The file that a path means, and how it is written; "" where that is open."""
    code = path.function.partition("::")[0]
    values = {s.value for s in Settings(project, context).of(path.expr, path.function)}
    text = next(iter(values)) if len(values) == 1 else _beside(project, path)
    if not isinstance(text, str):
        text = _beside(project, path)
    return found(text, code, project.deepspeed_documents) or "", text


def _beside(project: Project, path: Origin) -> str:
    """`os.path.join(HERE, "ds.json")` and `HERE / "ds.json"`, where HERE comes from `__file__`; "" else."""
    parts: list[ast.expr] = []
    match path.expr:
        case ast.Call(func=ast.Attribute(attr="join"), args=[first, *parts], keywords=[]):
            pass
        case ast.BinOp(left=first, op=ast.Div(), right=last):
            parts = [last]
        case _:
            return ""
    texts = [p.value for p in parts if isinstance(p, ast.Constant) and isinstance(p.value, str)]
    folders = Origins(project).of(first, path.function)
    here = bool(folders) and all("__file__" in unparse(o.expr) for o in folders)
    return "/".join(texts) if here and len(texts) == len(parts) else ""


def _changes(project: Project, through: list[Origin], root: Node) -> list[Change] | None:
    """What code changes of the content on its way; None where it may be anything, or a whole section."""
    kept = {unparse(holder.expr) for holder in through}
    every: list[Change] = []
    for holder in dict.fromkeys(through):
        for node, parents in occurrences(project, holder) or ((holder.expr, None),):
            made = changed(node, parents, kept) if parents is not None else None
            if made is None or any(_is_open(root, change) for change in made):
                return None
            every += made
    return every


def _is_open(root: Node, change: Change) -> bool:
    """Does it change a whole section, or may it add what the file does not have?"""
    node = root.get(".".join(change.keys))
    section = node is not None and node.kind == "object"
    return change.kind is not Kind.HANDED and (section or (node is None and change.kind is Kind.DEFAULT))
