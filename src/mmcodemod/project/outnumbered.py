"""Launches that start more ranks than they show GPUs. The last rank has none: it asks for one that is not
there ("invalid device ordinal"), or shares another rank's, which NCCL refuses ("Duplicate GPU detected").
Must-analysis: of literal lists and numbers, on one machine.

Sources: the CUDA C++ Programming Guide on CUDA_VISIBLE_DEVICES: what follows an invalid index is not visible;
torch/cuda/__init__.py, `_parse_visible_devices`: of an entry the leading digits count, so that `6.7` is one;
accelerate/commands/launch.py: without a configuration, ranks are started only where two GPUs are seen.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import takewhile

from mmcodemod.model.context import Context, Origin, Strategy
from mmcodemod.model.option import MISSING, Option
from mmcodemod.model.pattern import regex
from mmcodemod.model.place import Place
from mmcodemod.project.accelerate_default import named_in_vain, names_none
from mmcodemod.project.death import Death, dead_at
from mmcodemod.project.model import Project
from mmcodemod.project.own_device import Bound, bound
from mmcodemod.project.own_ranks import starts_ranks
from mmcodemod.project.ranks import PROCESSES
from mmcodemod.project.visible_devices import VISIBLE, is_spoken_of

_LAUNCHERS = ("torch", "accelerate")  # `deepspeed` takes the variable for its own --include
_MACHINES = ("launcher.nnodes", "launcher.num_machines", "accelerate.num_machines")
_CHOSEN = ("launcher.gpu_ids", "accelerate.gpu_ids")  # what Accelerate then gives the variable
_NO_GPU = (
    *("use_cpu", "no_cuda", "cpu", "device", "ddp_backend", "backend", "dist_backend"),
    *("launcher.cpu", "launcher.use_xpu", "launcher.tpu", "launcher.use_cpu"),
)
_DEVICE = regex(r"\s*(?:\d{1,3}(?:\.\d+)?|GPU-[0-9a-fA-F-]{4,})\s*")
_ENDS = ("", "-1")  # what ends a list: nothing behind a comma, or no device
ELSEWHERE = frozenset(("srun", "mpirun", "docker", "singularity", "apptainer", "ssh", "kubectl"))
"""Commands that may start a program in another environment than that of the script."""
_ON_CUDA = ("cuda", "nccl", "gpu", False)


def outnumbered(project: Project, context: Context) -> Death | None:
    """How a launch dies that starts more ranks than it shows GPUs; None when nothing shows that."""
    entry = context.entry
    if entry is None or context.origin is not Origin.LAUNCHED or context.launched_by not in _LAUNCHERS:
        return None
    shown, started = shown_devices(context.option(VISIBLE).value), _on_this_machine(context)
    if not 0 < shown < started.value or entry.library or not _by_gpu(project, context, shown):  # type: ignore[operator]
        return None
    if is_spoken_of(project, entry) or starts_ranks(project, entry) is not None:
        return None
    end = bound(project, context)
    return _told(context, end, shown, started) if end is not None else None


def _told(context: Context, end: Bound, shown: int, started: Option) -> Death:
    visible = context.option(VISIBLE)
    gpus = "one GPU" if shown == 1 else f"{shown} GPUs"
    why = f"CUDA_VISIBLE_DEVICES={visible.value} ({visible.at}) shows {gpus} to {started.value} ranks"
    return replace(dead_at(end.at, end.error, why), sure=not names_none(context))


def shown_devices(listed: object) -> int:
    """How many devices a list shows at most; 0 where that does not show, or where it shows none."""
    if isinstance(listed, int) and not isinstance(listed, bool):
        return int(listed >= 0)
    words = list(takewhile(lambda word: word.strip() not in _ENDS, str(listed).split(",")))
    return len(words) if isinstance(listed, str) and all(map(_DEVICE.fullmatch, words)) else 0


def _on_this_machine(context: Context) -> Option:
    """How many ranks the launch starts where it is the only machine; else 0."""
    several = any(context.option(name).value not in (MISSING, 1, "1", "1:1") for name in _MACHINES)
    names = (name for name in PROCESSES[context.launched_by] if name in context.options)
    started = context.option(next(names, ""))
    plain = isinstance(started.value, int) and not isinstance(started.value, bool)
    return started if plain and not several else Option(0)


def _by_gpu(project: Project, context: Context, shown: int) -> bool:
    """Does each rank surely take a GPU, and of those that the launch shows?"""
    if any(context.option(name).value not in (MISSING, *_ON_CUDA) for name in _NO_GPU):
        return False
    if any(context.option(name).value not in (MISSING, "all") for name in _CHOSEN):
        return False
    visible, launcher = context.option(VISIBLE).at, context.launcher
    if visible is None or launcher is None or visible.path != launcher.path:
        return False
    if not ELSEWHERE.isdisjoint(context.words) or _in_another_block(project, visible, launcher):
        return False
    return context.launched_by == "torch" or _starts_all(context, shown)


def _in_another_block(project: Project, visible: Place, launcher: Place) -> bool:
    """Does a page set the variable in another block than that of the launch? Its reader may do one alone."""
    between = project.index.text(launcher.path).splitlines()[visible.line - 1 : launcher.line]
    return any(line.lstrip().startswith(("```", "~~~")) for line in between)


def _starts_all(context: Context, shown: int) -> bool:
    """Does Accelerate start the ranks at all?"""
    if named_in_vain(context) or context.strategy is Strategy.SINGLE:
        return False
    return context.strategy is not Strategy.UNKNOWN or (names_none(context) and shown > 1)
