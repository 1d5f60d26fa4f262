"""MM111: under ZeRO-3 ranks that run different experts gather different ones, unless the block is a leaf."""

from __future__ import annotations

from collections.abc import Iterator

from mmcodemod.api import (
    Answer,
    Context,
    Dismissal,
    Excluded,
    ExpertLoop,
    Fatal,
    Finding,
    Note,
    Place,
    Project,
    Rule,
    Severity,
    Site,
    Strategy,
    Unclear,
    both,
    conclude,
    config_answers,
    config_site,
    evaluation,
    experts,
    outside_training,
    replaced_forward,
    runs_with,
    site,
    uses_trl,
    versions,
    weigh,
)

from .codemod import fix

FIRST = "in the first step in which an expert gets tokens on one rank and none on another"
LEAF = "deepspeed.zero_optimization.leaf_module"
_CLASSES = "deepspeed_moe_layer_cls_names"
BY_ACCELERATE = (f"accelerate.deepspeed_config.{_CLASSES}", f"accelerate.{_CLASSES}")


def trigger(project: Project) -> Iterator[Site]:
    """The line that makes a run with such a model ZeRO-3, and loops over experts in modules of the tree."""
    every = (*project.contexts, *project.configured)
    sharded = [context for context in every if context.strategy is Strategy.ZERO3]
    places: dict[Place, list[Context]] = {}
    for context in sharded:
        if context.strategy_from.at is not None and experts.family_in(project, context):
            places.setdefault(context.strategy_from.at, []).append(context)
    for at in sorted(places):
        yield config_site(at, places[at])
    if sharded:
        for loop in project.get(experts.expert_loops):
            yield site(project, loop.function, loop.node, loop)


def check(project: Project, site: Site) -> Iterator[Finding | Dismissal]:
    if isinstance(site.data, list):
        answers = [(context, _of_model(project, context)) for context in site.data]
        yield from config_answers.concluded(
            project, RULE.code, site.at, answers, lambda c, a: _message(project, c), "no leaf module"
        )
        return
    loop: ExpertLoop = site.data
    verdict = weigh(project, site.function, lambda context: _of_loop(project, context, loop))
    message = (
        f"The run hangs {FIRST}: under ZeRO-3 all ranks must gather `{loop.expert}` where it is called, each "
        f"rank calls it or not by its own tokens (`{loop.test}`), and no code makes the block a leaf module."
    )
    yield conclude(RULE.code, site, verdict, message, f"{site.symbol}: {loop.test}", at=site.head)


def _of_loop(project: Project, context: Context, loop: ExpertLoop) -> Answer:
    answer = runs_with(project, context, (Strategy.ZERO3,))
    if isinstance(answer, Unclear):
        path = context.entry.path if context.entry else context.id
        return Excluded(Note(context.launcher or Place(path, 1), "nothing shows that it runs under ZeRO-3"))
    owner = loop.function.rpartition("::")[2].partition(".")[0]
    other = _declared(project, context) or _replaced(project, context, owner)
    return other or both(answer, _in_training(project, context, loop))


def _in_training(project: Project, context: Context, loop: ExpertLoop) -> Answer:
    """Does a step of training come by the loop, or at least an evaluation?"""
    at = outside_training(project, loop.function, loop.node)
    if at is None:
        return Fatal()
    if evaluation.evaluates(project, context):
        return Unclear("whether an evaluation comes there: no step of training does", plausible=False)
    return Excluded(Note(at, "no step of training comes to the loop"))


def _declared(project: Project, context: Context) -> Answer | None:
    """Where leaf modules are declared, in the code or in a configuration."""
    called = project.get(experts.leaf_call)
    if called is not None:
        return Excluded(Note(called, "the code declares leaf modules"))
    program = experts.leaf_program(context)
    if program is not None:
        return Excluded(program)
    named = sorted(k for k in context.options if k.startswith(LEAF) or k in BY_ACCELERATE)
    at = context.option(named[0]).at if named else None
    return Excluded(Note(at, "leaf modules are declared")) if at else None


def _replaced(project: Project, context: Context, block: str) -> Answer | None:
    """Where the run puts another `forward` in the place of the block's."""
    at = replaced_forward(project, context, block, "experts")
    return Excluded(Note(at, "another forward takes the place of the block's")) if at else None


def _of_model(project: Project, context: Context) -> Answer:
    """Does the model of this run skip experts, in a block that is no leaf?"""
    declared = _declared(project, context)
    known = experts.family_in(project, context)
    if declared is not None or known is None:
        return declared or Fatal()
    family, at = known
    if (replaced := _replaced(project, context, family.block)) is not None:
        return replaced
    own = experts.own_block(project, context, family.block)
    if own is not None:
        return Excluded(own)
    skips = _skips(context, family.skips, at)
    if isinstance(skips, Excluded):
        return skips
    leaf = versions.below(context, "deepspeed", family.leaf_since) if family.leaf_since else True
    if leaf is False:
        note = versions.pinned(context, "deepspeed", f", which makes {family.block} a leaf by itself")
        return Excluded(note or Note(at, f"deepspeed {family.leaf_since} makes it a leaf by itself"))
    fact = f"the deepspeed version: {family.leaf_since} makes {family.block} a leaf by itself"
    asked = Unclear(fact, plausible=True)  # most runs are of an older release
    answer = both(asked if leaf is None else Fatal(Note(at, f"a model with {family.block}")), skips)
    if uses_trl(project, context):
        return both(answer, Unclear("the trainer: trl may declare the block", plausible=False))
    return answer


def _skips(context: Context, ranges: tuple[tuple[str, str], ...], at: Place) -> Answer:
    """Does the installed transformers leave experts without tokens out?"""
    answers = {_within(context, first, over) for first, over in ranges}
    if True in answers:
        return Fatal()
    if None in answers:
        return Unclear("the transformers version: not all call only experts with tokens", plausible=False)
    note = versions.pinned(context, "transformers", ", in which no expert is left out by itself")
    return Excluded(note or Note(at, "this transformers leaves no expert out by itself"))


def _within(context: Context, first: str, over: str) -> bool | None:
    """Is every version that may be installed among these? False when none is, None when it cannot be said."""
    too_old = first != "0" and versions.below(context, "transformers", first)
    ends = versions.below(context, "transformers", over)
    if too_old or ends is False:
        return False
    return True if too_old is False and ends else None


def _message(project: Project, context: Context) -> str:
    known = experts.family_in(project, context)
    block = f"`{known[0].block}`" if known else "its block"
    runs = "These runs hang" if context.launcher else "A run with this configuration hangs"
    transformers = context.dependencies.get("transformers")
    version = versions.stated(transformers) if transformers and transformers.spec else "transformers"
    return (
        f"{runs} {FIRST}: under ZeRO-3 all ranks must gather an expert where it is called, {block} "
        f"({version}) calls only experts that got tokens, and neither code nor configurations make it a leaf "
        "module."
    )


RULE = Rule(
    code="MM111",
    name="zero3-moe-leaf-missing",
    summary="Under ZeRO-3 ranks that run different experts hang unless the block is a leaf module",
    family="sharding",
    severity=Severity.ERROR,
    since="0.1.0",
    preview=True,
    options=("strategy", LEAF),
    trigger=trigger,
    check=check,
    fix=fix,
)
