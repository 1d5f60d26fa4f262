"""MM514: buckets of 5e8 elements or more cost gigabytes beside a multimodal model on ZeRO-1 or 2."""

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
    JsonMember,
    JsonNode,
    Note,
    Project,
    Rule,
    Severity,
    Site,
    Unclear,
    config_answers,
    config_site,
    configs,
    member_place,
    sees,
)

from .codemod import lowered

STAGE, REDUCE = "zero_optimization.stage", "zero_optimization.reduce_bucket_size"
KEYS = (REDUCE, "zero_optimization.allgather_bucket_size")
MODEL = "model_name_or_path"
LARGE = 5e8  # elements: DeepSpeed's own default of both (deepspeed/runtime/zero/config.py)
BYTES = 2  # of a gradient in 16 bits


def trigger(project: Project) -> Iterator[Site]:
    """Every DeepSpeed configuration of the tree that sets a bucket; the site is the first large one."""
    for path, document in sorted(project.get(configs.parsed).items()):
        root = document.root
        if root is not None and (found := [member for key in KEYS if (member := root.find(key))]):
            found.sort(key=lambda member: (_size(member) < LARGE, member.key_start))
            at = member_place(path, found[0].key_start, found[0].node)
            yield config_site(at, (root, [member for member in found if _size(member) >= LARGE], found[0]))


def _size(member: JsonMember) -> float:
    """Elements; 0 for "auto"."""
    value = member.node.value
    return value if isinstance(value, int | float) else 0


def check(project: Project, site: Site) -> Iterator[Finding | Dismissal]:
    root, large, first = site.data
    if not large:
        yield config_answers.set_here(RULE.code, site.path, first)
        return
    stage = root.find(STAGE)
    if stage is None or stage.node.value not in (1, 2):
        if stage is not None:
            reason = f"{config_answers.written(stage)}: the buckets of stages 1 and 2 are meant"
            yield config_answers.set_here(RULE.code, site.path, stage, reason)
        return

    def message(context: Context, answer: Answer) -> str:
        return _message(context, answer, root, large)

    answers = config_answers.answered(project, site.path, lambda c: _judge(project, c, site))
    yield from config_answers.concluded(project, RULE.code, site.at, answers, message, "bucket sizes")


def _judge(project: Project, context: Context, site: Site) -> Answer:
    """Does a run with this configuration train a model that sees or hears?"""
    if any(configs.changed_by_code(context, key) for key in KEYS):
        return Excluded(Note(site.at, "the code sets a bucket itself"))
    shown = sees(project, context)
    if shown is None:
        return Excluded(Note(context.option(MODEL).at or site.at, "no pictures, video or sound are seen"))
    if context.entry is None:
        fact = f"whether it trains a multimodal model, as {shown.at} shows for the tree"
        return Unclear(fact, plausible=False)
    return Fatal(shown)


def _message(context: Context, answer: Answer, root: JsonNode, large: list[JsonMember]) -> str:
    keys, size = " and ".join(f'"{m.key}"' for m in large), max(map(_size, large))
    stage = context.option(f"deepspeed.{STAGE}").value
    known = isinstance(answer, Fatal)
    trains = f"These runs train a multimodal model on ZeRO-{stage} with"
    runs = trains if known else "A run with this configuration has"
    text = f"{runs} {keys} of {size:.0e} elements".replace("e+0", "e")
    default = " (DeepSpeed's own number where the keys are absent)" if size == LARGE else ""
    return f"{text}{default}: {_cost(root, size)}, beside activations that grow with pictures."


def _cost(root: JsonNode, size: float) -> str:
    overlap = root.find("zero_optimization.overlap_comm")
    buffers = "two buffers" if overlap and overlap.node.value is True else "a buffer"
    return f"{buffers} of {size * BYTES / 1e9:.1f} GB for gradients in 16 bits"


def fix(project: Project, site: Site, finding: Finding) -> Fix | None:
    """Smaller buckets reduce more often, which may cost time: only the user can weigh that."""
    return Fix("set the buckets to 2e8 elements", Applicability.DISPLAY, lowered(site.path, site.data[1]))


RULE = Rule(
    code="MM514",
    name="ds-bucket-size-oversized",
    summary="Buckets of 5e8 elements or more cost gigabytes beside a multimodal model on ZeRO-1 or ZeRO-2",
    family="cost",
    severity=Severity.INFO,
    since="0.1.0",
    options=tuple(f"deepspeed.{key}" for key in (STAGE, *KEYS)),
    trigger=trigger,
    check=check,
    fix=fix,
)
