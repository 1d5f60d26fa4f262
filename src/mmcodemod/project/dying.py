"""Launches that die before they train, as the tree stands: what is found in them is a note that tells it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mmcodemod.model.context import Context
from mmcodemod.model.verdict import Answer, Excluded
from mmcodemod.project.answers import doubted
from mmcodemod.project.death import Death
from mmcodemod.project.model import Project
from mmcodemod.project.refused import refused
from mmcodemod.project.refused_batches import refused_batch
from mmcodemod.project.refused_calls import dies_calling
from mmcodemod.project.stale_imports import stale
from mmcodemod.project.unbound_imports import unbound
from mmcodemod.project.undefined_arguments import undefined
from mmcodemod.project.unread_configs import unread

_QUESTIONS = (stale, unbound, refused, unread, undefined, dies_calling, refused_batch)


def dies(project: Project, context: Context) -> Death | None:
    """How a launch dies before it trains; None when nothing shows that."""
    memo = project.get(_memo)
    if context.id not in memo:
        memo[context.id] = next(
            (death for ask in _QUESTIONS if (death := _asked(ask, project, context))), None
        )
    return memo[context.id]


def _asked(
    ask: Callable[[Project, Context], Death | None], project: Project, context: Context
) -> Death | None:
    """The answer; none of code that is nested too deep to walk: every rule asks, and none may crash of it."""
    try:
        return ask(project, context)
    except RecursionError:
        return None


def _memo(project: Project) -> dict[str, Death | None]:
    return {}


def outlived(
    project: Project,
    answers: Sequence[tuple[Context, Answer]],
    ends: Callable[[Project, Context], Death | None] = dies,
) -> list[tuple[Context, Answer]]:
    """The answers, an open one for each run that ends before; nobody asks how a safe run ends."""
    return [(c, a if isinstance(a, Excluded) else _outlived(a, ends(project, c))) for c, a in answers]


def _outlived(answer: Answer, death: Death | None) -> Answer:
    return doubted(answer, death.fact, plausible=False) if death else answer
