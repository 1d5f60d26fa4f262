"""Leaves the placement of weights to DeepSpeed where ZeRO-3 runs, and nowhere else.

before: AutoModel.from_pretrained(name, device_map="auto")
after:  AutoModel.from_pretrained(name, device_map=None if is_deepspeed_zero3_enabled() else "auto")
"""

from __future__ import annotations

from collections.abc import Sequence

from mmcodemod.api import (
    ASKS_ZERO3,
    Applicability,
    Edit,
    Fix,
    Placed,
    PlacedLoad,
    Project,
    Site,
    Wanted,
    named,
    versions,
)

ENABLED = Wanted(
    f"transformers.integrations.{ASKS_ZERO3}",
    "transformers.integrations",
    ASKS_ZERO3,
    homes=("transformers.integrations.deepspeed", "transformers.deepspeed"),
)
SINCE = "4.33.0"  # transformers: `integrations` is a package that gives the name
TITLE = f"ask `{ASKS_ZERO3}()` first"


def mended(project: Project, sites: Sequence[Site]) -> Fix:
    """One conditional for each value that the calls themselves give."""
    if any(p.spread for site in sites for p in site.data.told):
        return Fix("leave `device_map` and `low_cpu_mem_usage` out under ZeRO-3", Applicability.DISPLAY)
    edits: list[Edit] = []
    for site in sites:
        placed: PlacedLoad = site.data
        tree, text = project.index.files[site.path].tree, project.index.text(site.path)
        ask = named(site.path, text, tree, site.node, ENABLED)
        if ask is None:
            return Fix(TITLE, Applicability.DISPLAY)
        edits += [*ask.edits, *(_conditional(project, site, p, ask.text) for p in placed.told)]
    known = all(versions.below(c, "transformers", SINCE) is False for c in project.contexts)
    return Fix(TITLE, Applicability.SAFE if known else Applicability.UNSAFE, tuple(dict.fromkeys(edits)))


def _conditional(project: Project, site: Site, placed: Placed, ask: str) -> Edit:
    at = project.place(site.path, placed.value)
    none = "None" if placed.name == "device_map" else "False"
    start = (at.line, at.column)
    return Edit(site.path, start, start, f"{none} if {ask}() else ")
