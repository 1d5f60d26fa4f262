"""Does code start its ranks itself, or give itself the environment of a rank? A may-analysis."""

from __future__ import annotations

from mmcodemod.model.context import Context, Entry
from mmcodemod.model.finding import Note
from mmcodemod.model.place import Place
from mmcodemod.project.keys_in_code import set_in_code
from mmcodemod.project.model import Project

_SPAWNS = (
    "torch.multiprocessing.spawn", "torch.multiprocessing.start_processes", "torch.multiprocessing.Process",
    "torch.multiprocessing.Pool", "torch.multiprocessing.get_context", "multiprocessing.Process",
    "multiprocessing.spawn", "torch.distributed.run", "torch.distributed.launch",
    "accelerate.notebook_launcher", "accelerate.debug_launcher", "deepspeed.launcher.", "horovod.", "ray.",
    "submitit.",
)  # fmt: skip
_COMMANDS = ("subprocess.", "os.system", "os.exec", "os.spawn", "os.popen")
_LAUNCHERS = (b"torchrun", b"torch.distributed", b"deepspeed", b"accelerate", b"mpirun", b"srun")
_SPAWNING = ("lightning.Trainer", "pytorch_lightning.Trainer")  # their strategies start the other ranks
# What a launcher hands to each rank (deepspeed/comm/comm.py, `init_distributed`)
GIVEN = ("env.RANK", "env.LOCAL_RANK", "env.WORLD_SIZE")
_ENVIRONMENT = ("RANK", "LOCAL_RANK", "WORLD_SIZE", "MASTER_ADDR")


def told_rank(project: Project, context: Context) -> Note | None:
    """The line from which a run has the environment of a rank without a launcher; None when none shows."""
    for name in GIVEN:
        given = context.option(name)
        if given.at is not None:
            return Note(given.at, f"{name.removeprefix('env.')} says which rank this is")
    return starts_ranks(project, context.entry) if context.entry else None


def starts_ranks(project: Project, entry: Entry) -> Note | None:
    """The line of a run's code that starts processes or stands in for a launcher; None when none shows."""
    at = set_in_code(project, entry, *_ENVIRONMENT)
    if at is not None:
        return Note(at, "the code sets the environment of a rank itself")
    if any(project.uses(name, entry) for name in _SPAWNING):
        return Note(Place(entry.path, 1), "Lightning starts the other ranks")
    started = _starts(project, entry)
    return Note(started, "the code starts processes itself") if started else None


def _starts(project: Project, entry: Entry) -> Place | None:
    reach = project.reach(entry)
    found = [
        Place(frame.function.partition("::")[0], outside.site.lineno)
        for frame, calls in project.graph.external.items()
        if frame.function in reach
        for outside in calls
        if outside.name.startswith(_SPAWNS)
        or (outside.name.startswith(_COMMANDS) and _names_launcher(project, frame.function))
    ]
    return min(found, default=None)


def _names_launcher(project: Project, function: str) -> bool:
    source = project.source(project.index.function(function))
    return any(word in source for word in _LAUNCHERS)
