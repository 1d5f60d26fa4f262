"""MM511: by DeepSpeed's published estimate, a run needs more memory than a GPU of the user has."""

from __future__ import annotations

from collections.abc import Iterator

from mmcodemod.api import (
    Answer,
    Applicability,
    Context,
    Count,
    Dismissal,
    Excluded,
    Fatal,
    Finding,
    Fix,
    Note,
    Place,
    Project,
    Rule,
    Severity,
    Site,
    Trained,
    Unclear,
    config_answers,
    config_site,
    memory,
    parameters,
    quantized,
    ranks,
    trained_parameters,
)

MACHINE, MANY = 8, 4096  # GPUs: of one machine, and more than anybody has


def trigger(project: Project) -> Iterator[Site]:
    """Each place that names the model of a DeepSpeed run; none when the user gives no size."""
    found: dict[Place, list[Context]] = {}
    for context in (*project.contexts, *project.configured) if project.gpu_memory else ():
        count = parameters(project, context) if context.strategy.is_deepspeed else None
        if count is not None and quantized(context) is None:
            found.setdefault(count.at, []).append(context)
    for at, contexts in sorted(found.items(), key=lambda pair: pair[0]):
        yield config_site(at, contexts)


def check(project: Project, site: Site) -> Iterator[Finding | Dismissal]:
    answers = [(c, a) for c in site.data if (a := _judge(project, c)) is not None]

    def message(context: Context, _: Answer) -> str:
        return _message(project, context)

    yield from config_answers.concluded(project, RULE.code, site.at, answers, message, "memory")


def _judge(project: Project, context: Context) -> Answer | None:
    """Does it fit on the ranks of the launch, or on those of one machine where they do not show?"""
    count, asked = parameters(project, context), trained_parameters(project, context)
    need = memory.need(context, count, _ranks(context) or MACHINE, asked) if count else None
    if count is None or need is None:
        return None
    if need.size <= project.gpu_memory:
        of = f"{memory.gib(need.size)} of {memory.gib(project.gpu_memory)}"
        return Excluded(Note(count.at, f"parameters, gradients and optimizer states take {of}"))
    if _ranks(context) or not _fits(project, context, count, MANY, asked):
        return Fatal(Note(count.at, f"{count.name}: {count.total / 1e9:.1f}e9 parameters"))
    enough = next(n for n in range(MACHINE, MANY + 1) if _fits(project, context, count, n, asked))
    return Unclear(f"the number of ranks: it fits from {enough} on", plausible=False)


def _ranks(context: Context) -> int:
    """How many the launch starts, 0 when it does not show."""
    value = ranks(context).value
    return value if isinstance(value, int) and value > 0 else 0


def _fits(project: Project, context: Context, count: Count, number: int, asked: Trained) -> bool:
    need = memory.need(context, count, number, asked)
    return need is not None and need.size <= project.gpu_memory


def _message(project: Project, context: Context) -> str:
    count, asked = parameters(project, context), trained_parameters(project, context)
    number = _ranks(context) or MACHINE
    need = memory.need(context, count, number, asked) if count else None
    if count is None or need is None:
        return ""
    stage = context.strategy.value.replace("zero", "ZeRO-")
    what = _counted(context, asked)
    least = "at least " if context.strategy.value == "zero1" or asked is not Trained.ALL else ""
    known = "1 rank" if number == 1 else f"{number} ranks"
    assumed = "" if _ranks(context) else " (those of one machine: the launch does not say)"
    return (
        f"{stage} on {known}{assumed} needs {least}{memory.gib(need.size)} on each GPU for {what} of "
        f"{count.name}, without activations: {need.formula} bytes by DeepSpeed's estimate. A GPU has "
        f"{memory.gib(project.gpu_memory)}."
    )


def _counted(context: Context, asked: Trained) -> str:
    """What the formula holds."""
    if asked is not Trained.ALL:
        return "the weights alone (optimizer states of what is trained come on top)"
    if memory.offloads(context, "optimizer"):
        return "parameters (optimizer states are offloaded)"
    return "parameters, gradients and optimizer states"


def fix(project: Project, site: Site, finding: Finding) -> Fix | None:
    """Several remedies, each with its own cost."""
    three = all(c.strategy.value == "zero3" for c in site.data)
    shard = "use more ranks" if three else "use ZeRO-3 or more ranks"
    return Fix(f"{shard}, offload to the CPU, or train adapters (LoRA)", Applicability.DISPLAY)


RULE = Rule(
    code="MM511",
    name="memory-estimate-oom",
    summary="By DeepSpeed's estimate a run needs more memory than each GPU has (needs --gpu-memory)",
    family="cost",
    severity=Severity.INFO,
    since="0.1.0",
    options=("model_name_or_path", "deepspeed.zero_optimization.stage"),
    trigger=trigger,
    check=check,
    fix=fix,
)
