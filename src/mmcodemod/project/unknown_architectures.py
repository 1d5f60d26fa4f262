"""Launches that die because they load a public checkpoint whose architecture the required transformers does
not know yet. Must-analysis: a call of an `Auto` class that the run surely makes before it trains, the one
name that it can be given, and requirements of which every version lacks the architecture."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

from mmcodemod.knowledge.architectures import NEWEST, Architecture, architecture
from mmcodemod.model.context import Context, Entry, Origin
from mmcodemod.model.frozen import frozen
from mmcodemod.model.place import Place
from mmcodemod.project import stated_versions, versions
from mmcodemod.project.death import Death, dead_at
from mmcodemod.project.model import Project
from mmcodemod.project.older_library import WRITTEN, required_libraries
from mmcodemod.project.search_path import first_folder
from mmcodemod.project.setting import Setting
from mmcodemod.project.settings import Settings
from mmcodemod.project.stored_options import overwrites
from mmcodemod.project.sure_run import SureRun, takes, under_tests
from mmcodemod.project.sure_way import Level, before_training
from mmcodemod.project.texts_of_files import text_of

_LIBRARY = "transformers"
_NO_MODELS = ("AutoTokenizer", "AutoProcessor", "AutoImageProcessor", "AutoFeatureExtractor")
"""These need no configuration of the model, where the checkpoint names their class."""


def unknown_architecture(project: Project, context: Context) -> Death | None:
    """How a launch dies of such a load; None when nothing shows that."""
    entry = context.entry
    if entry is None or context.origin is not Origin.LAUNCHED or entry.library or not _old(project, context):
        return None
    for load in project.once(_loads, entry):
        named = _name(project, context, entry, load)
        known = architecture(named.value) if named is not None else None
        if named and known and takes(project, context, load.way):
            if death := _refused(project, context, load.at, named, known):
                return death
    return None


def _old(project: Project, context: Context) -> bool:
    """May the required release lack any of them, and is it that of the library?"""
    root = first_folder(context)
    known = root is not None and _LIBRARY in project.once(required_libraries, root)
    return known and bool(_ends(project, context, NEWEST))


def _ends(project: Project, context: Context, known: Architecture) -> str:
    """Why no allowed version loads it; "" where one may."""
    if stated_versions.all_below(project, context, _LIBRARY, known.refused_from) is not False:
        return ""
    return stated_versions.absence(project, context, _LIBRARY, known.since, "")


@frozen()
class _Load:
    """A checkpoint that a call loads, where, and how the run gets there."""

    named: ast.expr
    at: Place
    way: tuple[Level, ...]


def _loads(project: Project, entry: Entry) -> tuple[_Load, ...]:
    return tuple(_found(project, entry))


def _found(project: Project, entry: Entry) -> Iterator[_Load]:
    for made in SureRun(project, entry, under_tests).calls():
        named = None if made.over or made.called is None else _named(made.call, made.called.library)
        if named is not None and before_training(project, made.way):
            yield _Load(named, Place(made.path, made.call.lineno), made.way)


def _named(call: ast.Call, library: str) -> ast.expr | None:
    """What an `Auto` class of models loads."""
    top, _, rest = library.partition(".")
    cls, _, method = rest.rpartition(".")
    if top != _LIBRARY or method != "from_pretrained" or not cls.startswith("Auto") or cls in _NO_MODELS:
        return None
    given = {keyword.arg: keyword.value for keyword in call.keywords}
    if "config" in given or None in given:  # then it need not ask what the checkpoint is
        return None
    return call.args[0] if call.args else given.get("pretrained_model_name_or_path")


def _name(project: Project, context: Context, entry: Entry, load: _Load) -> Setting | None:
    """The one text that a load can be given; None where code may put something over an option."""
    found = Settings(project, context).of(load.named, load.way[-1].function)
    texts = {setting.value if isinstance(setting.value, str) else None for setting in found}
    if len(texts) != 1 or None in texts:
        return None
    named = min(found, key=lambda setting: setting.at or load.at)
    return None if named.flag and _put_over(project, entry, named.flag) else named


def _put_over(project: Project, entry: Entry, name: str) -> bool:
    """May the run store another value under the name: in a namespace, or in an object of a dataclass?"""
    reach = project.reach(entry)
    naming = (facts for facts in project.mentioning(f".{name}") if facts.id in reach)
    return bool(overwrites(project, entry, name)) or any(
        store.attr == name for facts in naming for store in facts.body.stores
    )


def _refused(
    project: Project, context: Context, at: Place, named: Setting, known: Architecture
) -> Death | None:
    ends = _ends(project, context, known)
    required = context.dependencies.get(_LIBRARY)
    if required is None or not ends or project.once(_brings, known.model_type):
        return None
    place = f" ({named.at})" if named.at and named.at != at else ""
    stated = f"{versions.stated(required)}{f' ({required.at})' if required.at else ''}"
    knows = f"transformers knows {known.model_type}, the architecture of {named.value}{place}, {ends}"
    dead = dead_at(at, "ValueError or KeyError", f"{knows}, and {stated} is required")
    return replace(dead, sure=required.source in WRITTEN)


def _brings(project: Project, model_type: str) -> bool:
    """Does code of the tree name the architecture, as `AutoConfig.register("name", ...)` does, or the
    `model_type` of a class?"""
    quoted = (f'"{model_type}"', f"'{model_type}'")
    return any(word in text_of(project, p) for p in project.index.python_files for word in quoted)
