"""Does a run record the forward pass of a frozen encoder? Answers for one training context: Fatal where the
encoder is frozen, nothing of it trains, and its inputs are made to require gradients."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.facts.body import own_nodes
from mmcodemod.facts.syntax import unparse
from mmcodemod.knowledge.modules import makes_module
from mmcodemod.model.context import Context
from mmcodemod.model.finding import Note
from mmcodemod.model.place import Place
from mmcodemod.model.verdict import AND, Answer, Excluded, Fatal, Unclear
from mmcodemod.project.configured_settings import ConfiguredSettings, ways
from mmcodemod.project.features import without_gradients
from mmcodemod.project.flow import flow_of
from mmcodemod.project.frozen_encoders import Encoder, Spot
from mmcodemod.project.model import Project
from mmcodemod.project.module_calls import ModuleCalls
from mmcodemod.project.values import Made

MAX_LEVELS = 3

Condition = tuple[str, ast.If, bool, str]  # how it reads, the test, its outcome, the function that asks


def recorded(project: Project, context: Context, encoder: Encoder, hook: Spot) -> Answer:
    """For the surest of the configurations that the run may have."""
    found = [_in(project, way, encoder, hook) for way in ways(project, context, encoder.cls)]
    return min(found, key=_rank)


def _rank(answer: Answer) -> int:
    return 0 if isinstance(answer, Fatal) else 1 if isinstance(answer, Unclear) else 2


def _in(project: Project, context: Context, encoder: Encoder, hook: Spot) -> Answer:
    settings = ConfiguredSettings(project, context, encoder.cls)
    frozen = [_frozen(project, settings, encoder, hook, freeze) for freeze in encoder.freezes]
    return min(frozen, key=_rank)


def _frozen(
    project: Project, settings: ConfiguredSettings, encoder: Encoder, hook: Spot, freeze: Spot
) -> Answer:
    """With one line that freezes it."""
    asked = _conditions(project, encoder, hook)
    frees = _conditions(project, encoder, freeze)
    apart = _contradiction(asked, frees)
    if apart is not None:
        return Excluded(Note(_at(project, apart), "asks whether it is frozen"))
    known = {(text, outcome) for text, _, outcome, _ in asked}
    needed = [*asked, *(c for c in frees if (c[0], c[2]) not in known)]
    for condition in needed:
        if condition[2] not in _truths(settings, condition):
            return Excluded(Note(_at(project, condition), f"`{condition[0]}` comes out the other way"))
    open_ = [c for c in needed if _truths(settings, c) != {c[2]}]
    trained = _trained(project, settings, encoder, needed)
    if isinstance(trained, Excluded):
        return trained
    facts = list(dict.fromkeys([*map(_fact, open_), *trained]))
    if len(facts) > 1:
        return Excluded(Note(_place(project, freeze), f"nothing shows {AND.join(facts)}"))
    return Unclear(facts[0]) if facts else Fatal(_given(project, settings, needed))


def _trained(
    project: Project, settings: ConfiguredSettings, encoder: Encoder, needed: list[Condition]
) -> Excluded | list[str]:
    """What makes a part of it train; else the facts that would."""
    facts = []
    for spot in encoder.trains:
        conditions = _conditions(project, encoder, spot)
        if _contradiction(conditions, needed) is not None:
            continue
        if any(c[2] not in _truths(settings, c) for c in conditions):
            continue
        open_ = [c for c in conditions if _truths(settings, c) != {c[2]}]
        if not open_:
            return Excluded(Note(_place(project, spot), "a part of it trains"))
        facts += [f"whether `{c[0]}` is {str(not c[2]).lower()}" for c in open_[:1]]
    return facts


def _fact(condition: Condition) -> str:
    return f"whether `{condition[0]}` is {str(condition[2]).lower()}"


def _given(project: Project, settings: ConfiguredSettings, needed: list[Condition]) -> Note | None:
    """The configuration or flag that lets the run in."""
    read = {s for _, test, _, function in needed for s in settings.read_by(test.test, function)}
    given = min(((s.at, s.flag, s.value) for s in read if s.given and s.at and s.value is True), default=None)
    return Note(given[0], f"{given[1]} is {given[2]}") if given else None


def _truths(settings: ConfiguredSettings, condition: Condition) -> frozenset[bool]:
    return settings.truths(condition[1].test, condition[3])


def _contradiction(one: list[Condition], other: list[Condition]) -> Condition | None:
    """A test of the one that comes out the other way in the other: by its text, `self.` left out."""
    outcomes = {_bare(test.test, outcome) for _, test, outcome, _ in other}
    for condition in one:
        text, outcome = _bare(condition[1].test, condition[2])
        if (text, not outcome) in outcomes:
            return condition
    return None


def _bare(test: ast.expr, outcome: bool) -> tuple[str, bool]:
    while isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        test, outcome = test.operand, not outcome
    return unparse(test).removeprefix("self."), outcome


def _conditions(project: Project, encoder: Encoder, spot: Spot) -> list[Condition]:
    """The tests around a place and around the one call of its method, but for `hasattr`."""
    found: list[Condition] = []
    function, node = spot.function, spot.node
    for _ in range(MAX_LEVELS):
        for test, outcome in flow_of(project, function).tests(node):
            if not _asks_method(test.test):
                found.append((unparse(test.test), test, outcome, function))
        edges = [e for e in project.callers(function) if e.site is not None and e.call is not None]
        if not encoder.cls or function.endswith(".__init__") or len({id(e.call) for e in edges}) != 1:
            break
        function, node = edges[0].caller.function, edges[0].call
        if not function.startswith(f"{encoder.cls}."):
            break
    return found


def _asks_method(test: ast.expr) -> bool:
    return isinstance(test, ast.Call) and isinstance(test.func, ast.Name) and test.func.id == "hasattr"


# -- where it runs ---------------------------------------------------------------------------------------


def upstream(project: Project, run: Spot) -> Note | None:
    """What comes before the encoder and may train: a module that computes its input, or a parameter."""
    assert isinstance(run.node, ast.Call)
    facts = project.index.function(run.function)
    frame = project.frames(run.function)[0]
    calls = project.get(ModuleCalls)
    for expr in _made_of(project, run):
        if expr is run.node:
            continue
        if isinstance(expr, ast.Call) and calls.of(expr, frame).modules:
            return Note(project.place(facts.path, expr), "computes what the encoder is given")
        if isinstance(expr, ast.Attribute) and _is_parameter(project, expr, run.function):
            return Note(project.place(facts.path, expr), "a parameter goes into the encoder")
    return None


def _is_parameter(project: Project, expr: ast.Attribute, function: str) -> bool:
    made = [v.by for v in project.values(expr, function) if isinstance(v, Made)]
    return any(m.endswith(".Parameter") or makes_module(m) for m in made)


def _made_of(project: Project, run: Spot) -> Iterator[ast.AST]:
    """All expressions that the arguments are made of, through local names that are set before."""
    assert isinstance(run.node, ast.Call)
    looped = flow_of(project, run.function).loop_of(run.node) is not None
    body = project.resolver.body(run.function)
    todo: list[ast.expr] = [*run.node.args, *(k.value for k in run.node.keywords)]
    seen: set[str] = set()
    while todo:
        for node in own_nodes(todo.pop()):
            yield node
            if isinstance(node, ast.Name) and node.id not in seen:
                seen.add(node.id)
                sources = [s.expr for s in body.names.get(node.id, ())]
                todo += [expr for expr in sources if looped or expr.lineno < run.node.lineno]


def switched_off_at(project: Project, run: Spot) -> bool:
    """Does it run without gradients there?"""
    assert isinstance(run.node, ast.Call)
    return without_gradients(project, run.node, project.frames(run.function)[0])


def _at(project: Project, condition: Condition) -> Place:
    return project.place(condition[3].partition("::")[0], condition[1].test)


def _place(project: Project, spot: Spot) -> Place:
    return project.place(spot.function.partition("::")[0], spot.node)
