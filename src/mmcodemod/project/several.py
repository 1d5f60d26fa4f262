"""Does a context run more than one rank? With one there is nobody to wait for."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.model.context import Context, Entry, Origin, Strategy
from mmcodemod.model.finding import Note
from mmcodemod.model.option import Option
from mmcodemod.model.place import Place
from mmcodemod.model.verdict import Answer, Excluded, Fatal, Unclear
from mmcodemod.project.answers import deciding_note, launch_note, launched, runs_with
from mmcodemod.project.lightning_ranks import lightning_ranks
from mmcodemod.project.model import Project
from mmcodemod.project.one_by_batch import one_by_batch
from mmcodemod.project.own_ranks import starts_ranks
from mmcodemod.project.ranks import HOSTFILES, PROCESSES, SLOTS, ranks
from mmcodemod.project.spawns_one import spawns_one
from mmcodemod.project.visible_devices import VISIBLE, names_one

_GIVEN = ("env.RANK", "env.LOCAL_RANK", "env.WORLD_SIZE")  # what a launcher hands to each rank
LAUNCHERS = ("deepspeed", "torch", "accelerate", "tasks")
_SPAWNS = ("torch.multiprocessing.spawn", "torch.multiprocessing.start_processes")
_GROUPS = (
    "torch.distributed.init_process_group",
    "deepspeed.init_distributed",
    "deepspeed.initialize",
    "accelerate.Accelerator",
    "accelerate.PartialState",
    "torch.nn.parallel.DistributedDataParallel",
)
_MACHINES = ("launcher.nnodes", "launcher.num_nodes", "launcher.num_machines", "accelerate.num_machines")


def several_ranks(project: Project, context: Context) -> Answer:
    """Fatal where several processes run, excluded where one does, unclear where it does not show."""
    match context.origin:
        case Origin.LIBRARY:
            return Fatal()
        case Origin.ENTRY | Origin.ASIDE:
            return _entry(project, context)
        case Origin.CONFIGURED:
            alone = one_by_batch(project, context)
            return Excluded(alone) if alone else _configured(context)
    return _launched(project, context)


def _entry(project: Project, context: Context) -> Answer:
    """Nothing launches it. Code that starts its own ranks has several, as a Trainer of Lightning may; one
    that makes a process group may run on one rank all the same, and often does."""
    own = next(_calls(project, context.entry, _SPAWNS), None)
    if own is not None:
        one = spawns_one(project, context, _spawning(project, context.entry))
        return Excluded(one) if one else Fatal(Note(own, "starts the ranks"))
    lightning = lightning_ranks(project, context)
    if lightning is not None and not isinstance(lightning, Unclear):
        return lightning
    at = next(_calls(project, context.entry, _GROUPS), None)
    if at is not None:
        return launched(Fatal(Note(at, "meant for several ranks")), context)
    return Unclear("how many ranks there are: nothing in the tree launches this entry", plausible=False)


def _configured(context: Context) -> Answer:
    if context.strategy in (Strategy.SINGLE, Strategy.UNKNOWN):
        return Unclear("how many ranks there are", plausible=False)
    return Fatal(deciding_note(context))


def _launched(project: Project, context: Context) -> Answer:
    one = _one_process(context) or _one_device(context)
    if one is not None:
        return Excluded(Note(one.at or launch_note(context).at, "runs one process"))
    if alone := one_by_batch(project, context):
        return Excluded(alone)
    if _one_by_default(context):
        fact = "how many devices the launch is told to use: it sees one where nobody says more"
        return Unclear(fact, plausible=False)
    if context.launched_by in LAUNCHERS and context.strategy is not Strategy.SINGLE:
        return Fatal()
    if next(_calls(project, context.entry, _SPAWNS), None) is not None:
        only = spawns_one(project, context, _spawning(project, context.entry))
        if only is not None:
            return Excluded(only)
        return Unclear("how many processes `spawn` starts", plausible=True)  # nobody spawns for one
    if context.strategy is Strategy.SINGLE:
        by_itself = lightning_ranks(project, context)
        return by_itself or Excluded(deciding_note(context) or launch_note(context))
    if context.launched_by == "console":
        return Fatal(deciding_note(context))
    return Unclear("how many processes the command starts", plausible=False)


def _one_process(context: Context) -> Option | None:
    """The option that asks for one process; None when it asks for more, or does not say."""
    if SLOTS in context.options or context.launched_by == "tasks":
        return next((o for o in (ranks(context),) if o.value == 1), None)
    include = context.option("launcher.include")
    if isinstance(include.value, str) and include.value.partition(":")[2].isdigit():
        return include  # one device of one host, whatever a hostfile offers
    if any(
        context.option(name).value not in (1, "1")
        for name in (*_MACHINES, *HOSTFILES)
        if name in context.options
    ):
        return None
    for name in PROCESSES.get(context.launched_by, ()):
        option = context.option(name)
        if option.known:
            return option if option.value in (1, "1") else None
    return None


def one_process(project: Project, context: Context) -> Note | None:
    """Must: what says that a launch starts one process, which has nobody to reduce gradients with. The
    `deepspeed` launcher starts one process on each visible device (launcher/runner.py, read in 0.16.9);
    plain Python is no rank unless it is made one."""
    if context.origin is not Origin.LAUNCHED or context.entry is None:
        return None
    one = _one_process(context) or _one_device(context)
    if one is not None:
        return Note(one.at or launch_note(context).at, "runs one process, which waits for nobody")
    if alone := one_by_batch(project, context):
        return alone
    if context.launched_by != "python" or any(name in context.options for name in _GIVEN):
        return None
    if starts_ranks(project, context.entry) is not None:
        return None
    return Note(launch_note(context).at, "plain Python starts one process, which waits for nobody")


def sharded_ranks(project: Project, context: Context) -> Answer:
    """Fatal where several ranks gather what each of them holds a shard of: one process has all shards."""
    one = one_process(project, context)
    return Excluded(one) if one is not None else runs_with(project, context)


def _one_device(context: Context) -> Option | None:
    """One visible device, and no other option that counts devices: `deepspeed` and `accelerate launch` start
    one process on each."""
    visible = context.option(VISIBLE)
    return visible if names_one(visible.value) and _sees_devices(context) else None


def _one_by_default(context: Context) -> bool:
    """The same where the script shows one device unless it is told which."""
    return names_one(context.option(VISIBLE).default) and _sees_devices(context)


def _sees_devices(context: Context) -> bool:
    """Do the visible devices alone say how many processes a launch starts?"""
    counts = PROCESSES.get(context.launched_by, ())
    chosen = (*counts, "launcher.include", "launcher.i", SLOTS, *_MACHINES, *HOSTFILES)
    by_device = context.launched_by in ("deepspeed", "accelerate")
    return by_device and not any(name in context.options for name in chosen)


def _calls(project: Project, entry: Entry | None, names: tuple[str, ...]) -> Iterator[Place]:
    """Where the code that an entry reaches calls one of some library functions."""
    if entry is None:
        return
    reach = project.reach(entry)
    for frame, path, line in project.get(_signs).get(names, ()):
        if frame in reach:
            yield Place(path, line)


def _spawning(project: Project, entry: Entry | None) -> Iterator[tuple[str, ast.Call]]:
    """The calls that spawn, each with its function."""
    reach = project.reach(entry) if entry else ()
    for function, _, line in project.get(_signs)[_SPAWNS]:
        if function in reach:
            calls = project.resolver.body(function).calls
            yield from ((function, c) for c in calls if c.lineno == line and _is_spawn(project, c, function))


def _is_spawn(project: Project, call: ast.Call, function: str) -> bool:
    return not project.names(call.func, function).isdisjoint(_SPAWNS)


def _signs(project: Project) -> dict[tuple[str, ...], list[tuple[str, str, int]]]:
    """The calls of each group of names: function, path and line. Use through `project.get(_signs)`."""
    found: dict[tuple[str, ...], list[tuple[str, str, int]]] = {_SPAWNS: [], _GROUPS: []}
    for frame, calls in project.graph.external.items():
        for outside in calls:
            for names, places in found.items():
                if outside.name in names:
                    places.append((frame.function, frame.function.partition("::")[0], outside.site.lineno))
    return {names: sorted(set(places)) for names, places in found.items()}
