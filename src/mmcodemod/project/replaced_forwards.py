"""Code of the tree that puts another `forward` in the place of a class's, or of the class of an object."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.facts.body import own_nodes
from mmcodemod.facts.definitions import last_name
from mmcodemod.facts.python import FunctionFacts
from mmcodemod.model.context import Context
from mmcodemod.model.place import Place
from mmcodemod.project.model import Project


def replaced_forward(project: Project, context: Context, cls: str, word: str) -> Place | None:
    """Where the run puts another `forward` in the place of that of a class (`Block.forward = own`), or a
    function that speaks of `word` in that of an object's class (`model.block.__class__.forward = own`)."""
    reach = project.reach(context.entry) if context.entry else ()
    own = {facts.name for facts in project.mentioning(word)}
    for facts in project.mentioning("forward"):
        if facts.id in reach:
            for target, value in _put(facts):
                of_object = last_name(target) in ("__class__", "type") and last_name(value) in own
                if of_object or last_name(target) == cls:
                    return project.place(facts.path, target)
    return None


def _put(facts: FunctionFacts) -> Iterator[tuple[ast.expr, ast.expr]]:
    """What gets a `forward`, and which, statement by statement."""
    for node in own_nodes(facts.node):
        if isinstance(node, ast.Assign):
            targets = [t for t in node.targets if isinstance(t, ast.Attribute) and t.attr == "forward"]
            yield from ((target.value, node.value) for target in targets)
