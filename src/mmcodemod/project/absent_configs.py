"""Launches that name a DeepSpeed configuration which is not in the tree. Their stage is a guess from the name
of the file; what only this guess decides stays open."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from mmcodemod.model.context import Context, Strategy
from mmcodemod.model.option import Option
from mmcodemod.model.verdict import Answer, Excluded
from mmcodemod.project.answers import doubted
from mmcodemod.project.deepspeed_config import GUESSED, STAGE
from mmcodemod.project.judging import watched
from mmcodemod.project.model import Project
from mmcodemod.project.refused import refused
from mmcodemod.project.stale_imports import stale
from mmcodemod.project.unread_configs import unread

Judge = Callable[[Context], Answer]


def judged(project: Project, contexts: Iterable[Context], judge: Judge) -> list[tuple[Context, Answer]]:
    """Every context with its answer: an open one where a guessed stage decides, which it does where no ZeRO
    would be safe, and where the launch imports what the tree no longer has or gives what is not taken."""
    answers = project.judging.each(contexts, judge)
    without = project.get(_without_zero)
    asked = [without[c.id] for c, a in answers if c.id in without and not isinstance(a, Excluded)]
    safe = {c.id for c, a in project.judging.each(asked, judge) if isinstance(a, Excluded)}
    told = [(c, doubted(a, _missing(c), plausible=False) if c.id in safe else a) for c, a in answers]
    return [(c, doubted(a, _dies(project, c), plausible=False)) for c, a in told]


def _dies(project: Project, context: Context) -> str:
    """What is open about a launch that dies before it comes anywhere; "" where nothing shows that."""
    return stale(project, context) or refused(project, context) or unread(project, context)


def _without_zero(project: Project) -> dict[str, Context]:
    """The contexts whose stage is a guess, by id, as they are when the file switches ZeRO off. Use through
    `project.get`."""
    guessed = [c for c in project.contexts if c.strategy_from.note == GUESSED]
    return {c.id: _switched_off(c) for c in guessed}


def _switched_off(context: Context) -> Context:
    off = Option(0, context.strategy_from.at, GUESSED)
    options = {**context.options, STAGE: off}
    return watched(replace(context, strategy=Strategy.DDP, strategy_from=off, options=options))


def _missing(context: Context) -> str:
    why = next((note for note in context.notes if note.startswith("the DeepSpeed configuration ")), GUESSED)
    return f"the stage of ZeRO: {why}"
