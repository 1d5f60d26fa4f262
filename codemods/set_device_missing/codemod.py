"""Gives each rank its GPU before the process group is made.

before: dist.init_process_group("nccl")
after:  torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
        dist.init_process_group("nccl")
"""

from __future__ import annotations

import ast

from mmcodemod.api import (
    Applicability,
    Edit,
    Finding,
    Fix,
    Project,
    Site,
    Wanted,
    devices,
    flow_of,
    named,
)

SET = Wanted("torch.cuda.set_device", "torch")
ENVIRONMENT = Wanted("os.environ", "os")
SHOWN = 'call `torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))` before the first use of a GPU'


def fix(project: Project, site: Site, finding: Finding) -> Fix:
    """Safe where torchrun starts every run that comes here, which sets LOCAL_RANK; shown only elsewhere, and
    where a device is written down as `cuda:0`."""
    edits = _edits(project, site) if _launched(project, site) else ()
    return Fix(SHOWN, Applicability.SAFE if edits else Applicability.DISPLAY, edits)


def _launched(project: Project, site: Site) -> bool:
    runs = [c for c in project.contexts if c.entry and site.function in project.reach(c.entry)]
    plain = all((devices.default_device(project, c.entry) or (0, ""))[1] == "cuda" for c in runs)
    silent = not any(devices.own_device(project, c.entry) for c in runs)  # nothing later takes it back
    return bool(runs) and plain and silent and all(c.launched_by == "torch" for c in runs)


def _edits(project: Project, site: Site) -> tuple[Edit, ...]:
    statement = flow_of(project, site.function).statement_of(site.node)
    path, text = site.path, project.index.text(site.path)
    if not isinstance(statement, ast.Expr) or statement.value is not site.node:
        return ()
    line = project.index.lines(path)[statement.lineno - 1]
    indent = line[: len(line) - len(line.lstrip())]
    tree = project.index.files[path].tree
    said = [named(path, text, tree, site.node, wanted) for wanted in (SET, ENVIRONMENT)]
    known = [one for one in said if one is not None]
    if len(known) < len(said) or len(indent) != project.place(path, statement).column - 1:
        return ()
    end = "\r\n" if "\r\n" in text else "\n"
    new = f'{indent}{known[0].text}(int({known[1].text}["LOCAL_RANK"])){end}'
    before = Edit(path, (statement.lineno, 1), (statement.lineno, 1), new)
    return (*dict.fromkeys(e for one in known for e in one.edits), before)
