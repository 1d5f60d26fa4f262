"""How often a piece of code runs each module: once, a fixed number of times, or as often as the data says.
May-analysis on statements; callees count as one run of what they run."""

from __future__ import annotations

import ast
from collections import Counter
from dataclasses import dataclass, field

from mmcodemod.facts.python import FunctionFacts
from mmcodemod.project.infer import Frame
from mmcodemod.project.modality import ASKS, MODALITY, Scope, data_roots
from mmcodemod.project.model import Project
from mmcodemod.project.module_calls import ModuleCall, ModuleCalls

MANY = 1000  # stands for "as often as the data says"


@dataclass
class Runs:
    """Runs by module label; `calls` shows one call for each."""

    counts: Counter[str] = field(default_factory=Counter)
    calls: dict[str, ModuleCall] = field(default_factory=dict)

    def add(self, call: ModuleCall, times: int) -> None:
        for module in call.modules:
            self.counts[module] += times
            self.calls.setdefault(module, call)


def runs(body: tuple[ast.stmt, ...] | list[ast.stmt], calls: ModuleCalls, frame: Frame, scope: Scope) -> Runs:
    """How often a block runs each module, branches inside it taken at their larger side."""
    found = Runs()
    _block(body, calls, frame, scope, 1, found)
    return found


def _block(
    body: tuple[ast.stmt, ...] | list[ast.stmt],
    calls: ModuleCalls,
    frame: Frame,
    scope: Scope,
    times: int,
    found: Runs,
) -> None:
    for statement in body:
        if isinstance(statement, ast.If):
            _add(calls.within([statement.test], frame), times, found)
            _larger(statement, calls, frame, scope, times, found)
        elif isinstance(statement, (ast.While, ast.For, ast.AsyncFor)):
            inner = MANY if varies(statement, scope) else times
            _block(statement.body, calls, frame, scope, inner, found)
        elif isinstance(statement, (ast.With, ast.AsyncWith, ast.Try)):
            _block(statement.body, calls, frame, scope, times, found)
        elif not isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            _add(calls.within([statement], frame), times, found)


def _add(calls: list[ModuleCall], times: int, found: Runs) -> None:
    for call in calls:
        found.add(call, times)


def _larger(
    statement: ast.If, calls: ModuleCalls, frame: Frame, scope: Scope, times: int, found: Runs
) -> None:
    sides = [Runs(), Runs()]
    for side, body in zip(sides, (statement.body, statement.orelse)):
        _block(body, calls, frame, scope, times, side)
    for module in {*sides[0].counts, *sides[1].counts}:
        larger = max(sides, key=lambda side: side.counts[module])
        found.counts[module] += larger.counts[module]
        found.calls.setdefault(module, larger.calls[module])


def may_vary(project: Project, facts: FunctionFacts) -> bool:
    """May a function have such a loop, by its text? That is at hand, its syntax tree is not."""
    text = project.source(facts) if facts.body.loops else b""
    return b"while" in text or ASKS.search(text) is not None


def varies(loop: ast.While | ast.For | ast.AsyncFor, scope: Scope) -> bool:
    """Does the number of rounds depend on the data of this rank? A `while` on data does; a `for` over a
    list of images does; a `for` over the samples of a batch does not."""
    if isinstance(loop, ast.While):
        return bool(data_roots(loop.test, scope))
    return over_modality(loop, scope)


def over_modality(loop: ast.For | ast.AsyncFor, scope: Scope) -> bool:
    """Is it a loop over images, frames or the like?"""
    over = loop.iter
    if isinstance(over, ast.Call) and isinstance(over.func, ast.Name) and over.func.id == "enumerate":
        over = over.args[0] if over.args else over
    names = [n.id for n in ast.walk(over) if isinstance(n, ast.Name)]
    return isinstance(over, (ast.Name, ast.Attribute, ast.Subscript)) and any(
        MODALITY.search(n) and data_roots(ast.Name(n, ast.Load()), scope) for n in names
    )
