"""Merges inside a gather of the model's parameters, on every rank.

before: model = model.merge_and_unload()
after:  with zero.GatheredParameters(list(model.parameters()), modifier_rank=0):
            model = model.merge_and_unload()
"""

from __future__ import annotations

import ast

from mmcodemod.api import (
    Applicability,
    Finding,
    Fix,
    Merge,
    Project,
    Site,
    gathering,
    is_plain,
    only_some_ranks,
)


def fix(project: Project, site: Site, finding: Finding) -> Fix:
    """The gather around the merge; only shown where what it is undone by must stand inside as well."""
    found: Merge = site.data
    model = ast.unparse(found.model)
    title = f"gather the parameters of `{model}` around the merge"
    if site.node.func.attr != "merge_and_unload":
        return Fix(f"{title}, and around its `unmerge_adapter`", Applicability.DISPLAY)
    if not is_plain(found.model) or only_some_ranks(project, site):
        return Fix(f"{title}, on every rank", Applicability.DISPLAY)
    edits = gathering(project, site, f"list({model}.parameters())")
    return Fix(title, Applicability.UNSAFE, edits) if edits else Fix(title, Applicability.DISPLAY)
