"""Launches of plain Python that die because nothing gives their program the environment of a rank: it reads
`os.environ["LOCAL_RANK"]`, or joins a process group that the environment describes. Must-analysis: of what
the run surely comes by, where neither the launch nor code of the run sets such a variable.

Sources: the documentation of torchrun, "Environment Variables"; torch/distributed/rendezvous.py,
`_env_rendezvous_handler`: "environment variable RANK expected, but not set"; torch/distributed/
distributed_c10d.py, `init_process_group`: without a method and a store it is "env://", and MPI asks for none.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.model.context import Context, Entry, Origin
from mmcodemod.model.frozen import frozen
from mmcodemod.model.pattern import regex
from mmcodemod.model.place import Place
from mmcodemod.project.death import Death, dead_at
from mmcodemod.project.keys_in_code import set_in_code
from mmcodemod.project.model import Project
from mmcodemod.project.outnumbered import ELSEWHERE
from mmcodemod.project.own_ranks import told_rank
from mmcodemod.project.sole_definitions import Definitions
from mmcodemod.project.sure_run import Met, SureRun, takes, under_tests
from mmcodemod.project.sure_steps import sure_parts
from mmcodemod.project.sure_way import Level, before_training

_OF_LAUNCHERS = frozenset(("RANK", "LOCAL_RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT"))
_ENVIRONMENT = "os.environ"
_ASKS = ("os.environ.get", "os.getenv")
_NUMBERS = ("int", "float")
_GROUP = "torch.distributed.init_process_group"
_DESCRIBES = frozenset(("rank", "world_size", "store"))  # keywords that describe the group
_BY_ENVIRONMENT = ("env://", None)
_SETS = ("dotenv.load_dotenv", "deepspeed.init_distributed", "deepspeed.initialize")
"""Library calls that may set such variables: of a file, or where there is MPI."""
_CLUSTERS = (".yaml", ".yml", "Dockerfile")  # what writes a job down that somebody else starts
_UNNAMED = regex(r"environ\[[^\"']|environ\.(?:update|setdefault)\([^\"']|environ\s*\|=|putenv\(")
_NOTHING = "", "", ""


def without_rank(project: Project, context: Context) -> Death | None:
    """How a launch of plain Python dies that no launcher made a rank; None when nothing shows that."""
    entry, launcher = context.entry, context.launcher
    plain = context.launched_by == "python" and context.origin is Origin.LAUNCHED
    if entry is None or launcher is None or not plain or entry.library or context.strategy.is_deepspeed:
        return None
    if launcher.path.endswith(_CLUSTERS) or not ELSEWHERE.isdisjoint(context.words):
        return None
    needs = project.once(_needs, entry) if entry.path in project.index.files else ()
    need = next((need for need in needs if takes(project, context, need.way)), None)
    if need is None or _is_given(project, context, entry):
        return None
    why = f"plain Python starts it, and nothing gives it the environment variable {need.name}{need.asked}"
    return dead_at(need.at, need.error, why)


def _is_given(project: Project, context: Context, entry: Entry) -> bool:
    """May the run have the environment of a rank all the same?"""
    if any(context.option(f"env.{name}").at is not None for name in _OF_LAUNCHERS):
        return True
    told = told_rank(project, context) or set_in_code(project, entry, *_OF_LAUNCHERS)
    return told is not None or any(project.calls_library(n, entry) for n in _SETS) or _hides(project, entry)


def _hides(project: Project, entry: Entry) -> bool:
    """Does code of the run give the environment variables whose names do not show?"""
    files = project.reach(entry).files
    saying = {facts.path for facts in project.mentioning("environ", "putenv")} & files
    return any(_UNNAMED.search(project.index.text(path)) for path in sorted(saying))


@frozen()
class _Need:
    """Where the run needs a variable, what Python says without it, and how the run gets there."""

    name: str
    at: Place
    error: str
    asked: str
    way: tuple[Level, ...]


def _needs(project: Project, entry: Entry) -> tuple[_Need, ...]:
    saying = project.mentioning("init_process_group", *sorted(_OF_LAUNCHERS))
    return tuple(_found(project, entry)) if any(True for _ in saying) else ()


def _found(project: Project, entry: Entry) -> Iterator[_Need]:
    run = SureRun(project, entry, under_tests)
    for met in run.met():
        for part in sure_parts(met.step.expr):
            name, error, asked = _asked(_Names(run.definitions, met), part)
            if name and before_training(project, met.way):
                yield _Need(name, Place(met.path, part.lineno), error, asked, met.way)


@frozen()
class _Names:
    """What names of a step stand for."""

    definitions: Definitions
    met: Met

    def library(self, expr: ast.expr) -> str:
        """The dotted name of the library's that an expression surely stands for; "" for none."""
        sole = self.definitions.of(expr, self.met.path, self.met.local)
        return sole.library if sole is not None else ""


def _asked(names: _Names, part: ast.expr) -> tuple[str, str, str]:
    """The variable that evaluating an expression needs, "" for none, what Python says without it, and why."""
    if isinstance(part, ast.Subscript) and isinstance(part.ctx, ast.Load):
        name = _variable(part.slice)
        return (name, "KeyError", "") if name and names.library(part.value) == _ENVIRONMENT else _NOTHING
    if not isinstance(part, ast.Call):
        return _NOTHING
    if names.library(part.func) == _GROUP and _is_by_environment(part):
        return "RANK", "ValueError", ", which init_process_group asks for"
    return _number(names, part), "TypeError", ""


def _number(names: _Names, call: ast.Call) -> str:
    """The variable that `int(os.environ.get("RANK"))` makes a number of."""
    plain = isinstance(call.func, ast.Name) and call.func.id in _NUMBERS and len(call.args) == 1
    asks = call.args[0] if plain else None
    if not isinstance(asks, ast.Call) or len(asks.args) != 1 or asks.keywords:
        return ""
    return _variable(asks.args[0]) if names.library(asks.func) in _ASKS else ""


def _variable(expr: ast.expr) -> str:
    name = expr.value if isinstance(expr, ast.Constant) else None
    return name if isinstance(name, str) and name in _OF_LAUNCHERS else ""


def _is_by_environment(call: ast.Call) -> bool:
    """Is the group that a call joins surely described by the environment?"""
    given: dict[str | None, ast.expr] = dict(zip(("backend", "init_method"), call.args))
    given |= {keyword.arg: keyword.value for keyword in call.keywords}
    unknown = len(call.args) > 2 or None in given or any(isinstance(a, ast.Starred) for a in call.args)
    backend, method = (_constant(given.get(name)) for name in ("backend", "init_method"))
    by_mpi = backend is ... or "mpi" in str(backend)
    return not (unknown or by_mpi or _DESCRIBES & given.keys()) and method in _BY_ENVIRONMENT


def _constant(expr: ast.expr | None) -> object:
    """A constant, None where nothing is given, and Ellipsis where it is not known."""
    if expr is None:
        return None
    return expr.value if isinstance(expr, ast.Constant) else ...
