"""Does code ask transformers whether ZeRO-3 is on?"""

from __future__ import annotations

import ast

from mmcodemod.facts.definitions import last_name
from mmcodemod.knowledge.hf_deepspeed import ASKS_ZERO3
from mmcodemod.project.model import Project


def asks_zero3(project: Project, node: ast.expr, function: str) -> bool:
    """Is it a call of `is_deepspeed_zero3_enabled`, whatever the file calls it? A function of the tree that
    has this name counts: code that copies transformers' own."""
    if not isinstance(node, ast.Call):
        return False
    if last_name(node.func) == ASKS_ZERO3:
        return True
    return any(name.rpartition(".")[2] == ASKS_ZERO3 for name in project.names(node.func, function))
