"""How often a piece of code runs each module: once, a fixed number of times, or as often as the data says.
May-analysis on statements; callees count as one run of what they run."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import field

from mmcodemod.facts.python import FunctionFacts
from mmcodemod.facts.syntax import walk
from mmcodemod.model.frozen import mutable
from mmcodemod.project.chunks import whole_of_pieces
from mmcodemod.project.infer import Frame
from mmcodemod.project.modality import MODALITY, Scope, asks, data_roots
from mmcodemod.project.model import Project
from mmcodemod.project.module_calls import ModuleCall, ModuleCalls

MANY = 1000  # stands for "as often as the data says"

Block = Sequence[ast.stmt]


@mutable()
class Runs:
    """Runs by module label; `calls` shows one call for each."""

    counts: Counter[str] = field(default_factory=Counter)
    calls: dict[str, ModuleCall] = field(default_factory=dict)

    def add(self, call: ModuleCall, times: int) -> None:
        for module in call.modules:
            self.counts[module] += times
            self.calls.setdefault(module, call)


def runs(body: Block, calls: ModuleCalls, frame: Frame, scope: Scope) -> Runs:
    """How often a block runs each module, branches inside it taken at their larger side."""
    return _Counter(calls, frame, scope).of(body)


def in_one_round(body: Block, calls: ModuleCalls, frame: Frame, scope: Scope, module: str) -> range:
    """How often a block may run a module when the loops that the data ends go round once. An `if` of which
    one side alone runs it, as on whether words are left, is taken to do so."""
    counted = (_Counter(calls, frame, scope, rounds=1, side=side).of(body) for side in (_fewer, max))
    fewest, most = (found.counts[module] for found in counted)
    return range(fewest, most + 1)


def _fewer(one: int, other: int) -> int:
    return min(one, other) or max(one, other)


@mutable()
class _Counter:
    """`rounds` of a loop that the data ends count, and of an `if` the `side` with fewer or more runs."""

    calls: ModuleCalls
    frame: Frame
    scope: Scope
    rounds: int = MANY
    side: Callable[[int, int], int] = max

    def of(self, body: Block, times: int = 1) -> Runs:
        found = Runs()
        self._block(body, times, found)
        return found

    def _block(self, body: Block, times: int, found: Runs) -> None:
        for statement in body:
            if isinstance(statement, ast.If):
                self._add([statement.test], times, found)
                self._one_side(statement, times, found)
            elif isinstance(statement, (ast.While, ast.For, ast.AsyncFor)):
                inner = self.rounds if varies(statement, self.scope) else times
                self._block(statement.body, inner, found)
            elif isinstance(statement, (ast.With, ast.AsyncWith, ast.Try)):
                self._block(statement.body, times, found)
            elif not isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                self._add([statement], times, found)

    def _add(self, nodes: Sequence[ast.AST], times: int, found: Runs) -> None:
        for call in self.calls.within(nodes, self.frame):
            found.add(call, times)

    def _one_side(self, statement: ast.If, times: int, found: Runs) -> None:
        body, orelse = self.of(statement.body, times), self.of(statement.orelse, times)
        for module in {*body.counts, *orelse.counts}:
            found.counts[module] += self.side(body.counts[module], orelse.counts[module])
            larger = body if body.counts[module] >= orelse.counts[module] else orelse
            found.calls.setdefault(module, larger.calls[module])


def may_vary(project: Project, facts: FunctionFacts) -> bool:
    """May a function have such a loop, by its text? That is at hand, its syntax tree is not."""
    text = project.source(facts) if facts.body.loops else b""
    return b"while" in text or asks(text)


def varies(loop: ast.While | ast.For | ast.AsyncFor, scope: Scope) -> bool:
    """Does the number of rounds depend on the data of this rank? A `while` on data does; a `for` over a
    list of images does; a `for` over the samples of a batch does not."""
    if isinstance(loop, ast.While):
        return bool(data_roots(loop.test, scope))
    return over_modality(loop, scope)


def over_modality(loop: ast.For | ast.AsyncFor, scope: Scope) -> bool:
    """Is it a loop over images, frames or the like, or over pieces of them?"""
    over = loop.iter
    if isinstance(over, ast.Call) and isinstance(over.func, ast.Name) and over.func.id == "enumerate":
        over = over.args[0] if over.args else over
    return _of_modality(over, scope) or over_pieces(over, scope)


def over_pieces(over: ast.expr, scope: Scope) -> bool:
    """Is it pieces of images, frames or the like that a loop goes over?"""
    whole = whole_of_pieces(over)
    return whole is not None and _of_modality(whole, scope)


def _of_modality(over: ast.expr, scope: Scope) -> bool:
    names = [n.id for n in walk(over) if isinstance(n, ast.Name)]
    return isinstance(over, (ast.Name, ast.Attribute, ast.Subscript)) and any(
        MODALITY.search(n) and data_roots(ast.Name(n, ast.Load()), scope) for n in names
    )
