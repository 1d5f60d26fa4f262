"""Gathers the parameters around a load; every rank loads, so that buffers, which are not gathered, are right.

before: model.load_state_dict(weights)
after:  with deepspeed.zero.GatheredParameters(list(model.parameters()), modifier_rank=0):
            model.load_state_dict(weights)

`GatheredParameters` does nothing when none of the parameters is partitioned (DeepSpeed,
`runtime/zero/partition_parameters.py`), so other runs stay as they are.
"""

from __future__ import annotations

import ast

from mmcodemod.api import Applicability, Finding, Fix, Project, Site, gathering, is_plain, only_some_ranks


def fix(project: Project, site: Site, finding: Finding) -> Fix | None:
    """The load inside a gather of the receiver's own parameters; shown only where that needs a person."""
    title = f"gather the parameters of `{ast.unparse(site.node.func.value)}` around the load"
    reason = _not_here(project, site)
    receiver = ast.unparse(site.node.func.value)
    edits = () if reason else gathering(project, site, f"list({receiver}.parameters())")
    if edits:
        return Fix(title, Applicability.UNSAFE, edits)
    return Fix(f"{title}, on every rank; {reason or 'as a statement of its own'}", Applicability.DISPLAY)


def _not_here(project: Project, site: Site) -> str:
    """Why a gather around this statement alone would be wrong, "" when it is right."""
    if _only_in_init(project, site):
        return "behind `from_pretrained`, which at any stage initialises anew what its checkpoint lacks"
    if any(k.arg == "assign" for k in site.node.keywords):
        return "without `assign=`, which would put whole tensors in the place of partitioned ones"
    if not is_plain(site.node.func.value):
        return "give the module a name first"
    if only_some_ranks(project, site):
        return "the gather waits for all ranks, so it cannot stand where only some of them arrive"
    return ""


def _only_in_init(project: Project, site: Site) -> bool:
    """Does the load run only while `from_pretrained` builds the model? Then a gather would end the error and
    not help: transformers initialises afterwards what is missing in the checkpoint that it loads (tried)."""
    reaches = [project.reach(c.entry) for c in project.contexts if c.entry]
    inside = any(r.built_inside(site.function) for r in reaches)
    return inside and not any(r.built_outside(site.function) for r in reaches)
