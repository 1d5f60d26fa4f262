"""Which file of the tree `import a.b` means in a launch. Must-analysis: only where Python looks first, in the
folder of the program (with `-m` the folder that the command stands in), and only where nothing that the tree
cannot show may come before."""

from __future__ import annotations

import sys
from posixpath import basename, dirname

from mmcodemod.model.context import Context
from mmcodemod.model.frozen import frozen
from mmcodemod.model.pattern import regex
from mmcodemod.project.launch_words import in_one_line
from mmcodemod.project.model import Project
from mmcodemod.project.stale_imports import home_of
from mmcodemod.source.mentions import folders_of

_AS_MODULE = regex(r"(?<!\S)(?:-[bBdEiIOPqsSuvx]*m|--module)[ =]+([\w.]+)")


@frozen()
class Found:
    """The file of a module, "" for a folder without `__init__.py`, and the files that run before it. `folder`
    is where its own modules lie, "" when it is no package."""

    file: str
    before: tuple[str, ...] = ()
    folder: str = ""


def first_folder(context: Context) -> str | None:
    """The folder of the tree in which the launch looks for modules first; None where that does not show."""
    path = context.entry.path if context.entry else ""
    words = (word.strip("\"'") for word in in_one_line(context).split())
    if any(basename(word) == basename(path) for word in words):
        return dirname(path)
    for dotted in _AS_MODULE.findall(in_one_line(context)):
        end = f"{dotted.replace('.', '/')}.py"
        if path == end or path.endswith(f"/{end}"):
            return path.removesuffix(end).rstrip("/")
    return None


def absolute(project: Project, dotted: str, root: str) -> Found | None:
    """The module of that name below the folder that Python looks into first, or in the package that the
    project installs and the program is part of: programs beside it may ask for another release. Modules of
    the standard library may be loaded already."""
    top = dotted.partition(".")[0]
    first = at_path(project, _join(root, top)) if top not in sys.stdlib_module_names else None
    if first is None:
        home = _installed(project, top)
        within = home and f"{root}/".startswith(f"{home}/")
        return below(project, dotted, dirname(home)) if within else None
    library = project.index.modules.is_library(top)
    return None if library and not first.file else below(project, dotted, root)


def installed(project: Project, dotted: str, root: str) -> Found | None:
    """The module as the tree has it, for a program beside the package that the project installs: the release
    that counts there may be another."""
    top = dotted.partition(".")[0]
    if top in sys.stdlib_module_names or at_path(project, _join(root, top)) is not None:
        return None
    home = _installed(project, top)
    return below(project, dotted, dirname(home)) if home else None


def _installed(project: Project, top: str) -> str:
    """The folder of the package of that name where the project is packaged, "" when there is none."""
    return project.once(home_of, top, "<nowhere>")


def relative(project: Project, dotted: str, level: int, importer: str) -> Found | None:
    """The module that a relative import means in a file; None above the tree."""
    folder = dirname(importer)
    for _ in range(level - 1):
        if not folder:
            return None
        folder = dirname(folder)
    if dotted:
        return below(project, dotted, folder)
    return at_path(project, folder)


def below(project: Project, dotted: str, folder: str) -> Found | None:
    """The module of a dotted name whose first part lies in a folder. A package comes before a module, and a
    module before a folder without `__init__.py`."""
    before: list[str] = []
    *outer, last = dotted.split(".")
    for part in outer:
        folder = _join(folder, part)
        package = at_path(project, folder)
        if package is None or not package.folder:
            return None
        before += [package.file] if package.file else []
    found = at_path(project, _join(folder, last))
    return Found(found.file, tuple(before), found.folder) if found else None


def at_path(project: Project, stem: str) -> Found | None:
    """What lies at a path: a package, a module, or a folder."""
    files, folders = project.get(_layout)
    for end, folder in (("/__init__.py", stem), (".py", "")):
        file = f"{stem}{end}".lstrip("/")
        if file in files:
            return Found(file, (), folder)
    return Found("", (), stem) if stem in folders else None


def _layout(project: Project) -> tuple[frozenset[str], frozenset[str]]:
    """The files of the tree, and its folders. Use through `project.get`."""
    return frozenset(project.tree.paths), folders_of(project.tree.paths)


def _join(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name
