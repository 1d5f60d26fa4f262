"""Lets Accelerate gather the weights on all ranks, and the main one save them: the others get None.

before: torch.save(model.state_dict(), path)
after:  state_dict = accelerator.get_state_dict(model)
        if accelerator.is_main_process:
            torch.save(state_dict, path)
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
NAMES = ("state_dict", "gathered")  # for what was gathered; the first that the function does not use
SHOWN = "gather on all ranks, and save what was gathered on one: "
WAYS = {
    "engine": "`engine.save_16bit_model(...)`",
    "trainer": "`trainer.save_model(...)`",
    "": "`accelerator.get_state_dict(model)`, `engine.save_16bit_model(...)` or `trainer.save_model(...)`",
}


def fix(project: Project, site: Site, finding: Finding) -> Fix:
    """Only where every rank comes by: a gather behind a test on the rank would hang (MM402)."""
    save: WeightSave = site.data
    model = _prepared(project, site, save.model) if _accelerates(project, site) else ""
    name = _free_name(project, site)
    if model and name and _stands_alone(project, site) and not _guarded(project, site):
        gather = f"{ACCELERATOR}.get_state_dict({model})"
        edits = (_before(project, site, f"{name} = {gather}"), _given(project, site, name))
        return Fix(f"save `{gather}` on the main rank", Applicability.UNSAFE, edits)
    return Fix(SHOWN + WAYS[_way(project, site)], Applicability.DISPLAY)


def _accelerates(project: Project, site: Site) -> bool:
    """Is an Accelerator called so in this function?"""
    names = project.resolver.body(site.function).names
    sources = names.get(ACCELERATOR, ())
    return bool(sources) and all(isinstance(s.expr, ast.Call) for s in sources)


def _prepared(project: Project, site: Site, model: ast.expr) -> str:
    """The name of the engine, which alone can gather: what `prepare` returned; "" when it is not known."""
    inner = _of_accelerator(model, "unwrap_model")
    if inner is not None and inner.args:
        return _prepared(project, site, inner.args[0])
    if not isinstance(model, ast.Name):
        return ""
    sources = [s.expr for s in project.resolver.body(site.function).names.get(model.id, ())]
    unwrapped = [s for s in sources if _of_accelerator(s, "unwrap_model")]
    if any(_of_accelerator(s, "prepare") for s in sources):
        return "" if unwrapped else model.id
    return _prepared(project, site, unwrapped[0]) if len(unwrapped) == len(sources) == 1 else ""


def _of_accelerator(expr: ast.expr, method: str) -> ast.Call | None:
    """`accelerator.method(...)`, as a call."""
    func = expr.func if isinstance(expr, ast.Call) else None
    if not isinstance(func, ast.Attribute) or func.attr != method or not isinstance(func.value, ast.Name):
        return None
    return expr if isinstance(expr, ast.Call) and func.value.id == ACCELERATOR else None


def _free_name(project: Project, site: Site) -> str:
    used = {n.id for n in ast.walk(project.index.function(site.function).node) if isinstance(n, ast.Name)}
    used |= {n.arg for n in ast.walk(project.index.function(site.function).node) if isinstance(n, ast.arg)}
    return next((name for name in NAMES if name not in used), "")


def _stands_alone(project: Project, site: Site) -> bool:
    """Is the call a line of its own, which holds what it reads?"""
    save: WeightSave = site.data
    if not (save.call.args or save.call.keywords) or site.at.last_line != site.at.line:
        return False
    whole = save.read is None or ast.unparse(save.read).endswith(".state_dict()")
    inside = whole and (save.read is None or any(node is save.read for node in ast.walk(save.call)))
    line = project.index.text(site.path).splitlines()[site.at.line - 1]
    return inside and line[: site.at.column - 1].strip() == "" == _rest(line, site.at)


def _rest(line: str, at: Place) -> str:
    return line[(at.end_column or at.column) - 1 :].partition("#")[0].strip()


def _guarded(project: Project, site: Site) -> bool:
    """May a test around the save come out differently on other ranks?"""
    save: WeightSave = site.data
    return any(
        asks_rank(project, frame, asked.test)
        for frame in project.frames(site.function)
        for asked, _ in flow_of(project, site.function).tests(save.call)
    )


def _before(project: Project, site: Site, gather: str) -> Edit:
    """The gather in the line above, and the save behind a test on the rank."""
    line = project.index.text(site.path).splitlines()[site.at.line - 1]
    indent = line[: site.at.column - 1]
    deeper = indent + ("\t" if "\t" in indent else "    ")
    start = (site.at.line, site.at.column)
    text = f"{gather}\n{indent}if {ACCELERATOR}.is_main_process:\n{deeper}"
    return Edit(site.path, start, start, text)


def _given(project: Project, site: Site, name: str) -> Edit:
    """What was gathered in place of what this rank holds; `save_pretrained(path)` gets one more keyword."""
    save: WeightSave = site.data
    if save.read is not None:
        at = project.place(site.path, save.read)
        return Edit(site.path, (at.line, at.column), (at.last_line, at.end_column or at.column), name)
    given = [*save.call.args, *(keyword.value for keyword in save.call.keywords)]
    last = max(project.place(site.path, node) for node in given)
    after = (last.last_line, last.end_column or last.column)
    return Edit(site.path, after, after, f", state_dict={name}")


def _way(project: Project, site: Site) -> str:
    """What the function has at hand."""
    words = ast.unparse(site.data.model).lower()
    return next((way for way in ("engine", "trainer") if way in words), "")
