"""Runs whose launch keeps them out of the sharding that their code has: `if args.fsdp: model = FSDP(model)`,
without `--fsdp`. Must-analysis: their strategy is what the launch leaves, or the next that the code applies.
"""

from __future__ import annotations

from dataclasses import replace

from mmcodemod.facts.nodes import node_of
from mmcodemod.model.context import NOT_SET, Context, Strategy
from mmcodemod.model.finding import Problem
from mmcodemod.model.verdict import Excluded
from mmcodemod.project.comes_by import comes_by
from mmcodemod.project.isolation import isolated
from mmcodemod.project.judging import watched
from mmcodemod.project.model import Project
from mmcodemod.project.training import IN_CODE, Sharded, refine


def with_unsharded(project: Project, contexts: tuple[Context, ...]) -> tuple[Context, ...]:
    """The contexts, without the FSDP of the code that their launch switches off."""
    answers = project.judging.each(contexts, lambda context: _isolated(project, context))
    return tuple(c if left is None else _without(project, c, left) for c, left in answers)


def _isolated(project: Project, context: Context) -> list[Sharded] | None:
    """What crashes for one context leaves that as the code says."""

    def left_out(error: Exception) -> None:
        told = f"whether the launch shards is left out ({type(error).__name__}: {error})"
        project.problems.append(Problem(context.entry.path if context.entry else "", "analysis", told))

    return isolated(lambda: _left(project, context), left_out)


def _left(project: Project, context: Context) -> list[Sharded] | None:
    """The places to which the run may come, None where that are all."""
    if context.entry is None or context.strategy_from.note != IN_CODE:
        return None
    every = project.in_code.sharded(project.reach(context.entry))
    left = [place for place in every if _may_come(project, context, place)]
    return left if len(left) < len(every) else None


def _may_come(project: Project, context: Context, place: Sharded) -> bool:
    answer = comes_by(project, context, place.function, node_of(place.call))
    return not isinstance(answer, Excluded)


def _without(project: Project, context: Context, left: list[Sharded]) -> Context:
    """The context as its launch leaves it, with the sharding that is left."""
    said = next((c for c in project.launched if c.id == context.id), None)
    strategy, decided = (said.strategy, said.strategy_from) if said else (Strategy.UNKNOWN, NOT_SET)
    return watched(refine(replace(context, strategy=strategy, strategy_from=decided), left))
