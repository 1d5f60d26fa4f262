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
    """A key of the configurations where every run takes it, else what to call."""
    blocks = _blocks(project, site)
    edits = _edits(project, _runs(project, site, finding), blocks) if blocks else None
    if edits:
        return Fix('add "leaf_module"', Applicability.UNSAFE, edits)
    return Fix(SHOWN.format(", ".join(blocks) or "the block of experts"), Applicability.DISPLAY)


def _blocks(project: Project, site: Site) -> list[str]:
    """The classes that hold the experts: of transformers, or the one whose loop this is."""
    if isinstance(site.data, list):
        return sorted({found[0].block for c in site.data if (found := experts.family_in(project, c))})
    owner = site.symbol.rpartition(".")[0].rpartition(".")[2]
    return [owner] if owner else []


def _runs(project: Project, site: Site, finding: Finding) -> list[Context]:
    if isinstance(site.data, list):
        return list(site.data)
    return [c for c in (*project.contexts, *project.configured) if c.id in finding.contexts]


def _edits(project: Project, runs: list[Context], blocks: list[str]) -> tuple[Edit, ...] | None:
    """One for each configuration of the runs; None where one of them cannot say it."""
    parsed = project.get(configs.parsed)
    named = [[path for path in run.configs if path in parsed] for run in runs]
    edits = [_edit(project, path, blocks) for path in sorted({path for paths in named for path in paths})]
    known = [edit for edit in edits if edit is not None]
    return tuple(known) if known and all(named) and len(known) == len(edits) else None


def _edit(project: Project, path: str, blocks: list[str]) -> Edit | None:
    document = project.get(configs.parsed)[path]
    zero = document.root.get("zero_optimization") if document.root else None
    if zero is None or not all(_takes(context) for context in configs.users(project, path)):
        return None
    value = '{"classes": [' + ", ".join(f'"{block}"' for block in blocks) + "]}"
    return Edit(path, *insert_member(project.index.text(path), zero, "leaf_module", value))


def _takes(context: Context) -> bool:
    return versions.below(context, "deepspeed", CONFIGURED) is False
