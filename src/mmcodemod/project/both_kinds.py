"""Do the runs from an entry see samples with a modality and samples without it? Shown by a data set, or by
what makes batches, where a test puts the modality into some samples only."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from mmcodemod.facts.body import own_nodes
from mmcodemod.facts.python import FunctionFacts
from mmcodemod.facts.syntax import walk
from mmcodemod.model.context import Entry
from mmcodemod.model.place import Place
from mmcodemod.project.batch_keys import batch_key
from mmcodemod.project.emission import PRODUCERS, emissions_of
from mmcodemod.project.emitting import Emits
from mmcodemod.project.features import Features
from mmcodemod.project.modality import MODALITY, Atom, Kind, data_roots
from mmcodemod.project.model import Project


def both_kinds(project: Project, entry: Entry | None) -> Place | None:
    """The first test of the data that only some samples pass with the modality; None when none is seen."""
    reached = project.trained if entry is None else project.reach(entry)
    return min((at for function, at in project.get(_tests) if function in reached), default=None)


def brought(project: Project, facts: FunctionFacts, features: Features) -> bool:
    """Does something in the tree put all that the features are made of into a batch?"""
    given = (a for c in features.calls for a in (*c.call.args, *(k.value for k in c.call.keywords)))
    roots = {root for argument in given for root in data_roots(argument, features.scope)}
    made = {root for root in roots if MODALITY.search(root) and root in facts.parameters.names}
    atoms = (Atom(ast.Name(name, ast.Load()), Kind.PRESENCE, name) for name in sorted(made))
    keys = {key for atom in atoms for key in batch_key(project, facts, atom)}
    return all(any(e.emits is not Emits.NEVER for e in emissions_of(project, key)) for key in keys)


def _tests(project: Project) -> list[tuple[str, Place]]:
    return [
        (facts.id, Place(facts.path, test.lineno))
        for facts in project.mentioning(*PRODUCERS)
        if facts.name in PRODUCERS and facts.owner
        for test in _uneven(facts)
    ]


def _uneven(facts: FunctionFacts) -> Iterator[ast.If | ast.IfExp]:
    for node in own_nodes(facts.node):
        if isinstance(node, ast.If):
            if _names([node.test]) or _names(node.body) != _names(node.orelse):
                yield node
        elif isinstance(node, ast.IfExp):
            if _names([node.test]) or _names([node.body]) != _names([node.orelse]):
                yield node


def _names(nodes: Sequence[ast.AST]) -> bool:
    """Does a name or a key there speak of a modality?"""
    return any(MODALITY.search(word.lower()) for node in nodes for part in walk(node) for word in _word(part))


def _word(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Name(id=word) | ast.Attribute(attr=word) | ast.Constant(value=str(word)):
            yield word
