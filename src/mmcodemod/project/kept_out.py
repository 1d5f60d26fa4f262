"""Does a launch choose the way to a function? It does not where every path that shows goes by a call which a
setting switches off, or by a class or function which the launch does not choose."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.facts.terms import Call
from mmcodemod.model.context import Context, Entry, Origin
from mmcodemod.model.frozen import frozen
from mmcodemod.model.verdict import Answer, Excluded, Fatal, Unclear
from mmcodemod.project.answers import both
from mmcodemod.project.callgraph import Edge
from mmcodemod.project.every_entry import whichever
from mmcodemod.project.model import Project
from mmcodemod.project.own_tests import let_to
from mmcodemod.project.stubs import is_stub
from mmcodemod.project.unchosen import taken_up

_MOST = 24  # paths that are looked at, one after the other


@frozen()
class _Without:
    """What is left out of the paths, and the first reason."""

    calls: frozenset[Call] = frozenset()
    never: frozenset[str] = frozenset()
    why: Answer = Fatal()

    def path(self, project: Project, entry: Entry, function: str) -> list[Edge]:
        return project.reach(entry, self.calls, self.never).path(function)

    def and_(self, other: _Without) -> _Without:
        why = other.why if isinstance(self.why, Fatal) else self.why
        return _Without(self.calls | other.calls, self.never | other.never, why)


def kept_out(project: Project, context: Context, function: str) -> Excluded | None:
    """Why the run of a launch does not get to a function; None where it may."""
    answer = _asked(project, context, function) if context.origin is Origin.LAUNCHED else Fatal()
    return answer if isinstance(answer, Excluded) else None


def chosen_way(project: Project, context: Context, function: str, node: ast.AST) -> Answer:
    """The same for a place in the function; unclear where every way is one that a flag decides which nothing
    in the tree sets, or that the defaults of an entry which nothing launches do not take."""
    answer = both(let_to(project, context, function, node), _asked(project, context, function))
    if isinstance(answer, Excluded) and context.origin is not Origin.LAUNCHED:
        return Unclear(f"what the run is given: {answer.why.note}", plausible=False)
    return answer


def _asked(project: Project, context: Context, function: str) -> Answer:
    facts = project.index.function(function)
    return project.judging.once(context, facts, "kept out", lambda run: _judge(project, run, function))


def _judge(project: Project, context: Context, function: str) -> Answer:
    if context.entry is None or function not in project.reach(context.entry):
        return Fatal()
    decided = _shut(project, context, function, _Without(), Excluded)
    if isinstance(decided.why, Excluded) and not decided.path(project, context.entry, function):
        return decided.why
    asked = _shut(project, context, function, _Without(decided.calls, decided.never), Unclear)
    if not isinstance(asked.why, Unclear) or asked.path(project, context.entry, function):
        return Fatal()
    return Fatal() if _either_way(project, context.entry, function, decided, asked) else asked.why


def _either_way(project: Project, entry: Entry, function: str, decided: _Without, asked: _Without) -> bool:
    """Does a table that a key opens lead to the function by every entry?"""

    def leads(never: frozenset[str]) -> bool:
        return bool(_Without(decided.calls, decided.never | never).path(project, entry, function))

    return any(whichever(project, entry, t, leads) for t in sorted(asked.never - decided.never))


def _shut(
    project: Project, context: Context, function: str, without: _Without, kind: type[Answer]
) -> _Without:
    """Leaves out what is shut on one path after the other."""
    assert context.entry is not None
    for _ in range(_MOST):
        path = without.path(project, context.entry, function)
        found = next(_on(project, context, path, kind), None)
        if found is None:
            return without
        without = without.and_(found)
    return without


def _on(project: Project, context: Context, path: list[Edge], kind: type[Answer]) -> Iterator[_Without]:
    """What is shut on a path, from the start on."""
    for edge in path:
        if edge.site is None or is_stub(edge.caller.function):
            continue
        here = let_to(project, context, edge.caller.function, edge.call)
        if isinstance(here, kind):
            yield _Without(frozenset((edge.site,)), why=here)
        for target in dict.fromkeys((edge.callee.receiver, edge.callee.function)):
            answer = taken_up(project, context, target) if target else Fatal()
            if isinstance(answer, kind):
                yield _Without(never=frozenset((target,)), why=answer)
