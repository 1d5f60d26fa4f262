"""How many ranks do the Trainers of Lightning start in a run that no launcher gives any? May-analysis of what
they are given."""

from __future__ import annotations

from mmcodemod.knowledge.lightning_saves import BY_DDP, BY_DEEPSPEED, BY_FSDP
from mmcodemod.model.context import Context
from mmcodemod.model.finding import Note
from mmcodemod.model.verdict import Answer, Excluded, Unclear
from mmcodemod.project.answers import both, doubted, launch_note
from mmcodemod.project.comes_by import comes_by
from mmcodemod.project.lightning_makers import Maker, asked_for, makers_of, making, strategy
from mmcodemod.project.model import Project
from mmcodemod.project.visible_devices import VISIBLE, names_one

_OPEN = "how many devices Lightning's Trainer is given"
_SPREADS = "how Lightning's Trainer spreads its work"
_AT_ONCE = (BY_DEEPSPEED, BY_FSDP, BY_DDP)


def lightning_ranks(project: Project, context: Context) -> Answer | None:
    """Fatal where all Trainers of a run start several ranks, excluded where each keeps to one; None where the
    run makes no Trainer."""
    if context.entry is None:
        return None
    every = makers_of(making(project, context))
    ways = {maker: comes_by(project, context, maker.function, maker.call) for maker in every}
    made = [maker for maker in every if not isinstance(ways[maker], Excluded)]
    if not made:
        return None
    answer = _all(project, context, made)
    spread = strategy(project, context, made)[0] in _AT_ONCE  # ranks that it spawns end with the training
    answer = doubted(answer, "" if spread else _SPREADS)
    open_way = next((ways[m] for m in made if isinstance(ways[m], Unclear)), None)
    return both(answer, open_way) if open_way else answer


def _all(project: Project, context: Context, made: list[Maker]) -> Answer:
    answers = [asked_for(project, context, maker) or _found(context) for maker in made]
    kinds = {answer.__class__ for answer in answers}
    return answers[0] if len(kinds) == 1 else Unclear(_OPEN)


def _found(context: Context) -> Answer:
    """Where a Trainer takes the devices that it finds: one where the launch shows it one."""
    visible = context.option(VISIBLE)
    if names_one(visible.value):
        return Excluded(Note(visible.at or launch_note(context).at, "the Trainer sees one device"))
    return Unclear(_OPEN)
