"""Leaves the placement of weights to DeepSpeed where ZeRO-3 runs, and nowhere else.

before: AutoModel.from_pretrained(name, device_map="auto")
after:  AutoModel.from_pretrained(name, device_map=None if is_deepspeed_zero3_enabled() else "auto")
"""

from __future__ import annotations

import ast

from mmcodemod.api import Applicability, Edit, Finding, Fix, Placed, PlacedLoad, Project, Site, versions

ASK = "is_deepspeed_zero3_enabled"
IMPORT = f"from transformers.integrations import {ASK}"
SINCE = "4.33.0"  # transformers: `integrations` is a package that gives the name
TITLE = f"ask `{ASK}()` first"


def fix(project: Project, site: Site, finding: Finding) -> Fix:
    """One conditional for each value that the call itself gives."""
    placed: PlacedLoad = site.data
    if any(p.spread for p in placed.told):
        return Fix("leave `device_map` and `low_cpu_mem_usage` out under ZeRO-3", Applicability.DISPLAY)
    edits = [_conditional(project, site, p) for p in placed.told]
    edits += _imported(project, site)
    known = all(versions.below(c, "transformers", SINCE) is False for c in project.contexts)
    return Fix(TITLE, Applicability.SAFE if known else Applicability.UNSAFE, tuple(edits))


def _conditional(project: Project, site: Site, placed: Placed) -> Edit:
    at = project.place(site.path, placed.value)
    none = "None" if placed.name == "device_map" else "False"
    start = (at.line, at.column)
    return Edit(site.path, start, start, f"{none} if {ASK}() else ")


def _imported(project: Project, site: Site) -> list[Edit]:
    """The import, behind the last one at the top of the file, if the name is not there yet."""
    body = project.index.files[site.path].tree.body
    imports = [s for s in body if isinstance(s, (ast.Import, ast.ImportFrom))]
    if any((a.asname or a.name) == ASK for s in imports for a in s.names):
        return []
    if not imports:
        return []
    line = (imports[-1].end_lineno or imports[-1].lineno) + 1
    return [Edit(site.path, (line, 1), (line, 1), IMPORT + "\n")]
