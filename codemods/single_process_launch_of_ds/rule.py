"""MM510: plain Python starts a DeepSpeed run without the environment of a rank."""

from __future__ import annotations

from collections.abc import Iterator

from mmcodemod.api import (
    MISSING,
    UNKNOWN,
    Answer,
    Applicability,
    Context,
    Dismissal,
    Excluded,
    Fatal,
    Finding,
    Fix,
    Note,
    Option,
    Place,
    Project,
    Rule,
    Severity,
    Site,
    Unclear,
    config_answers,
    config_site,
    dies_untold,
    own_ranks,
)

from .codemod import launched

DEVICES = "env.CUDA_VISIBLE_DEVICES"
ASKING = ("torch.distributed.get_rank", "torch.distributed.get_world_size", "torch.distributed.barrier")
TEXTS = (".md", ".rst", ".txt", ".sh", ".toml", ".yml", ".yaml", "Dockerfile")
ZERO = "deepspeed.zero_optimization"
OFFLOADS = (f"{ZERO}.offload_optimizer.device", f"{ZERO}.offload_param.device")


def trigger(project: Project) -> Iterator[Site]:
    """Every training command of plain Python that runs with a DeepSpeed configuration."""
    for context in project.contexts:
        if context.launched_by == "python" and context.launcher and context.strategy.is_deepspeed:
            yield config_site(context.launcher, context)


def check(project: Project, site: Site) -> Iterator[Finding | Dismissal]:
    answer = _judge(project, site.data, site)
    answers = [(site.data, answer)] if answer is not None else []
    asked = _asked(project, site.data)

    def message(context: Context, answer: Answer) -> str:
        return _message(context, asked)

    yield from config_answers.concluded(
        project, RULE.code, site.at, answers, message, "no launcher", ends=dies_untold
    )


def _judge(project: Project, context: Context, site: Site) -> Answer | None:
    """Are ranks wanted that nobody starts? None where no code that reads the configuration is seen."""
    if context.entry is None or config_answers.reader(project, context) is config_answers.Reader.UNKNOWN:
        return None
    told = own_ranks.told_rank(project, context)
    return Excluded(told) if told else _wanted(project, context)


def _wanted(project: Project, context: Context) -> Answer:
    """One GPU may be meant: one device is visible, the configuration offloads to the CPU, or the tree tells
    of what a single process needs."""
    visible = context.option(DEVICES)
    several = isinstance(visible.value, str) and "," in visible.value
    if several and visible.at:
        return Fatal(Note(visible.at, f"{visible.value} are to be used"))
    if visible.value is UNKNOWN:
        return Unclear("how many devices CUDA_VISIBLE_DEVICES names", plausible=False)
    if visible.value is not MISSING and visible.at:
        return Excluded(Note(visible.at, "one device is visible: one process is meant"))
    offload = _offload(context)
    if offload is not None and offload.at:
        return Excluded(Note(offload.at, "offloading helps one process, too"))
    told = config_answers.mentioned(project, ("mpi4py",), TEXTS)
    if told is not None:
        return Unclear(f"whether one process is meant, as mpi4py ({told}) is there", plausible=False)
    # whoever starts several ranks by plain Python sets the variables of each, and the tree has none of them
    outside = "whether something outside the tree starts the command once for each rank"
    return Unclear(outside, plausible=True)


def _offload(context: Context) -> Option | None:
    options = (context.option(name) for name in OFFLOADS)
    return next((o for o in options if o.value not in (MISSING, "none", None)), None)


def _asked(project: Project, context: Context) -> Place | None:
    """Where the run asks torch.distributed for its place in a group, which DeepSpeed may not have made yet:
    the Trainer leaves that to `deepspeed.initialize`, as Accelerate does nothing without LOCAL_RANK
    (accelerate/state.py, `PartialState`)."""
    reach = project.reach(context.entry) if context.entry else ()
    found = []
    for frame, calls in project.graph.external.items():
        path, _, _ = frame.function.partition("::")
        if path.startswith("<") or frame.function not in reach or _checks(project, frame.function):
            continue
        found += [(path != _path(context), project.place(path, c.call)) for c in calls if c.name in ASKING]
    return min(found)[1] if found else None


def _path(context: Context) -> str:
    return context.entry.path if context.entry else ""


def _checks(project: Project, function: str) -> bool:
    """Does it ask whether there is a group?"""
    return b"is_initialized" in project.source(project.index.function(function))


def _message(context: Context, asked: Place | None) -> str:
    stage = context.strategy.value.replace("zero", "ZeRO-")
    if asked is not None:
        return (
            f"Plain Python starts this run with {stage} as one process, which nothing tells its rank: it "
            f"ends at {asked} where torch.distributed has no process group yet, or where DeepSpeed looks for "
            "MPI; where neither stops it, it trains alone."
        )
    return (
        f"Plain Python starts this run with {stage}, so no rank knows the others: DeepSpeed looks for MPI "
        "(\"No module named 'mpi4py'\"), and trains with one process where it finds it."
    )


def fix(project: Project, site: Site, finding: Finding) -> Fix | None:
    """The launcher takes every GPU of the machine, or those that are visible."""
    edits = launched(project.index.text(site.path), site.at)
    title = "start it with the deepspeed launcher, which takes all visible GPUs"
    return Fix(title, Applicability.UNSAFE if edits else Applicability.DISPLAY, edits)


RULE = Rule(
    code="MM510",
    name="single-process-launch-of-ds",
    summary="Plain Python starts a DeepSpeed run that is sharded over ranks",
    family="launch",
    severity=Severity.WARNING,
    since="0.1.0",
    preview=True,
    options=("deepspeed", DEVICES, *own_ranks.GIVEN, *OFFLOADS),
    trigger=trigger,
    check=check,
    fix=fix,
)
