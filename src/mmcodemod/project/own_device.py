"""Where a run surely gives each rank a GPU of its own, and a rank dies that has none. Must-analysis: the
launch comes by the call before it trains, and no other backend than NCCL can be meant.

Sources: torch.cuda.set_device raises for a device that is not visible; `PartialState` of Accelerate, which
the transformers Trainer takes, does the same or, in later releases, counts modulo the number of devices;
then NCCL's `initTransportsRank` refuses two ranks of a machine on one device.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.facts.python import FunctionFacts
from mmcodemod.facts.syntax import unparse
from mmcodemod.model.context import Context, Strategy
from mmcodemod.model.frozen import frozen
from mmcodemod.model.pattern import regex
from mmcodemod.model.place import Place
from mmcodemod.model.verdict import Fatal
from mmcodemod.project.bits import Bits
from mmcodemod.project.differs import ranks_apart
from mmcodemod.project.flow import flow_of
from mmcodemod.project.let_in import comes_in, from_start
from mmcodemod.project.model import Project
from mmcodemod.project.settings import Settings
from mmcodemod.project.stubs import MODELS, is_stub
from mmcodemod.project.texts_of_files import text_of
from mmcodemod.project.training_lines import training_lines

_NO_SUCH = "CUDA error: invalid device ordinal"
_REFUSED = "ncclInvalidUsage: Duplicate GPU detected"
_SET = "torch.cuda.set_device"
_TRAIN = f"{MODELS}/transformers.py::Trainer.train"
_ACCELERATOR = "accelerate.Accelerator"
_OTHERS = ("gloo", "mpi", "ucc", "hccl", "cpu=True", "use_cpu", "no_cuda")
_SHARES = ("device_count", "%", "//")  # what may make one device of two ranks
_ON_ALL = (("-1", ast.NotEq), ("-1", ast.Gt), ("0", ast.GtE), ("None", ast.IsNot))
_OF_RANK = regex(r"\bos\.(?:environ|getenv)\b.*['\"](?:LOCAL_)?RANK['\"]")
_ENVIRONMENT = ("RANK", "LOCAL_RANK", "WORLD_SIZE")  # what every launcher gives


@frozen()
class Bound:
    """The line that a rank without a GPU does not get past, and what it ends with."""

    at: Place
    error: str


_Way = tuple[str, ast.AST, str]  # a function, a call in it, and an error


def bound(project: Project, context: Context) -> Bound | None:
    """Where a rank without a GPU surely fails; None where that does not show."""
    for ways in (_set_devices, _moves, _accelerators, _trainers):
        found = [way for way in ways(project, context) if _comes(project, context, *way[:2])]
        places = [Bound(project.place(_path(function), node), error) for function, node, error in found]
        if places:
            return min(places, key=lambda one: one.at)
    return None


def _path(function: str) -> str:
    return function.partition("::")[0]


def _comes(project: Project, context: Context, function: str, node: ast.AST) -> bool:
    """Do all ranks come by a call before they train, as every test on the way is decided, or asks what a
    launcher gives?"""
    if not _is_of_all(project, function, node) or _is_late(project, function, node):
        return False
    here = comes_in(project, context, function, node, besides=_is_given)
    return isinstance(here, Fatal) and isinstance(from_start(project, context, function, _is_given), Fatal)


def _is_of_all(project: Project, function: str, node: ast.AST) -> bool:
    """Does no test of the function let in some ranks only? `local_rank != -1` holds on all of them."""
    tests = flow_of(project, function).tests(node)
    apart = [(t.test, side) for t, side in tests if ranks_apart(project, function, t.test) & Bits.RANK]
    return all(side and _is_any_rank(test) for test, side in apart)


def _is_any_rank(test: ast.expr) -> bool:
    if not isinstance(test, ast.Compare) or len(test.ops) > 1:
        return False
    limit, operator = unparse(test.comparators[0]), type(test.ops[0])
    return (limit, operator) in _ON_ALL


def _is_late(project: Project, function: str, node: ast.AST) -> bool:
    """May the run have trained before, in the function or in one that calls it?"""
    calls = [(e.caller.function, e.line) for e in project.callers(function) if e.site is not None]
    steps = [(function, getattr(node, "lineno", 0)), *calls]
    return any(line < step for where, step in steps for line in training_lines(project, where))


def _is_given(project: Project, context: Context, function: str, part: ast.expr, outcome: bool) -> bool:
    """Does it ask whether there is a GPU, or for the variables of a rank, which are there?"""
    if not outcome or unparse(part) == "torch.cuda.is_available()":
        return outcome
    if not isinstance(part, ast.Compare) or not isinstance(part.ops[0], ast.In):
        return _is_any_rank(part) and _is_of_environment(project, context, function, part)
    asked = isinstance(part.left, ast.Constant) and part.left.value in _ENVIRONMENT
    return asked and unparse(part.comparators[0]) == "os.environ"


def _is_of_environment(project: Project, context: Context, function: str, part: ast.expr) -> bool:
    """Is the rank that a test asks for read from the environment? A flag only some launchers give."""
    assert isinstance(part, ast.Compare)
    found = [unparse(o.expr) for o in Settings(project, context).origins(part.left, function)]
    return bool(found) and all(_OF_RANK.search(text) for text in found)


def _reached(project: Project, context: Context, *words: str) -> Iterator[FunctionFacts]:
    reach = project.reach(context.entry) if context.entry else ()
    yield from (f for f in project.mentioning(*words) if f.id in reach and not is_stub(f.id))


def _set_devices(project: Project, context: Context) -> Iterator[_Way]:
    """`torch.cuda.set_device(local_rank)`"""
    for facts in _reached(project, context, "set_device"):
        for call in project.calls_of(facts.id, ("set_device",)):
            own = call.args and ranks_apart(project, facts.id, call.args[0]) & Bits.RANK
            error = _alone(project, facts.path) if own else ""
            if error and _SET in project.names(call.func, facts.id):
                yield facts.id, call, error


def _moves(project: Project, context: Context) -> Iterator[_Way]:
    """`model.to(local_rank)`, `model.cuda(local_rank)`"""
    for facts in _reached(project, context, ".to(", ".cuda("):
        for call in project.calls_of(facts.id, ("to", "cuda")):
            error = _alone(project, facts.path) if _takes_rank(project, facts.id, call) else ""
            if error:
                yield facts.id, call, error


def _takes_rank(project: Project, function: str, call: ast.Call) -> bool:
    """Is its first argument the rank itself?"""
    given = call.args[0] if call.args else None
    if not isinstance(given, (ast.Name, ast.Attribute)) or not unparse(given).endswith("rank"):
        return False
    return bool(ranks_apart(project, function, given) & Bits.RANK)


def _alone(project: Project, path: str) -> str:
    """How a rank fails that has no GPU: no two share one, as the file has it, or NCCL refuses that; "" where
    neither shows."""
    text = text_of(project, path)
    if not any(word in text for word in _SHARES):
        return _NO_SUCH
    by_nccl = "nccl" in text and "init_process_group" in text and _is_plain(project, path)
    return f"{_NO_SUCH}, or {_REFUSED}" if by_nccl else ""


def _accelerators(project: Project, context: Context) -> Iterator[_Way]:
    """`Accelerator()` of a run that has it prepare the model."""
    if not any(_reached(project, context, ".prepare(")):
        return
    for facts in _reached(project, context, "Accelerator("):
        for call in project.calls_of(facts.id, ("Accelerator",)):
            if _ACCELERATOR in project.names(call.func, facts.id) and _is_plain(project, facts.path):
                yield facts.id, call, f"{_NO_SUCH}, or {_REFUSED}"


def _trainers(project: Project, context: Context) -> Iterator[_Way]:
    """`trainer.train()`, at the latest"""
    several = context.strategy not in (Strategy.SINGLE, Strategy.UNKNOWN)
    reach = project.reach(context.entry) if context.entry and several else ()
    for edge in project.callers(_TRAIN):
        function = edge.caller.function
        if edge.site is not None and function in reach and not is_stub(function):
            if _is_plain(project, _path(function)):
                yield function, edge.call, f"{_NO_SUCH}, or {_REFUSED}"


def _is_plain(project: Project, path: str) -> bool:
    """Does the file speak of no other backend, and of no run without GPUs?"""
    return not any(word in text_of(project, path) for word in _OTHERS)
