"""Launches that die before they train, as the tree stands: what is found in them is a note that tells it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from mmcodemod.model.context import Context, Origin
from mmcodemod.model.verdict import Answer, Excluded
from mmcodemod.project.answers import doubted
from mmcodemod.project.bare_folders import from_bare_folder
from mmcodemod.project.bare_siblings import bare_sibling
from mmcodemod.project.compared_values import mismatched
from mmcodemod.project.death import Death
from mmcodemod.project.doubled_groups import doubled_group
from mmcodemod.project.drifted_imports import drifted
from mmcodemod.project.failed_asserts import failed_assert
from mmcodemod.project.git_ignored import ignored_by
from mmcodemod.project.interpreters import interpreter
from mmcodemod.project.left_behind import left_behind
from mmcodemod.project.loudness import is_loud
from mmcodemod.project.misplaced_configs import misplaced
from mmcodemod.project.missing_keys import lacking
from mmcodemod.project.model import Project
from mmcodemod.project.moved_files import moved
from mmcodemod.project.nowhere import nowhere
from mmcodemod.project.of_another import is_of_another
from mmcodemod.project.older_library import older
from mmcodemod.project.older_within import older_within
from mmcodemod.project.outnumbered import outnumbered
from mmcodemod.project.refused import refused
from mmcodemod.project.refused_accelerator import refused_accelerator
from mmcodemod.project.refused_batches import refused_batch
from mmcodemod.project.refused_calls import dies_calling
from mmcodemod.project.set_aside import set_aside
from mmcodemod.project.unbound_imports import loading, loading_alone
from mmcodemod.project.unbound_names import unbound_name
from mmcodemod.project.undeclared_fields import undeclared
from mmcodemod.project.undefined_arguments import undefined
from mmcodemod.project.unknown_architectures import unknown_architecture
from mmcodemod.project.unplaced_imports import unplaced
from mmcodemod.project.unread_configs import unread
from mmcodemod.project.unset_options import unset
from mmcodemod.project.unset_variables import without_rank
from mmcodemod.project.unused_flags import unused
from mmcodemod.project.wrapped_reads import wrapped_read

_Question = Callable[[Project, Context], Death | None]
_EARLY = (
    *(interpreter, loading, nowhere, loading_alone, from_bare_folder, unplaced, bare_sibling),
    *(left_behind, older),
)
_LATER = (
    *(refused, unused, unread, misplaced, unbound_name, undefined, undeclared, lacking),
    *(wrapped_read, dies_calling, refused_batch, unset, failed_assert, outnumbered, doubled_group),
    *(refused_accelerator, mismatched, moved, unknown_architecture, older_within, without_rank),
)


def dies(project: Project, context: Context) -> Death | None:
    """How a launch dies before it trains; None when nothing shows that."""
    memo = project.get(_memo)
    if context.id not in memo:
        memo[context.id] = None if is_of_another(project, context) else _first(project, context)
    return memo[context.id]


def dies_untold(project: Project, context: Context) -> Death | None:
    """The same without what a rule of its own tells: for the rules that tell how a run ends."""
    death = dies(project, context)
    return None if death is None or death.rule else death


def _first(project: Project, context: Context) -> Death | None:
    """What ends the run first, and whether somebody may have what it lacks all the same."""
    death = _ending(project, context)
    ignored = ignored_by(project, death.lacks) if death and death.sure and death.lacks else None
    if death is None or ignored is None:
        return death
    fact = f"whether {death.lacks} is there, which {ignored} keeps out of version control"
    return replace(death, fact=fact, sure=False, kept=True)


def _ending(project: Project, context: Context) -> Death | None:
    """What ends the run first; it is not sure to be the first where an import may fail before."""
    death = _told(project, context, _EARLY)
    if death is None and (death := _told(project, context, _LATER)):
        return replace(death, sure=death.sure and not drifted(project, context))
    return death


def _told(project: Project, context: Context, questions: Sequence[_Question]) -> Death | None:
    return next((death for ask in questions if (death := _asked(ask, project, context))), None)


def _asked(ask: _Question, project: Project, context: Context) -> Death | None:
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
    ends: _Question = dies,
) -> list[tuple[Context, Answer]]:
    """The answers, an open one for each run that ends before, and for each that the tree has set aside;
    nobody asks how a run ends that is safe, or that nothing launches and whose finding is a note anyway."""
    return [(c, _outlived(a, c, ends(project, c)) if _matters(c, a) else a) for c, a in answers]


def _matters(context: Context, answer: Answer) -> bool:
    launched = context.origin is Origin.LAUNCHED and not isinstance(answer, Excluded)
    return launched or is_loud(context, answer)


def _outlived(answer: Answer, context: Context, death: Death | None) -> Answer:
    facts = (death.fact if death else "", set_aside(context))
    for fact in facts:
        answer = doubted(answer, fact, plausible=False)
    return answer
