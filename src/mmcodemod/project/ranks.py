"""How many processes a launch starts on all machines. Must-analysis: UNKNOWN where anything else may decide.

Source of what DeepSpeed makes of a hostfile: `deepspeed/launcher/runner.py` (read in 0.19.2)."""

from __future__ import annotations

from mmcodemod.model.context import Context
from mmcodemod.model.option import MISSING, UNKNOWN, Option
from mmcodemod.model.pattern import regex
from mmcodemod.model.place import Place
from mmcodemod.project.paths import Where
from mmcodemod.project.sources import Sources

SLOTS = "launcher.hostfile.slots"  # "host=8 other=8": what a hostfile of the tree offers
# Options that set the number of processes on one machine, or of all tasks.
PROCESSES = {
    "torch": ("launcher.nproc_per_node",),
    "deepspeed": ("launcher.num_gpus",),
    "accelerate": ("launcher.num_processes", "accelerate.num_processes"),
    "tasks": ("launcher.ntasks", "launcher.n", "launcher.np"),
}
_MACHINES = {"torch": "launcher.nnodes", "deepspeed": "launcher.num_nodes"}  # the others count all processes
HOSTFILES = ("launcher.hostfile", "launcher.H")
_OUTSIDE = (*HOSTFILES, "launcher.exclude", "launcher.e")
_HOST = regex(r"(\S+)\s+slots=(\d{1,6})")
_MAX_HOSTS = 10_000


def ranks(context: Context) -> Option:
    """How many processes the launch starts on all machines, with the line that says so; else UNKNOWN."""
    if SLOTS in context.options:
        return _on_hosts(context)
    include = context.option("launcher.include")
    if isinstance(include.value, str):
        host, _, devices = include.value.partition(":")
        one = "@" not in devices and bool(host and devices)
        return Option(devices.count(",") + 1 if one else UNKNOWN, include.at)
    if any(context.option(name).value is not MISSING for name in _OUTSIDE):
        return Option(UNKNOWN)
    names = PROCESSES.get(context.launched_by, ())
    processes = next((context.option(n) for n in names if n in context.options), Option(UNKNOWN))
    if context.launched_by == "tasks" and processes.at is None:
        return _on_nodes(context)
    machines = context.option(_MACHINES.get(context.launched_by, ""))
    return _times(processes, 1 if machines.value is MISSING else machines.value)


def _on_nodes(context: Context) -> Option:
    """Slurm: tasks of each node, on all nodes."""
    nodes = next((context.option(n) for n in ("launcher.nodes", "launcher.N") if n in context.options), None)
    return _times(context.option("launcher.ntasks_per_node"), nodes.value if nodes else UNKNOWN)


def _times(processes: Option, machines: object) -> Option:
    known = _count(processes.value) and _count(machines)
    return Option(processes.value * machines if known else UNKNOWN, processes.at)  # type: ignore[operator]


def _count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


# -- hosts of a hostfile ----------------------------------------------------------------------------------


def hostfile_options(sources: Sources, where: Where, launcher: dict[str, Option]) -> dict[str, Option]:
    """What the hostfile of a `deepspeed` launch offers, when it is in the tree and can be read."""
    named = launcher.get("hostfile") or launcher.get("H")
    found = where.resolve(named.value) if named and isinstance(named.value, str) else None
    slots = _slots(sources.text(found.path) or "") if found else {}
    if found is None or not slots:
        return {}
    return {SLOTS: Option(" ".join(f"{host}={count}" for host, count in slots.items()), Place(found.path, 1))}


def _slots(text: str) -> dict[str, int]:
    """Slots by host; none when DeepSpeed would refuse the file."""
    lines = [line.strip() for line in text.splitlines()[:_MAX_HOSTS]]
    found = [_HOST.match(line) for line in lines if line and not line.startswith("#")]
    slots = {host[1]: int(host[2]) for host in found if host}
    return slots if len(slots) == len(found) else {}


def _on_hosts(context: Context) -> Option:
    offered = context.option(SLOTS)
    pairs = (pair.rpartition("=") for pair in str(offered.value).split())
    slots = {host: int(count) for host, _, count in pairs}
    include, exclude = _filter(context, "include", "i"), _filter(context, "exclude", "e")
    nodes, gpus = context.option("launcher.num_nodes"), context.option("launcher.num_gpus")
    known = [o.value is MISSING or _count(o.value) for o in (nodes, gpus)]
    if include is None or exclude is None or (include and exclude) or not all(known):
        return Option(UNKNOWN)
    used = _used(slots, include, exclude)
    if not used or ((include or exclude) and not nodes.value is gpus.value is MISSING):
        return Option(UNKNOWN)
    counts = [count for count in used.values() if count]
    counts = counts[: nodes.value] if isinstance(nodes.value, int) and nodes.value > 0 else counts
    each = gpus.value if isinstance(gpus.value, int) and gpus.value > 0 else None
    return Option(sum(count if each is None else each for count in counts), offered.at)


def _filter(context: Context, *names: str) -> str | None:
    """`--include` or `--exclude`, "" without; None when it is unknown."""
    given = next((context.option(f"launcher.{n}") for n in names if f"launcher.{n}" in context.options), None)
    value = "" if given is None else given.value
    return value if isinstance(value, str) else None


def _used(slots: dict[str, int], include: str, exclude: str) -> dict[str, int]:
    """How many slots of each host are used; none at all where DeepSpeed would stop."""
    chosen: dict[str, set[int]] = {}
    for part in (include or exclude).split("@") if include or exclude else ():
        host, colon, listed = part.partition(":")
        numbers = listed.split(",") if colon else []
        if not all(n.isdigit() and len(n) < 7 and int(n) < slots.get(host, 0) for n in numbers or ["0"]):
            return {}
        chosen.setdefault(host, set()).update(map(int, numbers))
    named = {host: len(numbers) or slots[host] for host, numbers in chosen.items()}
    return {host: named.get(host, 0) if include else slots[host] - named.get(host, 0) for host in slots}
