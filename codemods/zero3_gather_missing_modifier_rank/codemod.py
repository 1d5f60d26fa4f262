"""Lets the values of rank 0 go to all ranks when the gather ends.

before: with zero.GatheredParameters([layer.weight]):
after:  with zero.GatheredParameters([layer.weight], modifier_rank=0):
"""

from __future__ import annotations

from mmcodemod.api import Applicability, Finding, Fix, Gather, Project, Site, edit_python, without_main

KEYWORD = "modifier_rank"


def fix(project: Project, site: Site, finding: Finding) -> Fix:
    """`modifier_rank=0`; only shown where it may be another rank that changes the parameters."""
    found: Gather = site.data
    title = f"say whose values count: `{KEYWORD}=0`"
    if any(without_main(project, site.function, write.node) for write in found.writes):
        return Fix(f"say whose values count, with `{KEYWORD}`", Applicability.DISPLAY)
    edits = edit_python.set_keyword(project.index.text(site.path), site.path, found.call, KEYWORD, 0)
    return Fix(title, Applicability.SAFE, tuple(edits)) if edits else Fix(title, Applicability.DISPLAY)
