"""MM310: ZeRO-1 and ZeRO-2 with overlap_comm may reduce buffers that are already reused, before 0.19.0."""

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
    JsonNode,
    Note,
    Option,
    Project,
    Rule,
    Severity,
    Site,
    Unclear,
    code_dictionaries,
    config_answers,
    config_site,
    configs,
    deepspeed_gates,
    few_trained,
    member_place,
    narrow_adapters,
    never_steps,
    one_process,
    open_embedding,
    open_share,
    open_weights,
    saves_modules,
    versions,
)

from .codemod import switched_off

KEY = "overlap_comm"
OVERLAP, STAGE = f"zero_optimization.{KEY}", "zero_optimization.stage"
CONTIGUOUS = "zero_optimization.contiguous_gradients"
BUCKET, DEFAULT_BUCKET = "zero_optimization.reduce_bucket_size", 5e8  # elements
LARGE = 1e8  # elements that the gradients of adapters or of a projector seldom come to
EMBEDDING = 1.3e8  # elements of the embedding of a 7B model: 32,000 words of 4,096 numbers
SINCE_STAGE_1 = deepspeed_gates.OVERLAPS_AT_STAGE_1
FIXED, FIXED_COMPILED = deepspeed_gates.OVERLAP_MENDED, deepspeed_gates.OVERLAP_MENDED_COMPILED
UNGUARDED, WAITED_FOR = deepspeed_gates.OVERLAP_UNGUARDED, deepspeed_gates.OVERLAP_WAITED_FOR
COMPILES = ("torch_compile", "torch_compile_backend", "torch_compile_mode")


def trigger(project: Project) -> Iterator[Site]:
    """Every DeepSpeed configuration of the tree that says something about the overlap."""
    for path, document in sorted(project.get(configs.parsed).items()):
        member = document.root.find(OVERLAP) if document.root else None
        if member is not None:
            yield config_site(member_place(path, member.key_start, member.node), document.root)
    for contexts in project.get(code_dictionaries).values():
        overlap = contexts[0].option(f"deepspeed.{OVERLAP}")
        if overlap.at is not None:
            yield config_site(overlap.at, tuple(contexts))


def check(project: Project, site: Site) -> Iterator[Finding | Dismissal]:
    if isinstance(site.data, tuple):
        yield from _written_in_code(project, site)
        return
    root: JsonNode = site.data
    overlap, stage = root.find(OVERLAP), root.find(STAGE)
    if overlap is None or overlap.node.value is not True:
        if overlap is not None:
            yield config_answers.set_here(RULE.code, site.path, overlap)
    elif stage is not None and stage.node.value in (1, 2):
        number = int(stage.node.value)
        bucket = root.find(BUCKET)
        size = bucket.node.value if bucket else DEFAULT_BUCKET
        answers = config_answers.answered(project, site.path, lambda c: _judge(project, c, number, size))
        yield from config_answers.concluded(project, RULE.code, site.at, answers, _message, f"{KEY} true")
    elif stage is not None:
        reason = f"{config_answers.written(stage)}: the race is in the code of stages 1 and 2"
        yield config_answers.set_here(RULE.code, site.path, stage, reason)


def _written_in_code(project: Project, site: Site) -> Iterator[Finding | Dismissal]:
    """A dictionary of the code, judged as a file is."""
    read = [(c, *(c.option(f"deepspeed.{key}") for key in (OVERLAP, STAGE, BUCKET))) for c in site.data]
    racing = [(c, s, b) for c, overlap, s, b in read if overlap.value is True and s.value in (1, 2)]
    sizes = [(c, int(s.value), b.value if b.at else DEFAULT_BUCKET) for c, s, b in racing]
    answers = [(c, _judge(project, c, stage, size)) for c, stage, size in sizes]
    yield from config_answers.concluded(project, RULE.code, site.at, answers, _message, f"{KEY} true")


def _judge(project: Project, context: Context, stage: int, bucket: object) -> Answer:
    """Does a run with this configuration use a DeepSpeed that has the race?"""
    never = one_process(project, context) or never_steps(project, context)
    if never is not None:
        return Excluded(never)
    changed = config_answers.set_in_code(project, context.entry, KEY)
    if changed is not None:
        return Excluded(Note(changed, f'the code sets "{KEY}" itself'))
    ignored = stage == 1 and versions.below(context, "deepspeed", SINCE_STAGE_1)
    if ignored:
        return _excluded(context, f", which ignores {KEY} at stage 1 (until {SINCE_STAGE_1})")
    compiled = _compiled(context)
    apart = None if compiled else _apart(context)
    if apart is not None:
        return Excluded(apart)
    fixed = FIXED_COMPILED if compiled else FIXED
    old = versions.below(context, "deepspeed", fixed)
    if old is None:
        # Two open facts, the version and whether the race strikes in this run: a note (decision 4).
        either = versions.contradiction(context, "deepspeed")
        return Unclear(f"the deepspeed version{either}: {fixed} mends it", plausible=False)
    if old is False:
        return _excluded(context, f", {fixed} or later: the race is mended")
    if versions.one_below(context, "deepspeed", UNGUARDED):
        return _guarded(context, bucket)
    if stage == 1 and versions.below(context, "deepspeed", WAITED_FOR) is False:
        return Unclear(f"what is left of the race at stage 1 since {WAITED_FOR}", plausible=False)
    copied = versions.below(context, "deepspeed", FIXED) is False  # what is left strikes buckets of any size
    small = "" if copied else _small(project, context, bucket)
    if small:
        return Unclear(small, plausible=False)
    why = f" (with torch.compile: {compiled.at})" if compiled else ""
    until = WAITED_FOR if versions.below(context, "deepspeed", WAITED_FOR) else fixed
    return Fatal(versions.pinned(context, "deepspeed", f", which has the race until {until}{why}"))


def _apart(context: Context) -> Note | None:
    """Without contiguous gradients, DeepSpeed flattens those of each bucket into memory of their own, once
    the device is done: there is no pair of buckets to fill again (stage_1_and_2.py)."""
    contiguous = context.option(f"deepspeed.{CONTIGUOUS}")
    if contiguous.value is not False or contiguous.at is None:
        return None
    return Note(contiguous.at, "each bucket is flattened into memory of its own, so none is filled again")


def _guarded(context: Context, bucket: object) -> Answer:
    """A version that lets the whole device finish before each reduction refills nothing early. It frees a
    gradient that is larger than a bucket as early as later ones do; the next reduction ends that risk."""
    if not versions.below(context, "deepspeed", UNGUARDED):
        either = versions.contradiction(context, "deepspeed")
        return Unclear(f"the deepspeed version{either}: the race began in {UNGUARDED}", plausible=False)
    if not isinstance(bucket, int | float) or bucket < EMBEDDING:
        return Unclear("whether a gradient is larger than a bucket", plausible=False)
    note = ", which waits for the device before each reduction: the race began in "
    return _excluded(context, note + UNGUARDED)


def _small(project: Project, context: Context, bucket: object) -> str:
    """What is open about the gradients of a run; "" where they fill buckets one after the other, or, where a
    bucket is waited for, where one of them is larger than a bucket."""
    elements = (
        int(bucket) if isinstance(bucket, int | float) else 0
    )  # of a bucket; 0: as the Trainer makes it
    if versions.below(context, "deepspeed", WAITED_FOR) is False:
        return _within(project, context, elements)
    few = few_trained(project, context)
    if few is not None:
        fill = f"fill buckets of {elements:,} elements" if elements else "fill more than two buckets"
        held = elements >= LARGE or narrow_adapters(project, context)
        return f"whether the gradients of {few.note} ({few.at}) {fill}" if held else ""
    share = open_share(project, context) if elements >= LARGE else ""
    return share or open_weights(project, context, 2 * elements)


def _within(project: Project, context: Context, elements: int) -> str:
    """What is open about a gradient being larger than a bucket."""
    if elements >= EMBEDDING:
        return f"whether a gradient is larger than a bucket of {elements:,} elements"
    few = few_trained(project, context)
    if few is not None:
        larger = f"whether a gradient of {few.note} ({few.at}) is larger than a bucket"
        return "" if saves_modules(project, context) else larger
    return open_share(project, context) or open_embedding(project, context, elements)


def _excluded(context: Context, note: str) -> Answer:
    pinned = versions.pinned(context, "deepspeed", note)
    return Excluded(pinned) if pinned else Unclear("the deepspeed version", plausible=False)


def _compiled(context: Context) -> Option | None:
    """The flag of the Trainer that compiles the model: naming a backend or a mode does so, too."""
    options = (context.option(name) for name in COMPILES)
    return next((o for o in options if o.known and o.value not in (False, "")), None)


def _message(context: Context, answer: Answer) -> str:
    stage = context.option(f"deepspeed.{STAGE}").value
    race = _race(context)
    runs = "These runs overlap" if context.launcher else "A run with this configuration overlaps"
    return (
        f'{runs} the reduction of gradients with the backward pass at ZeRO stage {stage} ("{KEY}": true): '
        f"{race}, so the loss can turn NaN or fall to 0."
    )


def _race(context: Context) -> str:
    """What goes wrong in the versions that the run may have: two defects were mended one after the other."""
    early = f"DeepSpeed from {UNGUARDED} on and before {WAITED_FOR}"
    refilled = f"{early} may fill a bucket again before it is reduced"
    freed = "may hand out the memory of a gradient that is larger than a bucket before it is reduced"
    waits = versions.below(context, "deepspeed", WAITED_FOR)
    if waits:
        return refilled
    if versions.below(context, "deepspeed", FIXED) is False:
        return f"with torch.compile, DeepSpeed before {FIXED_COMPILED} may reduce a bucket before it is full"
    return (
        f"DeepSpeed before {FIXED} {freed}" if waits is False else f"{refilled}, and before {FIXED} {freed}"
    )


def fix(project: Project, site: Site, finding: Finding) -> Fix | None:
    """Switch the overlap off: every run with the file then reduces after the backward pass, only slower."""
    if isinstance(site.data, tuple):
        return Fix(f'set "{KEY}": False in the dictionary (costs some speed)', Applicability.DISPLAY)
    overlap = site.data.find(OVERLAP)
    return Fix(f'set "{KEY}": false (costs some speed)', Applicability.SAFE, switched_off(site.path, overlap))


RULE = Rule(
    code="MM310",
    name="ds-overlap-comm-race",
    summary="ZeRO-1 and ZeRO-2 with overlap_comm may reduce wrong gradients before DeepSpeed 0.19.0",
    family="numerics",
    severity=Severity.WARNING,
    since="0.1.0",
    preview=True,
    options=(f"deepspeed.{OVERLAP}", f"deepspeed.{STAGE}", f"deepspeed.{CONTIGUOUS}", *COMPILES),
    trigger=trigger,
    check=check,
    fix=fix,
)
