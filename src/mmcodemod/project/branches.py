"""Branches on the presence of a modality, with the modules that only one side runs."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from itertools import groupby

from mmcodemod.facts.body import own_nodes
from mmcodemod.facts.node_reader import body_of
from mmcodemod.facts.outline import Outline
from mmcodemod.facts.python import FunctionFacts
from mmcodemod.facts.syntax import unparse
from mmcodemod.knowledge.collectives import IN_PLACE
from mmcodemod.model.frozen import frozen
from mmcodemod.project.arguments import never_given
from mmcodemod.project.flow import Flow, flow_of, raises, start_of
from mmcodemod.project.infer import Frame
from mmcodemod.project.modality import MODALITY, POINTS, Atom, Scope, asks, presence, scope_of
from mmcodemod.project.model import Project
from mmcodemod.project.module_calls import ModuleCall, ModuleCalls, entries, is_text, labels
from mmcodemod.project.stubs import is_stub
from mmcodemod.project.taint import Taint
from mmcodemod.project.whether_there import words

WORDS = ("image", "pixel", "vision", "visual", "video", "audio", "speech", "input_features", "modal", "img")
_OF_POINTS = ("points", "point_cloud", "pointcloud", "pcd", "lidar")

Test = ast.If | ast.IfExp


@frozen()
class Branch:
    """`if` on a modality, statement or expression. `true` and `false` are the module calls of each side
    only. `loop` where it decides in each round of a loop that is the same on all ranks; `asked` is its test,
    where that does not stand in `node`. `picks`: `asked` is the key by which a call picks what it runs."""

    facts: FunctionFacts
    node: Test | ast.For | ast.Call
    atoms: tuple[Atom, ...]
    frame: Frame
    true: tuple[ModuleCall, ...]
    false: tuple[ModuleCall, ...]
    loop: ast.For | None = None
    asked: ast.expr | None = None
    picks: bool = False

    @property
    def test(self) -> str:
        """The text of the test."""
        return unparse(self.asked or self.node.test)  # type: ignore[union-attr]

    @property
    def lone(self) -> frozenset[str]:
        """Modules of the modality that only one side runs, and dicts of which each side runs others."""
        one_sided = labels(self.true) ^ labels(self.false)
        return frozenset(m for m in one_sided if not is_text(m)) | self.apart

    @property
    def shared(self) -> frozenset[str]:
        """Modules that both sides run."""
        return (labels(self.true) & labels(self.false)) - self.apart

    @property
    def apart(self) -> frozenset[str]:
        """Dicts of modules of which the sides run other entries: `encoders["image"]`, `encoders["audio"]`."""
        both = labels(self.true) & labels(self.false)
        sides = {m: (entries(self.true, m), entries(self.false, m)) for m in both}
        return frozenset(m for m, (one, other) in sides.items() if one and other and one.isdisjoint(other))


def branches(project: Project) -> list[Branch]:
    """All such branches of the tree. Use through `project.get(branches)`."""
    every = project.get(_asked).items()
    found = [b for f, tests in every for b in _of_function(project, project.index.function(f), tests)]
    return [b for b in found if not of_points(b.atoms) or gets_points(b, function_scope(project, b.facts))]


def modality_functions(project: Project) -> Iterator[tuple[FunctionFacts, list[ast.If]]]:
    """Functions with tests on a modality, and those tests in the order of lines."""
    for function, tests in project.get(modality_tests).items():
        yield project.index.function(function), tests


def modality_tests(project: Project) -> dict[str, list[ast.If]]:
    """The `if` statements on a modality by function id. Use through `project.get(modality_tests)`."""
    asked = project.get(all_modality_tests).items()
    every = {f: [n for n in tests if isinstance(n, ast.If)] for f, tests in asked}
    return {f: tests for f, tests in every.items() if tests}


def all_modality_tests(project: Project) -> dict[str, list[Test]]:
    """Those tests, and conditional expressions, too; not those that ask for points alone. Use through
    `project.get(all_modality_tests)`."""
    found: dict[str, list[Test]] = {}
    for function, tests in project.get(_asked).items():
        names = function_scope(project, project.index.function(function))
        kept = [n for n in tests if not of_points(presence(n.test, names))]
        found |= {function: kept} if kept else {}
    return found


def _asked(project: Project) -> dict[str, list[Test]]:
    found: dict[str, list[Test]] = {}
    trees = project.index.trees
    for path, group in groupby(_mentioning(project), key=lambda facts: facts.path):
        functions, outline = list(group), trees.glance(path)
        here = _in_outline(functions, outline)
        kept = trees.keep(path, outline, (name.partition("::")[2] for name in here)) if here else outline
        found |= here if kept is outline else _in_outline(functions, kept)
    return found


def _in_outline(functions: list[FunctionFacts], outline: Outline) -> dict[str, list[Test]]:
    return {facts.id: tests for facts in functions if (tests := _tests(facts, outline))}


def _mentioning(project: Project) -> Iterator[FunctionFacts]:
    """Functions with tests in whose text there is a modality."""
    for facts in project.mentioning(*WORDS, *_OF_POINTS):
        if not facts.is_module and asks(project.source(facts)) and facts.body.tests:
            yield facts


def _tests(facts: FunctionFacts, outline: Outline) -> list[Test]:
    """The tests of a function that ask for a modality, in source order."""
    node = outline.functions[facts.qualname].node
    names = scope_of(facts, body_of(node, outline))
    asked = [n for n in own_nodes(node) if isinstance(n, (ast.If, ast.IfExp)) and presence(n.test, names)]
    return sorted(asked, key=lambda n: (n.lineno, n.col_offset))


def _of_function(project: Project, facts: FunctionFacts, tests: list[Test]) -> Iterator[Branch]:
    names = function_scope(project, facts)
    flow = flow_of(project, facts.id)
    for node in tests:
        asked = tuple(a for a in presence(node.test, names) if _varies(project, facts, a))
        branch = _branch(project, facts, flow, node, asked) if asked else None
        if branch is not None:
            yield branch


def _varies(project: Project, facts: FunctionFacts, atom: Atom) -> bool:
    """Can it differ between ranks? Not where it asks for a parameter that nobody passes, or for what all
    ranks have reduced."""
    return atom.key or not (never_given(project, facts, atom.name) or _reduced(project, facts, atom))


def _reduced(project: Project, facts: FunctionFacts, atom: Atom) -> bool:
    """`all_reduce(has_images)` before the test, in the same function; or the test asks for a name that is
    made of what was reduced."""
    before = [c for c in project.calls_of(facts.id, IN_PLACE) if c.lineno < atom.node.lineno]
    if any(c.args and isinstance(c.args[0], ast.Name) and c.args[0].id == atom.name for c in before):
        return True
    name, taint = atom.node, project.get(Taint)
    if isinstance(name, ast.Call):
        return _calls_reduced(project, facts, name)
    frames = project.frames(facts.id) if before and isinstance(name, ast.Name) else ()
    return bool(frames) and all(taint.is_reduced(name.id, frame) for frame in frames)  # type: ignore[attr-defined]


def _calls_reduced(project: Project, facts: FunctionFacts, call: ast.Call) -> bool:
    """Is the test a call of functions of the tree that return what all ranks have reduced?"""
    edges = [
        e for f in project.frames(facts.id) for e in project.graph.edges.get(f, ()) if e.site is not None
    ]
    callees = {e.callee for e in edges if start_of(e.call) == start_of(call)}
    inside = [c for c in callees if not is_stub(c.function)]
    taint = project.get(Taint)
    return bool(callees) and len(inside) == len(callees) and all(map(taint.returns_reduced, inside))


def _branch(
    project: Project, facts: FunctionFacts, flow: Flow, node: Test, found: tuple[Atom, ...]
) -> Branch | None:
    sides = _sides(flow, node)
    if sides is None:
        return None
    calls = project.get(ModuleCalls)
    best = None
    for frame in project.frames(facts.id):
        true, false = (calls.within(side, frame) for side in sides)
        branch = Branch(facts, node, found, frame, tuple(true), tuple(false))
        if true or false:
            best = branch if best is None or len(branch.lone) > len(best.lone) else best
    return best


def _sides(flow: Flow, node: Test) -> tuple[Sequence[ast.AST], Sequence[ast.AST]] | None:
    """What only the true and only the false side runs; None when one of them raises."""
    if isinstance(node, ast.IfExp):
        return [node.body], [node.orelse]
    if raises(node.body) or raises(node.orelse):
        return None
    arms = flow.arms(node)
    return arms.true, arms.false


def function_scope(project: Project, facts: FunctionFacts) -> Scope:
    """The names of a function."""
    return scope_of(facts, project.resolver.body(facts.id))


def of_points(asked: Sequence[Atom]) -> bool:
    """Do all of them ask for what a modality is only where an encoder gets it?"""
    return bool(asked) and all(POINTS.fullmatch(a.name) and not MODALITY.search(a.name) for a in asked)


def gets_points(branch: Branch, names: Scope) -> bool:
    """Does a module that only one side runs get what the test asks for?"""
    wanted = {atom.name for atom in branch.atoms}
    calls = [c.call for c in (*branch.true, *branch.false) if c.modules & branch.lone]
    given = [a for call in calls for a in (*call.args, *(k.value for k in call.keywords))]
    behind = [names.stands_for(n) or a for a in given for n in names.names_in(a)]
    return any(not wanted.isdisjoint(words(expr)) for expr in (*given, *behind))
