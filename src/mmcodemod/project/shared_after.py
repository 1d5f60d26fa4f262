"""Rows of a data set that are shared out after it was made: `data.rows = data.rows[rank::world_size]`, in any
function, or in a method of the data set that is called with the rank. May-analysis: one line is enough."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.facts.python import FunctionFacts
from mmcodemod.facts.syntax import unparse, walk
from mmcodemod.model.context import Context
from mmcodemod.model.finding import Note
from mmcodemod.model.place import Place
from mmcodemod.model.verdict import Answer, Excluded, Unclear
from mmcodemod.project.bits import Bits
from mmcodemod.project.differs import ranks_apart
from mmcodemod.project.model import Project
from mmcodemod.project.origins import Origin, Origins
from mmcodemod.project.stubs import is_stub
from mmcodemod.project.values import Instance

_PICKS = (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)
_NO_ROWS = ("torch.device", "str", "int", "print", "format")
_Line = tuple[Place, bool]  # and whether it surely shares out


def shared_after(project: Project, context: Context, made: frozenset[Origin]) -> Answer | None:
    """Excluded where a line of the run cuts the rows up by the rank, open where it may; None without one."""
    reach = project.reach(context.entry) if context.entry else None
    methods = project.once(_methods, made)
    lines: list[_Line] = []
    for facts in project.functions():
        if (reach is None or facts.id in reach) and not is_stub(facts.id):
            lines += project.once(_of_function, facts, made, methods)
    sure = [at for at, is_sure in lines if is_sure]
    if sure:
        return Excluded(Note(min(sure), "each rank keeps its own part of the rows"))
    may = min((at for at, _ in lines), default=None)
    return Unclear(f"whether each rank keeps its own rows at {may}", plausible=False) if may else None


def _methods(project: Project, made: frozenset[Origin]) -> tuple[str, ...]:
    """The methods of the data set."""
    values = (v for o in made for v in project.values(o.expr, o.function))
    classes = {base for v in values if isinstance(v, Instance) for base in project.bases(v.cls)}
    return tuple(sorted(f"{cls.path}::{name}" for cls in classes for name in cls.methods.values()))


def _of_function(
    project: Project, facts: FunctionFacts, made: frozenset[Origin], methods: tuple[str, ...]
) -> list[_Line]:
    """What a function stores into the data set, itself or by a method that it calls."""
    origins = Origins(project)
    found = list[_Line]()
    if any(_name_of(store.base) != "self" for store in facts.body.stores):
        found += _stored(project, origins, facts.id, made)
    short = {method.rpartition(".")[2]: method for method in methods if not method.endswith("__")}
    for call in project.calls_of(facts.id, tuple(short)):
        func, given = call.func, [*call.args, *(k.value for k in call.keywords)]
        if isinstance(func, ast.Attribute) and _by_rank(project, facts.id, given):
            if not made.isdisjoint(origins.of(func.value, facts.id)):
                found += _stored(project, origins, short[func.attr], None)
    return found


def _name_of(base: object) -> str:
    return str(getattr(base, "id", ""))


def _stored(
    project: Project, origins: Origins, function: str, made: frozenset[Origin] | None
) -> Iterator[_Line]:
    """Values by the rank that a function puts into the data set; None for its own object."""
    for store in project.resolver.body(function).stores:
        if made is None:
            own = _name_of(store.base) == "self"
        else:
            own = not made.isdisjoint(origins.of(store.base, function))
        ends = origins.of(store.value.expr, function) if own else []
        told = [sure for end in ends if (sure := _cuts(project, end)) is not None]
        if told:
            yield project.place(function.partition("::")[0], store.base), any(told)


def _cuts(project: Project, end: Origin) -> bool | None:
    """Does an expression pick rows by the rank? False where a call with the rank may, else None."""
    nodes = list(walk(end.expr))
    picks = [n.slice for n in nodes if isinstance(n, ast.Subscript)]
    picks += [test for n in nodes if isinstance(n, _PICKS) for part in n.generators for test in part.ifs]
    if _by_rank(project, end.function, picks):
        return True
    called = [n for n in nodes if isinstance(n, ast.Call) and unparse(n.func) not in _NO_ROWS]
    given = [a for c in called for a in (*c.args, *(k.value for k in c.keywords))]
    return False if _by_rank(project, end.function, given) else None


def _by_rank(project: Project, function: str, exprs: list[ast.expr]) -> bool:
    return any(ranks_apart(project, function, expr) & Bits.RANK for expr in exprs)
