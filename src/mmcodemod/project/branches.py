"""Branches on the presence of a modality, with the modules that only one side runs."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from mmcodemod.facts.body import own_nodes
from mmcodemod.facts.python import FunctionFacts
from mmcodemod.project.arguments import never_given
from mmcodemod.project.flow import Flow, raises
from mmcodemod.project.infer import Frame
from mmcodemod.project.modality import Atom, Scope, presence, scope_of
from mmcodemod.project.model import Project
from mmcodemod.project.module_calls import ModuleCall, ModuleCalls, labels

WORDS = ("image", "pixel", "vision", "visual", "video", "audio", "speech", "input_features", "modal", "img")


@dataclass(frozen=True)
class Branch:
    """`if` on a modality. `true` and `false` are the module calls of each side only."""

    facts: FunctionFacts
    node: ast.If
    atoms: tuple[Atom, ...]
    frame: Frame
    true: tuple[ModuleCall, ...]
    false: tuple[ModuleCall, ...]

    @property
    def lone(self) -> frozenset[str]:
        """Modules that only one side runs."""
        return labels(self.true) ^ labels(self.false)

    @property
    def shared(self) -> frozenset[str]:
        """Modules that both sides run."""
        return labels(self.true) & labels(self.false)


def branches(project: Project) -> list[Branch]:
    """All such branches of the tree. Use through `project.get(branches)`."""
    return [b for facts, tests in modality_functions(project) for b in _of_function(project, facts, tests)]


def modality_functions(project: Project) -> Iterator[tuple[FunctionFacts, list[ast.If]]]:
    """Functions with tests on a modality, and those tests in the order of lines."""
    for function, tests in project.get(modality_tests).items():
        yield project.index.function(function), tests


def modality_tests(project: Project) -> dict[str, list[ast.If]]:
    """The tests on a modality by function id. Use through `project.get(modality_tests)`."""
    found: dict[str, list[ast.If]] = {}
    for facts in project.mentioning(*WORDS):
        if isinstance(facts.node, ast.Module):
            continue
        tests = [n for n in own_nodes(facts.node) if isinstance(n, ast.If)]
        if tests:
            names = function_scope(project, facts)
            asked = [n for n in tests if presence(n.test, names)]
            if asked:
                found[facts.id] = sorted(asked, key=lambda n: n.lineno)
    return found


def _of_function(project: Project, facts: FunctionFacts, tests: list[ast.If]) -> Iterator[Branch]:
    names = function_scope(project, facts)
    flow = Flow(facts.node)
    for node in tests:
        asked = tuple(a for a in presence(node.test, names) if _varies(project, facts, a))
        branch = _branch(project, facts, flow, node, asked) if asked else None
        if branch is not None:
            yield branch


def _varies(project: Project, facts: FunctionFacts, atom: Atom) -> bool:
    """Can it differ between ranks? Not where it asks for a parameter that nobody passes."""
    return atom.key or not never_given(project, facts, atom.name)


def _branch(
    project: Project, facts: FunctionFacts, flow: Flow, node: ast.If, found: tuple[Atom, ...]
) -> Branch | None:
    if raises(node.body) or raises(node.orelse):
        return None
    arms = flow.arms(node)
    calls = project.get(ModuleCalls)
    best = None
    for frame in project.frames(facts.id):
        true, false = calls.within(arms.true, frame), calls.within(arms.false, frame)
        branch = Branch(facts, node, found, frame, tuple(true), tuple(false))
        if true or false:
            best = branch if best is None or len(branch.lone) > len(best.lone) else best
    return best


def function_scope(project: Project, facts: FunctionFacts) -> Scope:
    """The names of a function."""
    return scope_of(facts, project.resolver.body(facts.id))
