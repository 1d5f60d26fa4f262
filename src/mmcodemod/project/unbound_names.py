"""Launches that die before they train because the program reads a name that nothing has bound there:
`NameError`, `UnboundLocalError`. Must-analysis over the functions of the program's own file that it surely
calls, up to its training; of a loop that trains the first round counts.

Source: the language reference, "Naming and binding": a name that a block binds anywhere is local to all of
it, and a function sees the names of its module, never those of another function.
"""

from __future__ import annotations

import ast
import builtins
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property

from mmcodemod.facts.outline import MAIN, MODULE
from mmcodemod.facts.python import FileFacts, FunctionFacts
from mmcodemod.facts.syntax import SCOPES, walk
from mmcodemod.model.context import Context, Entry, Origin
from mmcodemod.model.frozen import frozen
from mmcodemod.project.death import Death, dead_at
from mmcodemod.project.flow import LOOPS, flow_of, leaves
from mmcodemod.project.forgotten import known_elsewhere, set_from_outside
from mmcodemod.project.launch_sides import lets_in
from mmcodemod.project.model import Project
from mmcodemod.project.module_names import binds_otherwise, bound_at_top
from mmcodemod.project.own_submodules import is_own_submodule
from mmcodemod.project.plain_functions import runs_its_body
from mmcodemod.project.sole_definitions import Names
from mmcodemod.project.sure_steps import Step, sure_calls, sure_names, sure_steps
from mmcodemod.project.sure_way import Level, before_training, ends_before
from mmcodemod.project.training_lines import training_lines

MAX_DEPTH = 6
_BUILTINS = frozenset(dir(builtins))


def unbound_name(project: Project, context: Context) -> Death | None:
    """How a launch dies that reads a name which nothing has bound; None when nothing shows that."""
    entry = context.entry
    if entry is None or context.origin is not Origin.LAUNCHED or entry.library:
        return None
    memo = project.get(_memo)
    key = entry.path, entry.symbol
    if key not in memo:
        memo[key] = list(_Run(project, entry).ends()) if entry.path in project.index.files else []
    return next((end.death for end in memo[key] if _is_unbound(project, context, end)), None)


def _memo(project: Project) -> dict[tuple[str, str], list[_End]]:
    return {}


@frozen()
class _End:
    """What ends a run in a function, unless it comes by one of some places: the tests that let it in. `way`:
    how the run gets there."""

    death: Death
    function: str = ""
    unless: tuple[tuple[tuple[ast.expr, bool], ...], ...] = ()
    way: tuple[Level, ...] = ()


def _is_unbound(project: Project, context: Context, end: _End) -> bool:
    """Does the launch come by no place that binds the name, and is it not over before?"""
    unbound = all(
        any(lets_in(project, context, end.function, test, not outcome) for test, outcome in tests)
        for tests in end.unless
    )
    return unbound and not ends_before(project, context, end.way)


class _Scope:
    """What a function, or the module, binds: by name, the nodes that do. `shared`: names that functions
    within may bind, too."""

    def __init__(self, node: ast.AST) -> None:
        names, inner = Names(node), _of_comprehensions(node)
        own = ((name, [n for n in nodes if id(n) not in inner]) for name, nodes in names.bound.items())
        self.bound = {name: nodes for name, nodes in own if nodes}
        self.stars = names.stars
        self.shared = {n for one in walk(node) if isinstance(one, ast.Nonlocal) for n in one.names}


def _of_comprehensions(node: ast.AST) -> set[int]:
    """The ids of the nodes that bind names of comprehensions, which nothing else sees."""
    targets = (one.target for one in walk(node) if isinstance(one, ast.comprehension))
    return {id(part) for target in targets for part in walk(target)}


class _Run:
    """What a run surely does in its own file, from the start."""

    def __init__(self, project: Project, entry: Entry) -> None:
        self._project, self._entry = project, entry
        self._file: FileFacts = project.index.files[entry.path]
        self._seen: set[str] = set()

    @cached_property
    def _module(self) -> _Scope:
        return _Scope(self._file.tree)

    def ends(self) -> Iterator[_End]:
        """What reads a name that is not bound, in the order of the run."""
        symbol = self._entry.symbol
        starts = [MODULE, MAIN] if symbol == MODULE else [symbol]
        functions = self._file.functions
        for name in starts:
            yield from self._follow(functions[name], ()) if name in functions else ()

    def _follow(self, facts: FunctionFacts, above: tuple[Level, ...]) -> Iterator[_End]:
        self._seen.add(facts.id)
        local = None if facts.is_module else _Scope(facts.node)
        for step in self._steps(facts, facts.node):
            way = (*above, Level(facts.id, step.statement, step.left))
            for name in sure_names(step.expr):
                end_of_run = self._read(name, step, facts, local)
                if end_of_run and before_training(self._project, way):
                    yield replace(end_of_run, way=way)
            for call in sure_calls(step.expr):
                yield from self._call(call, local, way)

    def _steps(self, facts: FunctionFacts, node: ast.AST) -> Iterator[Step]:
        """What surely runs, with the first round of a loop that trains."""
        lines = training_lines(self._project, facts.id)
        for step in sure_steps(node):
            yield step
            loop = step.statement
            if isinstance(loop, LOOPS) and any(loop.lineno < n <= (loop.end_lineno or 0) for n in lines):
                yield from (replace(s, left=s.left or step.left) for s in self._steps(facts, loop))

    def _call(self, call: ast.Call, local: _Scope | None, way: tuple[Level, ...]) -> Iterator[_End]:
        """What dies in a function of the file that is called."""
        name = call.func.id if isinstance(call.func, ast.Name) else ""
        made = self._module.bound.get(name, []) if local is None or name not in local.bound else []
        facts = self._file.functions.get(name) if len(made) == 1 and isinstance(made[0], SCOPES) else None
        if (
            facts is None
            or facts.id in self._seen
            or len(way) > MAX_DEPTH
            or not runs_its_body(self._project, facts)
        ):
            return
        yield from self._follow(facts, way)

    # -- names ----------------------------------------------------------------------------------------

    def _read(self, name: ast.Name, step: Step, facts: FunctionFacts, local: _Scope | None) -> _End | None:
        """How reading a name ends the run."""
        scope = self._module if local is None else local
        if name.id in scope.bound:
            return self._too_early(name, step, scope, facts)
        if local is not None and name.id in self._module.bound:
            return None
        slip = self._is_nowhere(name.id) and self._slip(name.id, facts)
        why = f"nothing binds `{name.id}` there: {slip}"
        return _End(self._told(name, "NameError", why)) if slip else None

    def _told(self, name: ast.Name, error: str, why: str) -> Death:
        return dead_at(self._project.place(self._entry.path, name), error, why)

    def _too_early(self, name: ast.Name, step: Step, scope: _Scope, facts: FunctionFacts) -> _End | None:
        """A local name that is read before the first line that binds it, or where only sides of tests do."""
        nodes = scope.bound[name.id]
        before = [node for node in nodes if _may_be_before(node, step)]
        here = self._tests(name, facts)
        unless = tuple(tuple(t for t in self._tests(node, facts) if t not in here) for node in before)
        if name.id in scope.shared or not all(unless) or self._binds_or_leaves(before, name, facts):
            return None
        if facts.is_module and (name.id in _BUILTINS or not self._is_plain or name.id in self._file.writers):
            return None
        line = min(node.lineno for node in (before or nodes))  # type: ignore[attr-defined]
        where = "the program" if facts.is_module else f"`{facts.name}`"
        error = "NameError" if facts.is_module else "UnboundLocalError"
        how = "which this launch does not come by" if before else "which is not run before"
        why = f"{where} binds `{name.id}` in line {line}, {how}"
        returned = bool(before) and step.left  # a launch that comes by no line that binds it may be over
        death = replace(self._told(name, error, why), sure=not returned)
        return _End(death, facts.id, unless)

    def _binds_or_leaves(self, nodes: Sequence[ast.AST], read: ast.AST, facts: FunctionFacts) -> bool:
        """Does a test that the read comes by bind the name on each side that goes on behind it?"""
        ids, flow = frozenset(map(id, nodes)), flow_of(self._project, facts.id)
        around = (s for node in nodes for s in flow.around(node) if isinstance(s, ast.If))
        return any(_binds([s], ids) and set(flow.tests(s)) <= set(flow.tests(read)) for s in around)

    def _tests(self, node: ast.AST, facts: FunctionFacts) -> tuple[tuple[ast.expr, bool], ...]:
        """The tests of which one side alone comes to a place of a function, and that side."""
        return tuple((test.test, side) for test, side in flow_of(self._project, facts.id).tests(node))

    def _is_nowhere(self, name: str) -> bool:
        """Does nothing of the file, and nothing that Python has, bind it?"""
        bound = name in self._bound or is_own_submodule(self._project, self._entry.path, name)
        return name not in _BUILTINS and self._is_plain and not bound

    @cached_property
    def _bound(self) -> set[str]:
        return bound_at_top(self._file.tree)

    @cached_property
    def _is_plain(self) -> bool:
        """Do the names of the module show in its syntax?"""
        return not self._module.stars and not binds_otherwise(self._file.tree)

    def _slip(self, name: str, facts: FunctionFacts) -> str:
        """What shows that it was forgotten, and is not put there by somebody else; "" when nothing does."""
        if set_from_outside(self._project, name):
            return ""
        if name in sys.stdlib_module_names:
            return "the module is not imported"
        for other in self._file.functions.values():
            if other.id != facts.id and not other.is_module and name in other.body.names:
                return f"it is a local name of `{other.qualname}`"
        home = self._project.get(known_elsewhere).get(name)
        return f"the file does not import it, as {home} does or could" if home else ""


def _binds(body: Sequence[ast.stmt], nodes: frozenset[int]) -> bool:
    """Does a block bind a name, by some nodes, or leave, on every way through it?"""
    for statement in body:
        if isinstance(statement, ast.If):
            if _binds(statement.body, nodes) and _binds(statement.orelse, nodes):
                return True
        elif not hasattr(statement, "body") and any(id(part) in nodes for part in walk(statement)):
            return True
    return leaves(list(body))


def _may_be_before(node: ast.AST, step: Step) -> bool:
    """May what binds a name have run when a statement reads it? What a plain assignment binds comes after
    its value; in a loop that trains it does so from the second round on."""
    line, statement = getattr(node, "lineno", 0), step.statement
    within = any(isinstance(part, ast.NamedExpr) for part in walk(step.expr))
    if isinstance(statement, (ast.Assign, ast.AnnAssign)) and not within:
        return (line, getattr(node, "col_offset", 0)) < (statement.lineno, statement.col_offset)
    compound = isinstance(statement, (*LOOPS, ast.If, ast.With))
    return line <= (statement.lineno if compound else statement.end_lineno or statement.lineno)
