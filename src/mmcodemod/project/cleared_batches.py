"""Functions that a batch without the modality leaves early, because its collator puts None under the key:
what they compute behind that is computed for samples that have the modality."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.facts.body import own_nodes
from mmcodemod.facts.python import FunctionFacts
from mmcodemod.model.finding import Note
from mmcodemod.model.place import Place
from mmcodemod.project.batch_keys import batch_key
from mmcodemod.project.branches import function_scope
from mmcodemod.project.emission import emissions_of
from mmcodemod.project.emitting import Emission
from mmcodemod.project.modality import atoms
from mmcodemod.project.model import Project


def cleared(project: Project, facts: FunctionFacts, line: int) -> Note | None:
    """The line of a collator that puts None under a key, where the function returns before `line` for it."""
    for node in own_nodes(facts.node):
        if isinstance(node, ast.If) and node.lineno < line and isinstance(node.body[-1], ast.Return):
            for emission in _emissions(project, facts, node.test):
                text = f"`{emission.key}` is None where no sample has any, and line {node.lineno} returns"
                return Note(Place(emission.function.path, emission.cleared), text)
    return None


def _emissions(project: Project, facts: FunctionFacts, test: ast.expr) -> Iterator[Emission]:
    """How collators clear the keys that a test asks for."""
    for atom in atoms(test, function_scope(project, facts)):
        for key in batch_key(project, facts, atom):
            yield from (emission for emission in emissions_of(project, key) if emission.cleared)
