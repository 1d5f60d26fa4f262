"""Lets Accelerate gather the weights on all ranks before they are saved.

before: torch.save(model.state_dict(), path)
after:  torch.save(accelerator.get_state_dict(model), path)
"""

from __future__ import annotations

import ast

from mmcodemod.api import (
    Applicability,
    Edit,
    Finding,
    Fix,
    Place,
    Project,
    Site,
    WeightSave,
    asks_rank,
    flow_of,
)

ACCELERATOR = "accelerator"
SHOWN = "gather on all ranks, and save what was gathered on one: "
WAYS = {
    "engine": "`engine.save_16bit_model(...)`",
    "trainer": "`trainer.save_model(...)`",
    "": "`accelerator.get_state_dict(model)`, `engine.save_16bit_model(...)` or `trainer.save_model(...)`",
}


def fix(project: Project, site: Site, finding: Finding) -> Fix:
    """Only where every rank comes by: a gather behind a test on the rank would hang (MM402)."""
    save: WeightSave = site.data
    plain = isinstance(save.model, ast.Name) and (save.call.args or save.call.keywords)
    if not plain or not _accelerates(project, site) or _guarded(project, site):
        return Fix(SHOWN + WAYS[_way(project, site)], Applicability.DISPLAY)
    gathered = f"{ACCELERATOR}.get_state_dict({ast.unparse(save.model)})"
    edit = (
        _in_place_of(project.place(site.path, save.read), gathered)
        if save.read
        else _added(project, site, gathered)
    )
    return Fix(f"save `{gathered}`", Applicability.UNSAFE, (edit,))


def _accelerates(project: Project, site: Site) -> bool:
    """Is an Accelerator called so in this function?"""
    names = project.resolver.body(site.function).names
    sources = names.get(ACCELERATOR, ())
    return bool(sources) and all(isinstance(s.expr, ast.Call) for s in sources)


def _guarded(project: Project, site: Site) -> bool:
    """May a test around the save, or around what it reads, come out differently on other ranks?"""
    save: WeightSave = site.data
    nodes = [n for n in (save.call, save.read) if n is not None]
    return any(
        asks_rank(project, frame, asked.test)
        for frame in project.frames(site.function)
        for node in nodes
        for asked, _ in flow_of(project, site.function).tests(node)
    )


def _in_place_of(at: Place, text: str) -> Edit:
    return Edit(at.path, (at.line, at.column), (at.last_line, at.end_column or at.column), text)


def _added(project: Project, site: Site, text: str) -> Edit:
    """`save_pretrained(path)` gets one more keyword."""
    given = [*site.node.args, *(keyword.value for keyword in site.node.keywords)]
    last = max(project.place(site.path, node) for node in given)
    after = (last.last_line, last.end_column or last.column)
    return Edit(site.path, after, after, f", state_dict={text}")


def _way(project: Project, site: Site) -> str:
    """What the function has at hand."""
    words = ast.unparse(site.data.model).lower()
    return next((way for way in ("engine", "trainer") if way in words), "")
