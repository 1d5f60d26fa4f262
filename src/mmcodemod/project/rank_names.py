"""Names that say which rank it is, and comparisons that only ask whether there are several."""

from __future__ import annotations

from mmcodemod.facts.reads import Form
from mmcodemod.knowledge.ranks import ARGUMENT_FLAGS, BARE_RANK, FLAGS, NUMBERS
from mmcodemod.project.world_tests import as_number


def names_rank(name: str) -> bool:
    """Does a dotted name say that it is the rank, or whether this is the main one?"""
    owner, _, last = name.rpartition(".")
    if last == BARE_RANK:
        return not owner or owner.rpartition(".")[2] in ("args", "dist", "distributed", "self")
    return last in NUMBERS or is_flag(name)


def is_flag(name: str) -> bool:
    """Does a dotted name say that this is the main rank?"""
    owner, _, last = name.rpartition(".")
    return last in FLAGS or (last in ARGUMENT_FLAGS and owner.endswith("args"))


def same_everywhere(form: Form) -> bool:
    """Is it a comparison that only asks whether there are several ranks (`local_rank != -1`)?"""
    _, _, operator, constant = form
    number = as_number(constant)
    if constant is None:
        return True
    if number is None:
        return False
    return (operator, number) in _DISTRIBUTED


_DISTRIBUTED = {("==", -1), ("!=", -1), (">", -1), (">=", 0), ("<", 0), ("<=", -1)}
