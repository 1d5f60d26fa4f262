"""Pages that hold a launch and tell its reader to set up accelerate so that gradients are clipped."""

from __future__ import annotations

from mmcodemod.model.context import Context
from mmcodemod.model.pattern import regex
from mmcodemod.model.place import Place
from mmcodemod.project.model import Project

_PAGES = (".md", ".markdown")
_CLIPS = regex(r"(?i)\b(grad(ient)?s?[ _-]?(norm[ _-])?clip|clip\w*[ _-](the )?grad)")
_SETS_UP = regex(r"(?i)accelerate[ _-]config|deepspeed[ _-](plugin[ _-])?config|config\w* deepspeed")
_LAUNCHES = regex(r"^\s*[$>]?\s*(\w+=\S+\s+)*(accelerate launch|deepspeed|torchrun|python3?)\s|^\s*-{2}\w")
NEAR = 12


def told_clipping(project: Project, context: Context) -> Place | None:
    """The line of the launch's page that speaks of clipping where it says how to set up accelerate; words of
    a launch are none."""
    page = context.launcher.path if context.launcher else ""
    if not page.lower().endswith(_PAGES):
        return None
    lines = project.tree.read_bytes(page).decode(errors="replace").splitlines()
    sets_up = [n for n, line in enumerate(lines, 1) if _SETS_UP.search(line) and not _LAUNCHES.match(line)]
    for number, line in enumerate(lines, 1):
        if _CLIPS.search(line) and not _LAUNCHES.match(line):
            if any(abs(number - other) <= NEAR for other in sets_up):
                return Place(page, number)
    return None
