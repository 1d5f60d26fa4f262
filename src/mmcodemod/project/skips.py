"""Where one rank may come past a backward pass: a test, or an exception that is caught, that decides by what
this rank alone knows. May-analysis up to three calls above the pass."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.facts.syntax import unparse, walk
from mmcodemod.model.frozen import frozen
from mmcodemod.project.bits import Bits
from mmcodemod.project.callsites import CallSites
from mmcodemod.project.flow import LOOPS, Flow, flow_of, holds, leaves
from mmcodemod.project.gradients import GradCall
from mmcodemod.project.infer import Frame
from mmcodemod.project.local_data import DATA, LocalData, passes, training_functions, trains_in
from mmcodemod.project.made_equal import made_equal
from mmcodemod.project.model import Project

MAX_LEVELS = 3  # calls above the backward pass
_EXITS = frozenset(("sys.exit", "os._exit", "<builtin>.exit", "<builtin>.quit", "os.abort"))
_UNIFORM = ("KeyboardInterrupt", "SystemExit", "StopIteration", "ImportError")
_KINDS = ("isinstance", "hasattr", "callable")


@frozen()
class Skip:
    """In `function`, at an `if` or a `try`: one rank may come past `passed`. `leaver` is the jump that it
    takes, None where the pass just stands on the other side; `also` a pass on the side that skips."""

    function: str
    node: ast.If | ast.Try
    passed: GradCall
    leaver: ast.stmt | None = None
    also: ast.AST | None = None


def skips(project: Project) -> list[Skip]:
    """Use through `project.get(skips)`."""
    found: dict[tuple[str, int, int], Skip] = {}
    for function in sorted(project.get(training_functions)):
        for passed in passes(project, function):
            for skip in _above(project, function, passed):
                found.setdefault((skip.function, skip.node.lineno, skip.node.col_offset), skip)
    return [found[key] for key in sorted(found)]


def _above(project: Project, function: str, passed: GradCall) -> Iterator[Skip]:
    """The places of the function, and of those that call it."""
    todo: list[tuple[str, ast.AST]] = [(function, passed.call)]
    seen = set[str]()
    for _ in range(MAX_LEVELS):
        above: list[tuple[str, ast.AST]] = []
        for here, node in todo:
            yield from _tests(project, here, node, passed)
            yield from _handlers(project, here, node, passed)
            if here not in seen:
                above += [(e.caller.function, e.call) for e in project.callers(here) if e.site is not None]
            seen.add(here)
        todo = [(caller, node) for caller, node in above if not caller.startswith("<")]


# -- tests ------------------------------------------------------------------------------------------------


def _tests(project: Project, function: str, node: ast.AST, passed: GradCall) -> Iterator[Skip]:
    flow = flow_of(project, function)
    for statement, outcome in flow.forks(node):
        if not asks_data(project, function, statement.test):
            continue
        arms = flow.arms(statement)
        other = arms.false if outcome else arms.true
        block = statement.orelse if outcome else statement.body
        if ends(project, function, [*block]):
            continue
        also = next((s for s in other if trains_in(project, function, s)), None)
        yield Skip(function, statement, passed, block[-1] if leaves([*block]) else None, also)


def asks_data(project: Project, function: str, test: ast.expr, source: type[LocalData] = LocalData) -> bool:
    """Does a test come out by what this rank's batch or loss is, which nothing gathers before it?"""
    return any(
        _asks(project, source, frame, test) and not made_equal(project, project.get(source), frame, test)
        for frame in project.frames(function)[:1]
    )


def _asks(project: Project, source: type[LocalData], frame: Frame, test: ast.expr) -> bool:
    if isinstance(test, ast.BoolOp):
        return any(_asks(project, source, frame, part) for part in test.values)
    if isinstance(test, ast.UnaryOp):
        return _asks(project, source, frame, test.operand)
    bits = bits_of(project, frame, test, source)
    if bits & Bits.LOCAL:  # too much flows together here
        return False
    if isinstance(test, ast.Name):  # whether a list holds anything is no matter of what it holds
        return bool(bits & Bits.VALUE) and not project.get(source).collected(test.id, frame)
    if isinstance(test, ast.Compare) and not _measures(test, project.get(source).batches(frame.function)):
        return False
    if isinstance(test, ast.Call) and isinstance(test.func, ast.Name) and test.func.id in _KINDS:
        return False
    return isinstance(test, (ast.Compare, ast.Call)) and bool(bits & DATA)


def _measures(test: ast.Compare, batches: dict[str, Bits]) -> bool:
    """Not whether there is such a key or such a part of the batch: that may be so on every rank. Whether
    there is a batch at all, yes."""
    right = test.comparators[0]
    if isinstance(test.ops[0], (ast.In, ast.NotIn)):
        return False
    if isinstance(right, ast.Constant) and right.value is None:
        return isinstance(test.left, ast.Name) and bool(batches.get(test.left.id, Bits.NONE))
    return not any(isinstance(e, ast.Constant) and isinstance(e.value, str) for e in (test.left, right))


def bits_of(project: Project, frame: Frame, test: ast.expr, source: type[LocalData] = LocalData) -> Bits:
    """Why ranks may decide a test apart, with what they draw from their data."""
    return project.get(source).test(project.get(CallSites).form(test, frame), frame)


def ends(project: Project, function: str, block: list[ast.stmt]) -> bool:
    """Does a block end the run on all ranks: by `raise`, or by an exit?"""
    if not block:
        return False
    last = block[-1]
    if isinstance(last, ast.If):
        return ends(project, function, last.body) and ends(project, function, last.orelse)
    calls = (n for n in walk(last) if isinstance(n, ast.Call))
    return isinstance(last, ast.Raise) or any(project.names(c.func, function) & _EXITS for c in calls)


# -- exceptions -------------------------------------------------------------------------------------------


def _handlers(project: Project, function: str, node: ast.AST, passed: GradCall) -> Iterator[Skip]:
    """A `try` around the pass, in a loop, of which a handler lets the run go on."""
    flow = flow_of(project, function)
    for around in flow.around(node):
        if isinstance(around, LOOPS):
            return
        if isinstance(around, ast.Try) and any(holds(s, node) for s in around.body):
            caught = next((h for h in around.handlers if _goes_on(project, function, h)), None)
            if caught is not None and _repeated(flow, around) and not _tried_again(flow, around):
                also = next((s for s in caught.body if _always(s) and trains_in(project, function, s)), None)
                yield Skip(function, around, passed, caught.body[-1], also)


def _goes_on(project: Project, function: str, handler: ast.ExceptHandler) -> bool:
    names = {n.id for n in walk(handler.type) if isinstance(n, ast.Name)} if handler.type else set()
    return not (names & {*_UNIFORM}) and not ends(project, function, handler.body)


def out_of_memory(node: ast.Try) -> bool:
    """Does a handler say that it is there for a rank whose batch is too large?"""
    texts = (unparse(handler).lower() for handler in node.handlers)
    return any("out of memory" in text or "outofmemory" in text for text in texts)


def _always(statement: ast.stmt) -> bool:
    """Does what stands in a statement of a handler run whenever the handler does?"""
    return not isinstance(statement, (ast.If, ast.Try, *LOOPS))


def _tried_again(flow: Flow, around: ast.Try) -> bool:
    """A loop that ends as soon as the `try` has come through: the rank comes to its pass, if later."""
    last = (around.orelse or around.body)[-1]
    loop = flow.loop_of(around)
    ends = isinstance(last, (ast.Break, ast.Return)) and flow.parent(last) is around
    leaves_it = any(isinstance(n, (ast.Break, ast.Return)) for h in around.handlers for n in walk(h))
    return ends and isinstance(loop, (ast.For, ast.While)) and not leaves_it


def _repeated(flow: Flow, around: ast.stmt) -> bool:
    return bool(flow.loops(around))
