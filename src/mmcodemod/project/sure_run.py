"""The calls that a run surely makes from its start, function by function, of the only definition that each
can mean. Must-analysis: what tests decide comes with the tests."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator

from mmcodemod.facts.outline import MAIN, MODULE
from mmcodemod.facts.python import FunctionFacts
from mmcodemod.model.context import Context, Entry
from mmcodemod.model.frozen import frozen
from mmcodemod.project.call_signatures import Signatures
from mmcodemod.project.launch_sides import lets_in
from mmcodemod.project.model import Project
from mmcodemod.project.plain_functions import runs_its_body
from mmcodemod.project.sole_definitions import Definitions, Names, Sole
from mmcodemod.project.sure_steps import Step, steps_under_tests, sure_calls
from mmcodemod.project.sure_way import Level, ends_before

MAX_DEPTH = 6
_RUNNERS = ("fire.Fire", "typer.run", "absl.app.run", "torch.multiprocessing.spawn")

Doing = tuple[Step, tuple[ast.Call, ...]]
"""A step, and the calls that it surely makes."""
Steps = Callable[[Project, str], Iterable[Doing]]


def surely(project: Project, function: str) -> Iterable[Doing]:
    """What a function does, whatever tests say."""
    return (doing for doing in under_tests(project, function) if not doing[0].tests)


def under_tests(project: Project, function: str) -> Iterable[Doing]:
    """What a function does: several runs come by it."""
    return project.once(_done, function)


def _done(project: Project, function: str) -> tuple[Doing, ...]:
    steps = steps_under_tests(project.index.function(function).node)
    return tuple((step, tuple(sure_calls(step.expr))) for step in steps)


def _own_names(project: Project, function: str) -> Names | None:
    """What a function binds; None of a module."""
    facts = project.index.function(function)
    return None if facts.is_module else Names(facts.node)


def takes(project: Project, context: Context, way: tuple[Level, ...]) -> bool:
    """Does the launch come by the way, as every test on it is decided?"""
    into = all(lets_in(project, context, v.function, *test) for v in way for test in v.tests)
    return into and not ends_before(project, context, way)


@frozen()
class Made:
    """A call on the way, in a file; `called`: what it means, None where that does not show. `over`: has it
    come back, with all that it does?"""

    call: ast.Call
    path: str
    called: Sole | None
    way: tuple[Level, ...]
    over: bool


@frozen()
class Met:
    """A step on the way, before its calls are made; `local`: what its function binds, None of a module."""

    step: Step
    path: str
    local: Names | None
    way: tuple[Level, ...]


class SureRun:
    """What a run surely does from its start, call by call."""

    def __init__(self, project: Project, entry: Entry, steps: Steps) -> None:
        self._steps = steps
        self._project = project
        self._entry = entry
        self.definitions = Definitions(project, entry.path)
        self.signatures = Signatures(project, self.definitions)
        self._seen: set[str] = set()

    def calls(self) -> Iterator[Made]:
        """All of them, in the order in which the run comes to them: each before and after it is made."""
        return (one for one in self._all() if isinstance(one, Made))

    def met(self) -> Iterator[Met]:
        """All steps, in the order in which the run comes to them."""
        return (one for one in self._all() if isinstance(one, Met))

    def _all(self) -> Iterator[Made | Met]:
        path, symbol = self._entry.path, self._entry.symbol
        starts = [MODULE, MAIN if symbol == MODULE else symbol]
        functions = self._project.index.files[path].functions
        for name in starts:
            if name in functions:
                yield from self._follow(functions[name], ())

    def _follow(self, facts: FunctionFacts, above: tuple[Level, ...]) -> Iterator[Made | Met]:
        self._seen.add(facts.id)
        local = self._project.once(_own_names, facts.id)
        for step, calls in self._steps(self._project, facts.id):
            way = (*above, Level(facts.id, step.statement, step.left, step.tests))
            yield Met(step, facts.path, local, way)
            for call in calls:
                called = self.definitions.of(call.func, facts.path, local)
                yield Made(call, facts.path, called, way, over=False)
                yield from self._into(self._run(call, facts.path, local, called), way)
                yield Made(call, facts.path, called, way, over=True)

    def _run(self, call: ast.Call, path: str, local: Names | None, called: Sole | None) -> Sole | None:
        """What runs: of `fire.Fire(main)`, that."""
        runner = called is not None and called.library in _RUNNERS and bool(call.args)
        return self.definitions.of(call.args[0], path, local) if runner else called

    def _into(self, called: Sole | None, way: tuple[Level, ...]) -> Iterator[Made | Met]:
        facts = self.signatures.runs(called) if called is not None and called.node is not None else None
        if (
            facts is None
            or facts.id in self._seen
            or len(way) > MAX_DEPTH
            or not runs_its_body(self._project, facts)
        ):
            return
        yield from self._follow(facts, way)
