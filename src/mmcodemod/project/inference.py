"""Code that runs for inference only. Must-analysis on decorators and names."""

from __future__ import annotations

import ast
import re

from mmcodemod.facts.python import FunctionFacts
from mmcodemod.model.place import Place
from mmcodemod.project.model import Project

_NAMES = re.compile(
    r"(generate|predict|infer|inference|chat|sample|decode|evaluate|prepare_inputs_for_generation)(_\w+)?|stream_\w+"
)


def inference_only(project: Project, facts: FunctionFacts) -> Place | None:
    """The line that shows that a function serves inference; None when it may run in training."""
    node = facts.node
    if isinstance(node, ast.Module):
        return None
    for decorator in node.decorator_list:
        if (
            any(word in ast.unparse(decorator) for word in ("no_grad", "inference_mode"))
            and node.name != "forward"
        ):
            return Place(facts.path, decorator.lineno)
    if _NAMES.fullmatch(node.name):
        return Place(facts.path, node.lineno)
    return None
