"""Answers that several rules share: is a context one in which parameters are sharded?"""

from __future__ import annotations

from mmcodemod.facts.node import Json, Node
from mmcodemod.model.context import Context, Origin, Strategy
from mmcodemod.model.finding import Note
from mmcodemod.model.place import Place
from mmcodemod.model.verdict import AND, Answer, Excluded, Fatal, Unclear
from mmcodemod.project import accelerate_default
from mmcodemod.project.code_arguments import NO_FILE
from mmcodemod.project.configs import parsed
from mmcodemod.project.model import Project
from mmcodemod.project.strategy import strategy_of

NAMES = {
    Strategy.SINGLE: "a single process",
    Strategy.DDP: "DDP",
    Strategy.ZERO1: "ZeRO-1",
    Strategy.ZERO2: "ZeRO-2",
    Strategy.ZERO3: "ZeRO-3",
    Strategy.FSDP1: "FSDP",
    Strategy.FSDP2: "FSDP2",
    Strategy.UNKNOWN: "an unknown strategy",
}
SHARDED = (Strategy.ZERO3, Strategy.FSDP1, Strategy.FSDP2)


def runs_with(project: Project, context: Context, fatal: tuple[Strategy, ...] = SHARDED) -> Answer:
    """Fatal under the given strategies, excluded under others, unclear when the strategy is not known: then
    it is only possible, also where a configuration of the tree asks for it, and nothing to be loud about."""
    if context.strategy in fatal and context.option("fsdp_config.xla").value is True:
        return Unclear("how torch_xla's FSDP gathers, which is not modelled", plausible=False)
    if context.strategy in fatal:
        return Fatal(deciding_note(context))
    if context.strategy is Strategy.UNKNOWN and context.strategy_from.note == NO_FILE:
        return Unclear(f"the strategy: {NO_FILE} ({context.strategy_from.at})", plausible=False)
    if context.strategy is Strategy.UNKNOWN:
        wanted = " or ".join(NAMES[s] for s in fatal[:2])
        other = _other_default(project, context, fatal) or accelerate_default.named_in_vain(context)
        if other:
            return Unclear(f"{other}: {wanted} would matter", plausible=False)
        like = project.get(zero3_configuration)
        if like is not None and context.launcher is not None and Strategy.ZERO3 in fatal[:2]:
            fact = f"the strategy, which the launch leaves open: {wanted} ({like} is one)"
            return Unclear(fact, plausible=False)
        return Unclear(f"the strategy, which nothing in the tree sets: {wanted}", plausible=False)
    return Excluded(deciding_note(context) or launch_note(context))


def _other_default(project: Project, context: Context, fatal: tuple[Strategy, ...]) -> str:
    """Accelerate's configuration of the tree, where the launch names none and that one asks for another
    strategy; "" else."""
    options = project.get(accelerate_default.meant) if accelerate_default.names_none(context) else {}
    strategy, decided = strategy_of("accelerate", options, Place("", 1))
    if not options or strategy in (*fatal, Strategy.UNKNOWN) or decided.at is None:
        return ""
    that = f"that of the tree ({NAMES[strategy]}, {decided.at})"
    return f"the user's accelerate configuration, which may be {that}"


def doubted(answer: Answer, fact: str, plausible: bool = False) -> Answer:
    """An answer with one more open fact. With two open facts there is nothing to be loud about; a fact that
    is open already is no second one."""
    if not fact or isinstance(answer, Excluded):
        return answer
    if isinstance(answer, Fatal):
        return Unclear(fact, plausible)
    facts = dict.fromkeys((*answer.fact.split(AND), *fact.split(AND)))
    return Unclear(AND.join(facts), len(facts) == 1 and answer.plausible and plausible)


def launched(answer: Answer, context: Context) -> Answer:
    """An answer about a run: one that nothing in the tree launches is worth a note."""
    if context.origin not in (Origin.ENTRY, Origin.LIBRARY):
        return answer
    what = "training" if context.origin is Origin.LIBRARY else context.id
    return doubted(answer, f"a launch of {what}, which nothing in the tree makes", plausible=False)


def both(one: Answer, other: Answer) -> Answer:
    """Fatal where both are; an open fact of either stays open."""
    if isinstance(one, Excluded) or isinstance(other, Excluded):
        return one if isinstance(one, Excluded) else other
    if isinstance(one, Unclear) and isinstance(other, Unclear):
        return doubted(one, other.fact, other.plausible)
    return one if isinstance(one, Unclear) or isinstance(other, Fatal) else other


GROUPS = "group_by_modality_length"  # samplers that sort batches by modality


def grouped(answer: Answer, context: Context) -> Answer:
    """An answer about ranks with different modalities, where a sampler may give all ranks the same one."""
    if context.option(GROUPS).value is True:
        return doubted(answer, f"whether `{GROUPS}` gives all ranks the same modality in every step")
    return answer


def deciding_note(context: Context) -> Note | None:
    """The line that decides the strategy."""
    at = context.strategy_from.at
    return Note(at, f"the strategy here is {NAMES[context.strategy]}") if at else None


def launch_note(context: Context) -> Note:
    """The launch and its strategy."""
    return Note(context.begins or Place("", 1), f"runs with {NAMES[context.strategy]}")


def zero3_configuration(project: Project) -> Place | None:
    """A DeepSpeed configuration of the tree with stage 3: the sign that such a run is meant."""
    for path, document in sorted(project.get(parsed).items()):
        stage = _stage(document)
        if stage is not None and stage.value == 3:
            return Place(path, *stage.start)
    return None


def _stage(document: Json) -> Node | None:
    return document.root.get("zero_optimization.stage") if document.root else None
