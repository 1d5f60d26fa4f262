"""MM503: batch sizes of a DeepSpeed configuration whose product on the ranks is not the whole batch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from mmcodemod.api import (
    UNKNOWN,
    Answer,
    Applicability,
    Context,
    Dismissal,
    Excluded,
    Fatal,
    Finding,
    Fix,
    JsonNode,
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
    configs,
    dies_untold,
    edit_json,
    member_place,
    ranks,
    set_in_code,
)

WHOLE, MICRO, STEPS = "train_batch_size", "train_micro_batch_size_per_gpu", "gradient_accumulation_steps"
# keys under which DeepSpeed does not take all ranks for data-parallel ones, or works the sizes out itself
OTHERWISE = ("elasticity", "sequence_parallel_size", "data_parallel_size", "tensor_parallel", "pipeline")
SPLITS = ("mpu", "mesh_param", "mesh_device")  # what `deepspeed.initialize` is given for the same
OTHERS = ("transformers.Trainer", "accelerate.Accelerator")  # compare or fill the sizes in before


def trigger(project: Project) -> Iterator[Site]:
    """Every DeepSpeed configuration that fixes the whole batch, or a size that is not above 0."""
    for path, document in sorted(project.get(configs.parsed).items()):
        sizes = _sizes(document.root) if document.root else None
        member = document.root.member(_too_small(sizes) or WHOLE) if document.root and sizes else None
        if member:
            yield config_site(member_place(path, member.key_start, member.node), (document.root, sizes))


def _sizes(root: JsonNode) -> dict[str, int] | None:
    """The sizes that are written; None when one of them is no whole number."""
    found = {k: node.value for k in (WHOLE, MICRO, STEPS) if (node := root.get(k)) and node.kind != "null"}
    whole = {k: v for k, v in found.items() if isinstance(v, int) and not isinstance(v, bool)}
    return whole if len(whole) == len(found) else None


def _too_small(sizes: Mapping[str, int] | None) -> str:
    """The first size that is not above 0, "" when all are."""
    return next((key for key, size in (sizes or {}).items() if size < 1), "")


def check(project: Project, site: Site) -> Iterator[Finding | Dismissal]:
    root, sizes = site.data
    users = configs.users(project, site.path)
    answers = [(c, a) for c in users if (a := _judge(project, c, site, root, sizes))]

    def message(context: Context, _: Answer) -> str:
        return _message(sizes, context)

    yield from config_answers.concluded(
        project, RULE.code, site.at, answers, message, WHOLE, ends=dies_untold
    )


def _judge(
    project: Project, context: Context, site: Site, root: JsonNode, sizes: Mapping[str, int]
) -> Answer | None:
    """Does DeepSpeed refuse the sizes in this run? None where it is not DeepSpeed alone that reads them."""
    if context.entry is not None and not _alone(project, context):
        return None
    why = _shared_otherwise(project, context, site, root)
    if why is not None:
        return Excluded(why)
    if small := _too_small(sizes):
        return Fatal(Note(site.at, f"{small} is {sizes[small]}"))
    count = _ranks(context)
    if not _fits(sizes, count.value):
        many = Note(count.at, _many(count)) if count.at else None
        outside = "whether something outside the tree starts the command once for each rank"
        # nothing in the tree starts more, as for MM510
        return Unclear(outside, plausible=True) if context.launched_by == "python" else Fatal(many)
    if count.value is UNKNOWN:
        return Excluded(Note(site.at, f"{_product(sizes, count)}: some number of ranks fits"))
    return Excluded(Note(count.at or site.at, f"{_product(sizes, count)} fits"))


def _alone(project: Project, context: Context) -> bool:
    raw = project.calls_library("deepspeed.initialize", context.entry)
    return raw and not any(project.uses(name, context.entry) for name in OTHERS)


def _shared_otherwise(project: Project, context: Context, site: Site, root: JsonNode) -> Note | None:
    """The line that makes the product another one."""
    for key in OTHERWISE:
        if member := root.member(key):
            return Note(
                member_place(site.path, member.key_start, member.node), f'"{key}" changes the product'
            )
    reach = project.reach(context.entry) if context.entry else None
    for key in (WHOLE, MICRO, STEPS):
        for function, at in set_in_code(project, key):
            if reach is None or function in reach:
                return Note(at, f'the code sets "{key}" itself')
    splits = [at for function, at in project.get(_splits) if reach is None or function in reach]
    return Note(splits[0], "not every rank has data of its own") if splits else None


def _splits(project: Project) -> list[tuple[str, Place]]:
    """Calls that share ranks out among pipeline, tensor or sequence parallelism."""
    found = []
    for facts in project.mentioning("deepspeed"):
        calls = project.calls_of(facts.id, ("initialize",))
        calls = [call for call in calls if any(k.arg in SPLITS for k in call.keywords)]
        calls += project.calls_of(facts.id, ("PipelineModule",))
        found += [(facts.id, project.place(facts.path, call)) for call in calls]
    return found


def _ranks(context: Context) -> Option:
    return Option(1, context.launcher) if context.launched_by == "python" else ranks(context)


def _fits(sizes: Mapping[str, int], count: object) -> bool:
    """DeepSpeed runtime/config.py, `_set_batch_related_parameters` and `_batch_assertion`."""
    one = sizes.get(MICRO, 1) * sizes.get(STEPS, 1) * (count if isinstance(count, int) else 1)
    exact = len(sizes) == 3 and isinstance(count, int)
    return sizes[WHOLE] == one if exact else sizes[WHOLE] % one == 0


# -- what is said -------------------------------------------------------------------------------------------


def _many(count: Option) -> str:
    return "1 rank" if count.value == 1 else f"{count.value} ranks"


def _product(sizes: Mapping[str, int], count: Option) -> str:
    parts = [f"{key} {sizes[key]}" for key in (MICRO, STEPS) if key in sizes]
    known = [*parts, _many(count)] if isinstance(count.value, int) else [*parts, "any number of ranks"]
    return f"{WHOLE} {sizes[WHOLE]} and {' x '.join(known)}"


def _message(sizes: Mapping[str, int], context: Context) -> str:
    if small := _too_small(sizes):
        return f"DeepSpeed stops at its batch sizes: {small} is {sizes[small]}, and must be above 0."
    relation = "is not" if len(sizes) == 3 and _ranks(context).value is not UNKNOWN else "is no multiple of"
    text = _product(sizes, _ranks(context)).replace(" and ", f" {relation} ", 1)
    return f"DeepSpeed stops with an AssertionError about its batch sizes: {text}."


def fix(project: Project, site: Site, finding: Finding) -> Fix | None:
    """Which of three numbers is meant, the tree does not say. Without the steps the whole batch and what one
    rank holds at a time stay; shown only where some launch could not divide the batch so."""
    sizes = site.data[1]
    if small := _too_small(sizes):
        return Fix(f'give "{small}" a number above 0, or leave it out', Applicability.DISPLAY)
    if len(sizes) < 3:
        return Fix(f'choose a "{WHOLE}" that the ranks divide', Applicability.DISPLAY)
    edits = edit_json.remove(project.index.text(site.path), site.path, (STEPS,))
    if edits and all(_divides(sizes, _ranks(c)) for c in configs.users(project, site.path)):
        title = f'leave out "{STEPS}": DeepSpeed works it out, so that the whole batch is {sizes[WHOLE]}'
        return Fix(title, Applicability.UNSAFE, edits)
    advice = f'leave out "{WHOLE}": DeepSpeed multiplies the other two by the ranks'
    return Fix(advice, Applicability.DISPLAY)


def _divides(sizes: Mapping[str, int], count: Option) -> bool:
    return isinstance(count.value, int) and sizes[WHOLE] % (sizes[MICRO] * count.value) == 0


RULE = Rule(
    code="MM503",
    name="ds-batch-product",
    summary="The batch sizes of a DeepSpeed configuration do not multiply to the whole batch",
    family="launch",
    severity=Severity.ERROR,
    since="0.1.0",
    options=("deepspeed.train_batch_size", "deepspeed.train_micro_batch_size_per_gpu"),
    trigger=trigger,
    check=check,
    fix=fix,
)
