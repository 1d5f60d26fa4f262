"""Launches that die while they import a name, or make a class of one, which the required version of a library
does not have yet, or has no more. Must-analysis: what surely runs while the program is loaded (see
import_order), and requirements and install commands of which every version lacks the name."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from posixpath import basename

from mmcodemod.facts.syntax import unparse
from mmcodemod.knowledge.deepspeed_gates import NAMES_SINCE
from mmcodemod.knowledge.modules_gone import MODULES_GONE
from mmcodemod.knowledge.names_since import GONE, SINCE
from mmcodemod.model.context import Context, Origin, Source
from mmcodemod.model.frozen import frozen
from mmcodemod.model.place import Place
from mmcodemod.project import versions
from mmcodemod.project.death import Death, dead_at
from mmcodemod.project.import_order import Run, statements_of
from mmcodemod.project.model import Project
from mmcodemod.project.search_path import absolute, first_folder
from mmcodemod.project.stated_versions import absence
from mmcodemod.project.stubs import is_stub

_SINCE = {**SINCE, "deepspeed": NAMES_SINCE, **{library: {} for library in MODULES_GONE}}
_GONE = {**GONE, **MODULES_GONE}
WRITTEN = (Source.LOCK, Source.REQUIREMENT, Source.ASSUMED)  # of a page it is less sure


def older(project: Project, context: Context) -> Death | None:
    """How a launch dies at such an import; None when nothing shows that."""
    if context.entry is None or context.origin is not Origin.LAUNCHED or context.entry.library:
        return None
    root = first_folder(context)
    asked = project.once(_asked, root, context.entry.path) if root is not None else ()
    return next((death for one in asked if (death := lacking_there(project, context, one))), None)


@frozen()
class Asked:
    """`from library import name` at a place, or `class Own(library.name)`."""

    at: Place
    library: str
    name: str
    error: str = "ImportError"


def _asked(project: Project, root: str, entry: str) -> tuple[Asked, ...]:
    """What the program and its files ask libraries for while they are loaded, where releases differ in it."""
    libraries = required_libraries(project, root)
    runs = list(_loaded(project, root, entry)) if libraries else []
    modules = {(run.path, name) for run in runs for name in _modules(run.node)}
    found = []
    for run in runs:
        node = run.node
        if isinstance(node, ast.ImportFrom) and not node.level and node.module:
            library, at = node.module.partition(".")[0], Place(run.path, node.lineno)
            found += [Asked(at, library, alias.name) for alias in node.names if library in libraries]
        for module in _imported_modules(node):
            library = module.partition(".")[0]
            if library in libraries and module != library:
                found.append(Asked(Place(run.path, node.lineno), library, module, "ModuleNotFoundError"))
        for base in node.bases if isinstance(node, ast.ClassDef) else ():
            library, _, name = unparse(base).partition(".")
            if library in libraries and (run.path, library) in modules:
                found.append(Asked(Place(run.path, base.lineno), library, name, "AttributeError"))
    return tuple(one for one in found if one.name in releases(one.library))


def _imported_modules(node: ast.stmt) -> list[str]:
    """The modules that an import names, by their whole names."""
    if isinstance(node, ast.ImportFrom):
        return [node.module] if node.module and not node.level else []
    return [alias.name for alias in node.names] if isinstance(node, ast.Import) else []


def _modules(node: ast.stmt) -> list[str]:
    """The libraries that an import binds under their own names."""
    return [alias.name for alias in node.names if not alias.asname] if isinstance(node, ast.Import) else []


def _loaded(project: Project, root: str, entry: str) -> Iterator[Run]:
    """The statements at the top of the program and of all files of the tree that those import, wherever these
    may be installed."""
    files = [entry]
    for path in files:
        for run in statements_of(project, path, root, path == entry):
            if run.begins:
                yield run
                files += [file for file in _imported(project, run) if file not in files]


def _imported(project: Project, run: Run) -> list[str]:
    """The files of the tree that an import runs, without the packages around them."""
    node, modules = run.node, project.index.modules
    dotted = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
    if isinstance(node, ast.ImportFrom):
        module = modules.absolute(node.module or "", node.level, run.path)
        dotted = [module, *(f"{module}.{alias.name}" for alias in node.names)]
    found = (modules.find(name, run.path) for name in dotted)
    return list(dict.fromkeys(file for file in found if file is not None and not is_stub(file)))


def required_libraries(project: Project, root: str) -> list[str]:
    """The libraries that the tree requires in some version, and does not hold itself."""
    held = {basename(package) for package in project.index.modules.packages}
    named = [name for name in _SINCE if name in project.pins.found or name in project.pins.assumed]
    return [name for name in named if name not in held and absolute(project, name, root) is None]


@cache
def releases(library: str) -> dict[str, tuple[str, str]]:
    """By name, the first release that has it and the first that has it no more, "" for none."""
    since = {name: version for version, names in _SINCE[library].items() for name in names.split()}
    gone = {name: version for version, names in _GONE.get(library, {}).items() for name in names.split()}
    return {name: (since.get(name, ""), gone.get(name, "")) for name in (*since, *gone)}


def lacking_there(project: Project, context: Context, asked: Asked) -> Death | None:
    """How a run dies that asks for a name which no required version has; None where one may."""
    required = context.dependencies.get(asked.library)
    ends = absence(project, context, asked.library, *releases(asked.library)[asked.name])
    if required is None or not ends:
        return None
    place = f" ({required.at})" if required.at else ""
    why = f"{asked.library} has `{asked.name}` {ends}, and {versions.stated(required)}{place} is required"
    return replace(dead_at(asked.at, asked.error, why), sure=required.source in WRITTEN)
