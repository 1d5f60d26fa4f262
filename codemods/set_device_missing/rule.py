"""MM414: every rank uses the same GPU, because none is told which one is its own."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import libcst as cst

from mmcodemod.api import (
    Answer,
    Context,
    Dismissal,
    Excluded,
    Fatal,
    Finding,
    Note,
    Place,
    Project,
    Rule,
    Severity,
    Site,
    both,
    conclude,
    devices,
    doubted,
    fixed_devices,
    several_ranks,
    site,
    weigh,
)

from .codemod import fix

PER_NODE = "launcher.nproc_per_node"


def trigger(project: Project) -> Iterator[Site]:
    """The calls that make a process group of NCCL."""
    for function, call in devices.groups(project):
        yield site(project, function, call)


def pattern(node: cst.CSTNode) -> bool:
    """A call."""
    return isinstance(node, cst.Call)


def check(project: Project, site: Site) -> Iterator[Finding | Dismissal]:
    reaching = [c for c in project.contexts if c.entry and site.function in project.reach(c.entry)]
    used = [u for c in reaching if (u := devices.default_device(project, c.entry))]
    same = [s for c in reaching if (s := fixed_devices.fixed(project, c, site.function, _call(site)))]
    owned = any(devices.own_device(project, c.entry) for c in reaching)
    if not used and not owned and not project.is_library:
        return
    verdict = weigh(project, site.function, lambda context: _judge(project, context, site))
    if verdict.severity is not None and project.is_library:
        return
    notes = tuple(
        Note(at, "the same GPU on every rank") for at in [s.at for s in same] or [u[0] for u in used]
    )
    message = _message(same[0]) if same else MESSAGE
    yield conclude(RULE.code, site, verdict, message, ast.unparse(site.node), notes[:1])


def _call(site: Site) -> ast.Call:
    assert isinstance(site.node, ast.Call)
    return site.node


def _judge(project: Project, context: Context, site: Site) -> Answer:
    own = devices.own_device(project, context.entry)
    same = fixed_devices.fixed(project, context, site.function, _call(site)) if own else None
    if own is not None and same is None:
        return Excluded(own)
    alone = context.option(PER_NODE)
    if alone.value in (1, "1") and alone.at:
        return Excluded(Note(alone.at, "one process on each machine"))
    used = same or devices.default_device(project, context.entry)
    answer = both(several_ranks(project, context), Fatal() if used else _unused(context, site.at))
    if context.launched_by == "tasks":
        return doubted(answer, "whether each task sees a GPU of its own", plausible=False)
    return answer


def _unused(context: Context, group: Place) -> Answer:
    """Told at the launch; a library has none, and is told at the process group."""
    at = context.launcher or context.begins or group
    return Excluded(Note(at, "nothing in this run is seen to use the default GPU"))


def _message(same: fixed_devices.Fixed) -> str:
    """What all ranks are given."""
    why = f", as torchrun gives no `--{same.option}` (it sets LOCAL_RANK)" if same.option else ""
    return f"Every rank of a machine is given the same GPU by `{same.text}`{why}: {ENDS}."


ENDS = "NCCL stops with `Duplicate GPU detected`, or that GPU runs out of memory while the others idle"
MESSAGE = f"No code tells the ranks which GPU is theirs, so all ranks of a machine use the first one: {ENDS}."

RULE = Rule(
    code="MM414",
    name="set-device-missing",
    summary="Every rank uses the same GPU, because none is told which one is its own",
    family="collectives",
    severity=Severity.ERROR,
    since="0.1.0",
    options=("strategy",),
    trigger=trigger,
    pattern=pattern,
    check=check,
    fix=fix,
)
