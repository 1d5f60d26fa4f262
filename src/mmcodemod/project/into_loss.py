"""Does a value that a function of a run works out get into the loss? It does where it is seen to reach
`backward`, or what a loss function or a `forward` of the tree returns. Must-analysis: a value that another
function keeps in an attribute, or that is handed to a callback, is not seen to get there."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.facts.body import own_nodes
from mmcodemod.facts.python import FunctionFacts
from mmcodemod.facts.syntax import unparse
from mmcodemod.model.context import Context
from mmcodemod.model.verdict import Excluded
from mmcodemod.project.arguments import argument as passed_argument
from mmcodemod.project.comes_by import MAX_DEPTH, comes_by, leading_to
from mmcodemod.project.model import Project

LOSSES = ("forward", "__call__", "compute_loss", "training_step", "train_step")
NUMBERS = ("detach", "item", "tolist", "numpy", "isnan", "isfinite", "isinf")
WHOLE = -1
"""The position of a value that is not part of a tuple."""


def gets_into_loss(
    project: Project, context: Context, function: str, node: ast.expr, part: int = WHOLE, depth: int = 0
) -> bool:
    """Is the value of `node`, or this part of the tuple that it gives, seen to get into a loss?"""
    if context.entry is None:
        return True
    facts = project.index.function(function)
    here = _Values(project, context, facts, node, part)
    returned = list(here.returned({}))
    if here.goes_back() or (returned and _makes_loss(project, facts)):
        return True
    if not returned or depth == MAX_DEPTH:
        return False
    return any(
        gets_into_loss(project, context, edge.caller.function, edge.call, position, depth + 1)
        for edge in leading_to(project, context.entry, function)
        for position in here.returned(_flags(facts, edge.call))
    )


def _makes_loss(project: Project, facts: FunctionFacts) -> bool:
    """Is what it returns a loss: by its name, or because a library's trainer calls it?"""
    name = facts.qualname.rpartition(".")[2]
    return name in LOSSES or (
        "loss" in name and any(e.caller.function.startswith("<") for e in project.callers(facts.id))
    )


def _flags(facts: FunctionFacts, call: ast.Call) -> dict[str, bool]:
    """The parameters for which a call passes True or False, itself or by the default."""
    found: dict[str, bool] = {}
    for name, default in _defaults(facts):
        value = passed_argument(call, facts, name) or default
        if isinstance(value, ast.Constant) and isinstance(value.value, bool):
            found[name] = value.value
    return found


def _defaults(facts: FunctionFacts) -> Iterator[tuple[str, ast.expr]]:
    arguments = getattr(facts.node, "args", None)
    if isinstance(arguments, ast.arguments):
        plain = [*arguments.posonlyargs, *arguments.args]
        for argument, default in zip(reversed(plain), reversed(arguments.defaults)):
            yield argument.arg, default
        for argument, given in zip(arguments.kwonlyargs, arguments.kw_defaults):
            if given is not None:
                yield argument.arg, given


class _Values:
    """What one value is part of in its function, in one run."""

    def __init__(
        self, project: Project, context: Context, facts: FunctionFacts, start: ast.expr, part: int
    ) -> None:
        self._start, self._part, self._facts = start, part, facts
        self._run = project, context, facts.id
        self._names: set[str] = set()
        nodes = list(own_nodes(facts.node))
        self._nodes = [n for n in nodes if isinstance(n, (ast.stmt, ast.Call)) and self._comes_by(n)]
        while self._spread():
            pass

    def _comes_by(self, node: ast.AST) -> bool:
        wanted = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Return, ast.For, ast.Call)
        return isinstance(node, wanted) and not isinstance(comes_by(*self._run, node, MAX_DEPTH), Excluded)

    def _spread(self) -> bool:
        """Goes through the assignments once; does a further name hold it?"""
        before = len(self._names)
        for node in self._nodes:
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    self._assigned(target, node.value)
            elif isinstance(node, (ast.AnnAssign, ast.AugAssign)):
                if node.value is not None:
                    self._assigned(node.target, node.value)
            elif isinstance(node, ast.For):
                self._assigned(node.target, node.iter)
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                if node.func.attr in ("append", "extend") and any(map(self.holds, node.args)):
                    self._names.add(unparse(node.func.value))
        return len(self._names) > before

    def _assigned(self, target: ast.expr, value: ast.expr) -> None:
        if isinstance(target, (ast.Tuple, ast.List)):
            parts = self._parts(value, len(target.elts))
            for element, held in zip(target.elts, parts):
                if held:
                    self._names |= set(_names(element))
        elif self._whole(value):
            self._names |= set(_names(target))

    def _parts(self, value: ast.expr, count: int) -> list[bool]:
        """Which parts of a tuple hold it."""
        if isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == count:
            return [self.holds(e) for e in value.elts]
        if value is self._start and self._part != WHOLE:
            return [i == self._part for i in range(count)]
        return [self.holds(value)] * count

    def _whole(self, value: ast.expr) -> bool:
        """Does it hold the value, where `f(x)[1]` picks a part of what a call gives?"""
        if isinstance(value, ast.Subscript) and value.value is self._start and self._part != WHOLE:
            return not isinstance(value.slice, ast.Constant) or value.slice.value == self._part
        return self.holds(value)

    def holds(self, expr: ast.AST) -> bool:
        """Is the value part of an expression, other than as a plain number or in a comparison?"""
        if expr is self._start or (isinstance(expr, (ast.Name, ast.Attribute)) and self._named(expr)):
            return True
        if isinstance(expr, (ast.Compare, ast.Lambda)):
            return False
        if isinstance(expr, ast.Call) and isinstance(expr.func, ast.Attribute) and expr.func.attr in NUMBERS:
            return False
        return any(self.holds(child) for child in ast.iter_child_nodes(expr))

    def _named(self, expr: ast.Name | ast.Attribute) -> bool:
        return unparse(expr) in self._names

    def goes_back(self) -> bool:
        """Is `backward` called of it, or with it?"""
        return any(
            isinstance(n, ast.Call)
            and isinstance(n.func, ast.Attribute)
            and n.func.attr in ("backward", "manual_backward")
            and any(map(self.holds, (n.func.value, *n.args)))
            for n in self._nodes
        )

    def returned(self, flags: dict[str, bool]) -> Iterator[int]:
        """Where in what the function returns it is, for a call that passes these flags."""
        left = {id(n) for n in self._nodes}
        for node in _returns(self._facts.node, flags):
            if id(node) in left and node.value is not None:
                if isinstance(node.value, ast.Tuple):
                    yield from (i for i, e in enumerate(node.value.elts) if self.holds(e))
                elif node.value is self._start:
                    yield self._part
                elif self._whole(node.value):
                    yield WHOLE


def _names(target: ast.expr) -> Iterator[str]:
    """What `x`, `x[0]`, `self.x` and `x, y` as a target name."""
    if isinstance(target, (ast.Tuple, ast.List)):
        for element in target.elts:
            yield from _names(element)
    elif isinstance(target, (ast.Subscript, ast.Starred)):
        yield from _names(target.value)
    elif isinstance(target, (ast.Name, ast.Attribute)):
        yield unparse(target)


def _returns(scope: ast.AST, flags: dict[str, bool]) -> list[ast.Return]:
    """The `return`s that a call with these flags may come to."""
    found: list[ast.Return] = []
    for statement in getattr(scope, "body", ()):
        known = _flag(statement.test, flags) if isinstance(statement, ast.If) else None
        taken = [statement] if known is None else statement.body if known else statement.orelse
        found += [n for s in taken for n in own_nodes(s) if isinstance(n, ast.Return)]
        if taken and isinstance(taken[-1], ast.Return):
            break
    return found


def _flag(test: ast.expr, flags: dict[str, bool]) -> bool | None:
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        inner = _flag(test.operand, flags)
        return None if inner is None else not inner
    return flags.get(test.id) if isinstance(test, ast.Name) else None
