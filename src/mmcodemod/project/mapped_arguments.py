"""Training arguments that code makes of the YAML or JSON file which the launch names: a section of it
(`TrainingArguments(**cfg["trainer"])`), or what is left after the code has changed it
(`values["fp16"] = False; parser.parse_dict(values)`). Must-analysis for sections; what the code changes is
UNKNOWN, and so is everything where the tree has no such file.
"""

from __future__ import annotations

import posixpath
from dataclasses import replace

from mmcodemod.model.context import NOT_SET, Context, Strategy
from mmcodemod.model.finding import Problem
from mmcodemod.model.option import UNKNOWN, Option
from mmcodemod.model.place import Place
from mmcodemod.project.code_settings import CHANGED, found
from mmcodemod.project.flags import PASSED_ON, deepspeed_options
from mmcodemod.project.hydra_composed import composed
from mmcodemod.project.isolation import isolated
from mmcodemod.project.judging import watched
from mmcodemod.project.left_open import left_open
from mmcodemod.project.loaded_files import settings_behind
from mmcodemod.project.mapped_reads import Read, mapped_reads
from mmcodemod.project.model import Project
from mmcodemod.project.settings import Settings
from mmcodemod.project.strategy import strategy_of

_FILES = (".yaml", ".yml", ".json")
_DEEPSPEED = "deepspeed"
_ABSENT = "the file that brings the training arguments is not in the tree"  # the note of the strategy


def with_mapped(project: Project, contexts: tuple[Context, ...]) -> tuple[Context, ...]:
    """The contexts, with what their code makes of the file that the launch names."""
    return tuple(_isolated(project, context) for context in contexts)


def _isolated(project: Project, context: Context) -> Context:
    """What crashes for one context leaves that as its launch says."""

    def left_out(error: Exception) -> None:
        told = f"what the code makes of its configuration is left out ({type(error).__name__}: {error})"
        project.problems.append(Problem(context.entry.path if context.entry else "", "analysis", told))

    return isolated(lambda: _mapped(project, context), left_out) or context


def _mapped(project: Project, context: Context) -> Context:
    files = [p for p in context.configs if p.endswith(_FILES) and p not in project.deepspeed_documents]
    if context.entry is None or context.entry.library:
        return context
    if not files:
        return _without_any(project, _of_hydra(project, context))
    every = project.once(mapped_reads, context.entry)
    reads = [read for read in every if read is not None]
    if not reads or len(reads) != len(every) or any(r.section != reads[0].section for r in reads):
        return context
    for read in reads:
        context = _opened(project, context, files, read)
    return _sectioned(project, context, reads[0]) if reads[0].section and len(files) == 1 else context


def _of_hydra(project: Project, context: Context) -> Context:
    """The context of a program of hydra, with the arguments that it makes of what is composed."""
    every = project.once(mapped_reads, context.entry) if context.entry and context.launcher else []
    whole = composed(project, context) if len(every) == 1 and every[0] is not None else None
    if whole is None or every[0] is None:
        return context
    read, options = every[0], {**whole.options, **context.options}
    held = replace(context, options=options, configs=(*context.configs, whole.path))
    files = sorted({option.at.path for option in whole.options.values() if option.at is not None})
    made = _sectioned(project, _opened(project, held, files, read), read)
    before = ".".join((*read.section, ""))
    other = {n for n in whole.options if f"{before}{n}" not in whole.options} - set(context.options)
    return replace(made, options={n: o for n, o in made.options.items() if n not in other})


def _without_any(project: Project, context: Context) -> Context:
    """The context, open where its arguments come from a file that the tree does not have."""
    if context.entry is None or context.launcher is None:
        return context
    every = project.once(mapped_reads, context.entry)
    read = next((r for r in every if r is not None and _is_absent(project, context, r)), None)
    return context if read is None else watched(left_open(context, read.at, _ABSENT))


def _is_absent(project: Project, context: Context, read: Read) -> bool:
    """Does the launch name a file that is not there, or one that does not show?"""
    path = settings_behind(project, read.loaded) if read.loaded else None
    values = {s.value for s in Settings(project, context).of(path.expr, path.function)} if path else set()
    named = [value for value in values if isinstance(value, str)]
    shown = bool(values) and len(named) + (UNKNOWN in values) == len(values)
    return shown and not any(_is_there(project, name) for name in named)


def _is_there(project: Project, named: str) -> bool:
    """Has the tree a file of that path, from whatever folder it counts?"""
    inside = f"/{posixpath.normpath(named).lstrip('./')}"
    return any(f"/{path}".endswith(inside) for path in project.tree.paths)


def _opened(project: Project, context: Context, files: list[str], read: Read) -> Context:
    """The context, with what its code changes of the file open."""
    names = [".".join((*read.section, *change.keys)) for change in read.changes]
    if read.open or "" in names or ".".join(read.section) in names:
        return _all_open(context, files, read.at)
    if _DEEPSPEED in names:
        context = _without_file(project, context, read.at)
    kept = {n: _unknown(o) if _is_within(n, names) else o for n, o in context.options.items()}
    options = {**{name: Option(UNKNOWN, read.at, CHANGED) for name in names}, **kept}
    return replace(context, options=options) if names else context


def _all_open(context: Context, files: list[str], at: Place) -> Context:
    """Any entry of the files may be another one, and there may be more."""
    of_file = {n: _unknown(o) for n, o in context.options.items() if o.at is not None and o.at.path in files}
    return replace(context, options={**context.options, **of_file, PASSED_ON: Option(UNKNOWN, at, CHANGED)})


def _without_file(project: Project, context: Context, at: Place) -> Context:
    """The context whose `deepspeed` the code sets or takes out: which strategy it has is open."""
    options = {n: o for n, o in context.options.items() if not n.startswith(f"{_DEEPSPEED}.")}
    configs = tuple(p for p in context.configs if p not in project.deepspeed_documents)
    decided = Option(UNKNOWN, at, CHANGED)
    return replace(
        context, strategy=Strategy.UNKNOWN, strategy_from=decided, options=options, configs=configs
    )


def _unknown(option: Option) -> Option:
    return Option(UNKNOWN, option.at, CHANGED)


def _is_within(name: str, changed: list[str]) -> bool:
    return any(name == key or name.startswith(f"{key}.") for key in changed)


def _sectioned(project: Project, context: Context, read: Read) -> Context:
    """The context, with the entries of the section as the training arguments that they are. Flags win over
    them; what the file has elsewhere under the same names is no argument."""
    before = "".join(f"{key}." for key in read.section)
    inside = {n.removeprefix(before): o for n, o in context.options.items() if n.startswith(before)}
    files = {option.at.path for option in inside.values() if option.at is not None}
    flags = {n: o for n, o in context.options.items() if o.at is None or o.at.path not in files}
    named = {**inside, **flags}.get(_DEEPSPEED, NOT_SET).value
    path = found(named, read.at.path, project.deepspeed_documents) if isinstance(named, str) else None
    root = project.deepspeed_documents[path].root if path else None
    if path and root is not None:
        inside |= deepspeed_options(root, path)
    options = {**context.options, **inside, **flags}
    configs = tuple(dict.fromkeys((*context.configs, *([path] if path else ()))))
    sectioned = watched(replace(context, options=options, configs=configs))
    if not context.strategy.is_open or context.launcher is None:
        return sectioned
    strategy, decided = strategy_of(context.launched_by, options, context.launcher)
    return replace(sectioned, strategy=strategy, strategy_from=decided)
