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
_WITHOUT = ("no_grad", "inference_mode")


def inference_only(project: Project, facts: FunctionFacts) -> Place | None:
    """The line that shows that a function serves inference; None when it may run in training."""
    if any(word in name for word in _WITHOUT for name in facts.decorators) and facts.name != "forward":
        node = facts.node
        for decorator in node.decorator_list if not isinstance(node, ast.Module) else ():
            if any(word in ast.unparse(decorator) for word in _WITHOUT):
                return Place(facts.path, decorator.lineno)
    return Place(facts.path, facts.line) if _NAMES.fullmatch(facts.name) else None
