"""What a `GatheredParameters(...)` gathers, as the function that writes it spells it. May-analysis: what a
helper is handed counts as what it hands on."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from enum import Enum

from mmcodemod.facts.body import Via
from mmcodemod.facts.nodes import NodeSource, node_of
from mmcodemod.facts.python import FunctionFacts
from mmcodemod.facts.syntax import unparse, walk
from mmcodemod.facts.terms import Call, last_name
from mmcodemod.model.frozen import frozen
from mmcodemod.project.model import Project

GATHER = "GatheredParameters"
WORDS = ("weight", "bias")  # attributes that are parameters, not buffers
_LISTS = ("parameters", "named_parameters")
_KEPT = ("list", "tuple", "set", "sorted", "dict", "iter", "reversed", "filter", "chain")
_VIEWS = ("detach", "view", "flatten", "squeeze", "unsqueeze", "t", "view_as", "narrow", "select")
_NO_PARAMETERS = ("grad", "shape", "dtype", "device")
MAX_STEPS = 4


class Held(Enum):
    """What a name of the gather stands for."""

    PARAMETER = "parameter"
    SEVERAL = "several parameters"
    MODULE = "the parameters of a module"


Roots = frozenset[tuple[str, Held]]


def gather_calls(project: Project, facts: FunctionFacts) -> list[ast.Call]:
    """The calls of `deepspeed.zero.GatheredParameters` in a function, in source order."""
    return [node_of(call) for call in facts.body.calls if _is_gather(project, facts, call)]


def _is_gather(project: Project, facts: FunctionFacts, call: Call) -> bool:
    names = project.names(call.func, facts.id)
    if names:
        return any(name.startswith("deepspeed.") and name.endswith(f".{GATHER}") for name in names)
    return last_name(call) == GATHER and not project.values(call.func, facts.id)


@frozen()
class Spelling:
    """How one function spells parameters: `roots` are what is gathered."""

    project: Project
    function: str
    roots: Roots = frozenset()

    def sources(self, name: str) -> tuple[NodeSource, ...]:
        return self.project.resolver.body(self.function).names.get(name, ())

    def of(self, expr: ast.expr, steps: int = 0) -> str:
        """The one spelling of a tensor or a module, views and `.data` left out; "" for what is computed."""
        if isinstance(expr, ast.Name):
            return self._name(expr, steps)
        if isinstance(expr, ast.Attribute):
            if expr.attr in _NO_PARAMETERS:
                return ""
            inner = self.of(expr.value, steps)
            return inner if expr.attr == "data" or not inner else f"{inner}.{expr.attr}"
        if isinstance(expr, ast.Subscript):
            inner = self.of(expr.value, steps)
            return inner and f"{inner}[{unparse(expr.slice)}]"
        if isinstance(expr, ast.Call) and isinstance(expr.func, ast.Attribute):
            return self._call(expr, expr.func, steps)
        return ""

    def _name(self, expr: ast.Name, steps: int) -> str:
        found = self.sources(expr.id)
        if len(found) == 1 and found[0].via is Via.VALUE and found[0].index < 0 and steps < MAX_STEPS:
            return self.of(found[0].expr, steps + 1) or expr.id
        return expr.id

    def _call(self, expr: ast.Call, func: ast.Attribute, steps: int) -> str:
        inner = self.of(func.value, steps)
        if func.attr in _VIEWS:
            return inner
        return f"{inner}.{func.attr}()" if inner and not expr.args and not expr.keywords else ""

    # -- what an argument of the gather holds -------------------------------------------------------

    def held(self, expr: ast.expr, steps: int = 0) -> Iterator[tuple[str, Held]]:
        """What an expression that a gather is given holds."""
        if isinstance(expr, (ast.List, ast.Tuple, ast.Set)):
            for element in expr.elts:
                inner = element.value if isinstance(element, ast.Starred) else element
                yield from self.held(inner, steps)
        elif isinstance(expr, ast.Name):
            yield from self._held_name(expr, steps)
        elif isinstance(expr, ast.Call):
            yield from self._held_call(expr, steps)
        elif isinstance(expr, (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)):
            yield from self._held_each(expr, steps)
        elif isinstance(expr, ast.IfExp):
            yield from (*self.held(expr.body, steps), *self.held(expr.orelse, steps))
        elif spelled := self.of(expr):
            yield spelled, Held.PARAMETER
            if isinstance(expr, ast.Subscript):
                yield from self.held(expr.value, steps)

    def _held_name(self, expr: ast.Name, steps: int) -> Iterator[tuple[str, Held]]:
        made = [s for s in self.sources(expr.id) if s.via in (Via.VALUE, Via.INTO) and s.index < 0]
        for source in made if steps < MAX_STEPS else ():
            yield from self.held(source.expr, steps + 1)
        several = any(not isinstance(s.expr, (ast.Attribute, ast.Name)) for s in made)
        yield self.of(expr), Held.SEVERAL if several or self._goes_round(expr.id) else Held.PARAMETER

    def _goes_round(self, name: str) -> bool:
        """Does a loop of the function go over it?"""
        names = self.project.resolver.body(self.function).names.values()
        over = (s.expr for found in names for s in found if s.via is Via.ELEMENT)
        return any(isinstance(expr, ast.Name) and expr.id == name for expr in over)

    def _held_each(
        self, expr: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp, steps: int
    ) -> Iterator[tuple[str, Held]]:
        for each in expr.generators:
            yield from self.held(each.iter, steps)
        made = expr.value if isinstance(expr, ast.DictComp) else expr.elt
        bound = {n.id for each in expr.generators for n in walk(each.target) if isinstance(n, ast.Name)}
        if not isinstance(made, ast.Name) or made.id not in bound:
            yield from self.held(made, steps)

    def _held_call(self, expr: ast.Call, steps: int) -> Iterator[tuple[str, Held]]:
        func = expr.func
        if isinstance(func, ast.Attribute) and func.attr in _LISTS:
            if spelled := self.of(func.value):
                yield spelled, Held.MODULE
        elif isinstance(func, ast.Attribute) and func.attr in ("values", "items"):
            yield from self.held(func.value, steps)
        elif isinstance(func, ast.Attribute) and not expr.args:
            if spelled := self.of(expr):
                yield spelled, Held.PARAMETER
        else:
            for arg in expr.args:
                yield from self.held(arg, steps)

    # -- is it among what is gathered? --------------------------------------------------------------

    def gathered(self, expr: ast.expr) -> bool:
        """Is this tensor one of the gathered parameters?"""
        spelled = self.of(expr)
        if not spelled:
            return False
        if (spelled, Held.PARAMETER) in self.roots:
            return True
        if self._below(spelled, Held.SEVERAL, "[") and spelled.endswith("]"):
            return True
        if self._below(spelled, Held.MODULE, ".") and is_parameter(spelled):
            return True
        return isinstance(expr, ast.Name) and self._each(expr.id)

    def module(self, expr: ast.expr) -> bool:
        """Are the parameters of this module among those that are gathered?"""
        spelled = self.of(expr)
        whole = (spelled, Held.MODULE) in self.roots
        return bool(spelled) and (whole or self._below(spelled, Held.MODULE, "."))

    def _below(self, spelled: str, held: Held, mark: str) -> bool:
        return any(h is held and spelled.startswith(root + mark) for root, h in self.roots)

    def _each(self, name: str) -> bool:
        """Is it the variable of loops over gathered parameters?"""
        found = self.sources(name)
        return bool(found) and all(s.via is Via.ELEMENT and self._element(s) for s in found)

    def _element(self, source: NodeSource) -> bool:
        expr, index = _gone_over(source)
        held = set(self.held(expr))
        return index == (1 if _pairs(expr) else -1) and bool(held) and held <= self.roots


def _gone_over(source: NodeSource) -> tuple[ast.expr, int]:
    """What a loop goes over, and which of its elements' parts it takes; -1 for the element itself."""
    expr, index = source.expr, source.index
    if isinstance(expr, ast.Call) and isinstance(expr.func, ast.Name) and not source.inner:
        if expr.func.id == "zip" and 0 <= index < len(expr.args):
            return expr.args[index], -1
        if expr.func.id == "enumerate" and index == 1 and expr.args:
            return expr.args[0], -1
    return expr, index


def _pairs(expr: ast.expr) -> bool:
    return (
        isinstance(expr, ast.Call)
        and isinstance(expr.func, ast.Attribute)
        and expr.func.attr in ("named_parameters", "items")
    )


def is_parameter(spelled: str) -> bool:
    """Does an attribute have the name of a parameter?"""
    last = spelled.rpartition(".")[2]
    return last in WORDS or last.endswith(tuple(f"_{word}" for word in WORDS))


def models(spelling: Spelling, expr: ast.expr, steps: int = 0) -> Iterator[ast.expr]:
    """The names and attributes behind what a gather is given: modules, parameters, lists."""
    for node in walk(expr):
        if isinstance(node, (ast.Name, ast.Attribute)):
            yield node
        if isinstance(node, ast.Name) and steps < MAX_STEPS:
            for source in spelling.sources(node.id):
                if source.expr is not expr:
                    yield from models(spelling, source.expr, steps + 1)
