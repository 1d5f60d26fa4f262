"""What all files and pages of a tree say of the version of a library."""

from __future__ import annotations

from posixpath import dirname

from mmcodemod.facts.versions import version_below
from mmcodemod.model.context import Context
from mmcodemod.project import versions
from mmcodemod.project.model import Project


def all_below(project: Project, context: Context, library: str, version: str) -> bool | None:
    """Is what holds for the run below a version, and what any other file or page of the tree says of it? True
    or False where all agree, else None."""
    said = [] if library in project.pins.assumed else project.pins.found.get(library, ())
    answers = {version_below(one.found.spec, version) for one in said}
    answers.add(versions.below(context, library, version))
    return answers.pop() if len(answers) == 1 else None


def _all_from(project: Project, context: Context, library: str, version: str) -> bool:
    """Is it a version from this one on? Files that name none let the newest be installed, which is one, and
    what stands beside other code is for that."""
    said = [] if library in project.pins.assumed else project.pins.found.get(library, ())
    required = context.dependencies.get(library)
    own = dirname(required.at.path) if required and required.at else ""
    named = [one.found.spec for one in said if one.found.spec and not _is_apart(project, one.folder, own)]
    here = versions.below(context, library, version)
    return here is False and not any(version_below(spec, version) is not False for spec in named)


def _is_apart(project: Project, folder: str, own: str) -> bool:
    """Is it the folder of other code, neither around nor within one's own?"""
    apart = not f"{folder}/".startswith(f"{own}/") and not f"{own}/".startswith(f"{folder}/")
    return (
        bool(folder and own) and apart and any(p.startswith(f"{folder}/") for p in project.index.python_files)
    )


def absence(project: Project, context: Context, library: str, since: str, gone: str) -> str:
    """Why no allowed version has what came in one release and went in another ("" for none), as `only since
    4.41`; "" where one may have it."""
    if since and all_below(project, context, library, since) is True:
        return f"only since {since}"
    late = bool(gone) and _all_from(project, context, library, gone)
    return f"no more since {gone}" if late else ""
