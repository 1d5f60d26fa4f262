"""Declares the block of experts a leaf, which DeepSpeed gathers as one.

before: {"stage": 3}
after:  {"stage": 3, "leaf_module": {"classes": ["MixtralSparseMoeBlock"]}}
"""

from __future__ import annotations

from mmcodemod.api import (
    Applicability,
    Context,
    Edit,
    Finding,
    Fix,
    Project,
    Site,
    configs,
    experts,
    insert_member,
    versions,
)

CONFIGURED = "0.18.0"  # deepspeedai/DeepSpeed#7604: zero_optimization.leaf_module
SHOWN = "call `deepspeed.utils.set_z3_leaf_modules(model, [{}])` before the model is handed to DeepSpeed"


def fix(project: Project, site: Site, finding: Finding) -> Fix:
    """A key of the configuration where every run takes it, else what to call."""
    if not isinstance(site.data, list):
        owner = site.symbol.rpartition(".")[0].rpartition(".")[2] or "the block of experts"
        return Fix(SHOWN.format(owner), Applicability.DISPLAY)
    blocks = sorted({found[0].block for c in site.data if (found := experts.family_in(project, c))})
    document = project.get(configs.parsed).get(site.path)
    zero = document.root.get("zero_optimization") if document and document.root else None
    if zero is None or not all(_takes(context) for context in configs.users(project, site.path)):
        return Fix(SHOWN.format(", ".join(blocks)), Applicability.DISPLAY)
    value = '{"classes": [' + ", ".join(f'"{block}"' for block in blocks) + "]}"
    text = project.index.text(site.path)
    edit = Edit(site.path, *insert_member(text, zero, "leaf_module", value))
    return Fix('add "leaf_module"', Applicability.UNSAFE, (edit,))


def _takes(context: Context) -> bool:
    return versions.below(context, "deepspeed", CONFIGURED) is False
