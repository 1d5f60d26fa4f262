"""Does an expression hold the model that ranks train together: what DDP, FSDP, DeepSpeed, accelerate or a
Trainer got, or gave back? May-analysis along the calls that lead to the expression."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import replace

from mmcodemod.facts.python import FunctionFacts
from mmcodemod.knowledge.wrappers import DATA_PARALLEL, SELF_METHODS, TRAINER, TRAINERS, UNWRAPPERS, WRAPPED
from mmcodemod.model.frozen import frozen
from mmcodemod.model.place import Place
from mmcodemod.project.arguments import argument
from mmcodemod.project.callgraph import Edge
from mmcodemod.project.flow import flow_of, start_of
from mmcodemod.project.model import Project
from mmcodemod.project.origins import Origin, Tracing
from mmcodemod.project.passings import passings
from mmcodemod.project.values import Instance, Value

_SAME = ("torch.compile",)  # gives back what it is given
KEPT = ("model", "model_wrapped")  # attributes of a Trainer


@frozen()
class Wrap:
    """`by` is what wraps (a value of DATA_PARALLEL, or TRAINER), `origin` the expression that does. `inner`
    is where the module inside is taken out, None where it is not; `mixed` when the expression may also hold
    a model that nothing wraps."""

    by: str
    origin: Origin
    inner: Place | None = None
    mixed: bool = False


def wrapped(project: Project, expr: ast.expr, function: str, via: Sequence[Edge] = ()) -> Wrap | None:
    """How `expr` in `function` holds a wrapped model; `via` are the calls that lead there, outermost
    first."""
    return Wrappers(project, via).starting(expr, function)


class Wrappers(Tracing):
    """Origins that end at what wraps, and that take a parameter for what the calls on the way pass. Each
    expression is asked about once: what leads back to one that is being asked adds nothing."""

    def __init__(self, project: Project, via: Sequence[Edge] = ()) -> None:
        super().__init__(project)
        self._known: dict[tuple[object, ...], Wrap | None] = {}
        self._via = {edge.callee.function: edge for edge in via}
        self._uses: dict[str, ast.expr] = {edge.caller.function: edge.call for edge in via}

    def starting(self, expr: ast.expr, function: str) -> Wrap | None:
        """The wrap of an expression where it stands."""
        self._uses[function] = expr
        return self.found(expr, function)

    def found(self, expr: ast.expr, function: str) -> Wrap | None:
        """The wrap of an expression; taken out of its wrapper where one of the ways does so."""
        key = (function, expr.lineno, expr.col_offset, expr.end_lineno, expr.end_col_offset)
        if key not in self._known:
            self._known[key] = None
            self._known[key] = self._found(expr, function)
        return self._known[key]

    def _found(self, expr: ast.expr, function: str) -> Wrap | None:
        origins = [o for o in self.of(expr, function) if not self._later(o)]
        wraps = {o: w for o in origins if (w := self._wrap(o))}
        if not wraps:
            return None
        first = next((w for w in wraps.values() if w.inner), next(iter(wraps.values())))
        inside = {o for w in wraps.values() for o in self._given(w)}
        mixed = any(w.mixed for w in wraps.values()) or bool({*origins} - {*wraps} - inside)
        return replace(first, mixed=mixed)

    def _later(self, origin: Origin) -> bool:
        """Does it stand behind the use of what it would have made, with no loop that leads back?"""
        use = self._uses.get(origin.function)
        if use is None or use.lineno >= origin.expr.lineno:
            return False
        loops = flow_of(self.project, origin.function).loops(origin.expr)
        return not any(loop.lineno <= use.lineno for loop in loops)

    def _given(self, wrap: Wrap) -> Iterator[Origin]:
        """Where the model that was wrapped comes from: the same name often held it before."""
        expr = wrap.origin.expr
        if isinstance(expr, ast.Call):
            for given in (*expr.args, *(k.value for k in expr.keywords)):
                yield from self.of(given, wrap.origin.function)

    def _wrap(self, origin: Origin) -> Wrap | None:
        expr, function = origin.expr, origin.function
        if isinstance(expr, ast.Subscript) and isinstance(expr.value, ast.Call):
            return self._wrap(Origin(expr.value, function))
        if isinstance(expr, ast.Call):
            return self._called(origin, expr)
        if isinstance(expr, ast.Attribute) and expr.attr in WRAPPED:
            return self._taken_out(expr.value, origin)
        return Wrap(TRAINER, origin, self._at(origin)) if self._of_trainer(origin) else None

    def _called(self, origin: Origin, call: ast.Call) -> Wrap | None:
        if self._of_trainer(origin):
            return Wrap(TRAINER, origin, self._at(origin))
        names = self.project.names(call.func, origin.function)
        by = next((DATA_PARALLEL[n] for n in sorted(names) if n in DATA_PARALLEL), "")
        if by:
            return Wrap(by, origin)
        method = call.func.attr if isinstance(call.func, ast.Attribute) else ""
        if call.args and (method in UNWRAPPERS or any(_last(name) in UNWRAPPERS for name in names)):
            return self._taken_out(call.args[0], origin)
        if method in SELF_METHODS and isinstance(call.func, ast.Attribute):
            return self.found(call.func.value, origin.function)
        same = call.args and any(n in _SAME for n in names)
        return self.found(call.args[0], origin.function) if same else None

    def _taken_out(self, outer: ast.expr, origin: Origin) -> Wrap | None:
        found = self.found(outer, origin.function)
        return replace(found, inner=found.inner or self._at(origin)) if found else None

    def _at(self, origin: Origin) -> Place:
        return self.project.place(origin.function.partition("::")[0], origin.expr)

    # -- the model of a Trainer ---------------------------------------------------------------------

    def _of_trainer(self, origin: Origin) -> bool:
        """`self.model` of a Trainer, or the `model` that a Trainer hands to its methods and callbacks, also
        among its keywords."""
        expr, function = origin.expr, origin.function
        if isinstance(expr, ast.Attribute) and expr.attr in KEPT:
            return any(self._is_trainer(value) for value in self.project.values(expr.value, function))
        facts = self.project.index.function(function)
        given = isinstance(expr, ast.Name) and expr.id == "model" and "model" in facts.parameters.names
        given = given or _packed(expr, facts.parameters.keywords) == "model"
        return given and bool(facts.owner) and self._trains(f"{facts.path}::{facts.owner}")

    def _is_trainer(self, value: Value) -> bool:
        return isinstance(value, Instance) and self._trains(value.cls)

    def _trains(self, cls: str) -> bool:
        return not TRAINERS.isdisjoint(self.project.resolver.classes.external_bases(cls))

    # -- how expressions are followed ---------------------------------------------------------------

    def _element(
        self, expr: ast.expr, index: int, function: str, seen: set[tuple[int, str]]
    ) -> Iterator[Origin]:
        names = self.project.names(expr.func, function) if isinstance(expr, ast.Call) else set()
        if not names.isdisjoint(DATA_PARALLEL):
            yield Origin(expr, function)
        else:
            yield from super()._element(expr, index, function, seen)

    def _attribute(self, expr: ast.Attribute, function: str, seen: set[tuple[int, str]]) -> Iterator[Origin]:
        if expr.attr in WRAPPED or self._of_trainer(Origin(expr, function)):
            yield Origin(expr, function)
        else:
            yield from super()._attribute(expr, function, seen)

    def _parameter(
        self, expr: ast.Name, facts: FunctionFacts, seen: set[tuple[int, str]]
    ) -> Iterator[Origin]:
        edge = self._via.get(facts.id)
        passed = argument(edge.call, facts, expr.id) if edge else None
        if self._of_trainer(Origin(expr, facts.id)):
            yield Origin(expr, facts.id)
        elif edge is not None and passed is not None:
            yield from self._follow(passed, edge.caller.function, seen)
        else:
            self._passed(facts, expr.id)
            yield from super()._parameter(expr, facts, seen)

    def _passed(self, facts: FunctionFacts, name: str) -> None:
        """The last of what a caller passes is where it uses what it holds."""
        every = passings(self.project, facts, name)
        given = [(p.caller, p.expr) for p in every if p.expr is not None and not p.is_default]
        last = dict(sorted(given, key=lambda pair: start_of(pair[1])))
        for caller, passed in last.items():
            self._uses.setdefault(caller, passed)


def _packed(expr: ast.expr, keywords: str) -> str:
    """`model` of `kwargs["model"]`, `kwargs.get("model")` and `kwargs.pop("model", None)`; "" for another."""
    match expr:
        case ast.Subscript(value=ast.Name(id=holder), slice=ast.Constant(value=str(key))):
            pass
        case ast.Call(
            func=ast.Attribute(attr="get" | "pop", value=ast.Name(id=holder)),
            args=[ast.Constant(value=str(key)), *_],
        ):
            pass
        case _:
            return ""
    return key if keywords and holder == keywords else ""


def _last(name: str) -> str:
    return name.rpartition(".")[2]
