"""MM508: LoRA on ZeRO-3 gathers frozen parameters in every step, of a model that each GPU can hold."""

from __future__ import annotations

from collections.abc import Iterator

from mmcodemod.api import (
    Answer,
    Applicability,
    Context,
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
    Strategy,
    Unclear,
    config_answers,
    config_site,
    configs,
    lora,
    memory,
    parameters,
    quantized,
)

LARGEST = 15_000_000_000  # parameters that a GPU of 40 GB holds in 16 bits, with a fourth left for the rest
ROOM = 0.75  # of the memory of a GPU, for the weights


def trigger(project: Project) -> Iterator[Site]:
    """Each place that decides on ZeRO-3 for runs which train LoRA adapters."""
    found: dict[Place, list[Context]] = {}
    for context in project.contexts:
        at = context.option("deepspeed").at
        if context.strategy is Strategy.ZERO3 and at is not None and lora(context) is not None:
            found.setdefault(at, []).append(context)
    for at, contexts in sorted(found.items(), key=lambda pair: pair[0]):
        yield config_site(at, contexts)


def check(project: Project, site: Site) -> Iterator[Finding | Dismissal]:
    answers = [(c, a) for c in site.data if (a := _judge(project, c)) is not None]

    def message(context: Context, _: Answer) -> str:
        return _message(project, context)

    yield from config_answers.concluded(project, RULE.code, site.at, answers, message, "LoRA on ZeRO-3")


def _judge(project: Project, context: Context) -> Answer | None:
    """Does each GPU hold the model whole? None where its size does not show."""
    count = parameters(project, context)
    if count is None or quantized(context) is not None:
        return None
    at = context.option("deepspeed").at
    if at and (memory.offloads(context, "param") or memory.offloads(context, "optimizer")):
        return Excluded(Note(at, "the configuration offloads to the CPU: memory is short"))
    most = project.gpu_memory * ROOM // memory.WEIGHT if project.gpu_memory else LARGEST
    if count.total > most:
        return Excluded(Note(count.at, f"{count.name} is too large to be kept whole on each GPU"))
    if project.gpu_memory:
        return Fatal(Note(count.at, f"{count.name}: {count.total / 1e9:.1f}e9 parameters"))
    return Unclear("the memory of a GPU (--gpu-memory)", plausible=False)


def _message(project: Project, context: Context) -> str:
    count = parameters(project, context)
    size, name = (memory.gib(memory.WEIGHT * count.total), count.name) if count else ("", "")
    return (
        f"These runs train LoRA adapters on ZeRO-3, which gathers the frozen parameters of {name} in every "
        f"step; kept whole, as ZeRO-2 does, they take {size} of each GPU in 16 bits."
    )


def fix(project: Project, site: Site, finding: Finding) -> Fix | None:
    """The configuration of stage 2 beside the one in use, if there is one."""
    near = {path.rpartition("/")[0] for context in site.data for path in context.configs}
    second = next((p for p in _second(project) if p.rpartition("/")[0] in near), "a configuration of stage 2")
    return Fix(f"use {second} for LoRA", Applicability.DISPLAY)


def _second(project: Project) -> list[str]:
    """Configurations of stage 2 that offload nothing."""
    every = project.get(configs.parsed).items()
    roots = [(path, document.root) for path, document in every if document.root and "offload" not in path]
    stages = [(path, root.get("zero_optimization.stage")) for path, root in roots]
    return sorted(path for path, stage in stages if stage and stage.value == 2)


RULE = Rule(
    code="MM508",
    name="peft-with-zero3-overkill",
    summary="LoRA on ZeRO-3 gathers the frozen parameters of a model that each GPU could hold",
    family="cost",
    severity=Severity.INFO,
    since="0.1.0",
    options=("deepspeed", "lora_enable", "use_lora", "finetuning_type", "model_name_or_path"),
    trigger=trigger,
    check=check,
    fix=fix,
)
