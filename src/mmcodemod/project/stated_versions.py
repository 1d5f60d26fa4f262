"""What all files and pages of a tree say of the version of a library."""

from __future__ import annotations

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


def absence(project: Project, context: Context, library: str, since: str, gone: str) -> str:
    """Why no allowed version has what came in one release and went in another ("" for none), as `only since
    4.41`; "" where one may have it."""
    if since and all_below(project, context, library, since) is True:
        return f"only since {since}"
    late = bool(gone) and all_below(project, context, library, gone) is False
    return f"no more since {gone}" if late else ""
