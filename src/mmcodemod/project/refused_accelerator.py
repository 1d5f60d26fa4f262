"""Launches that die while the `Trainer` is made, because the required release of transformers hands the
`Accelerator` a keyword that the required release of accelerate does not take."""

from __future__ import annotations

from mmcodemod.knowledge.transformers_gates import KEYWORDS_GONE, KEYWORDS_HANDED
from mmcodemod.model.context import Context, Origin
from mmcodemod.model.place import Place
from mmcodemod.project import versions
from mmcodemod.project.death import Death, dead_at
from mmcodemod.project.model import Project
from mmcodemod.project.stated_versions import all_below
from mmcodemod.project.stubs import MODELS, is_stub

_MADE = f"{MODELS}/transformers.py::Trainer.__init__"


def refused_accelerator(project: Project, context: Context) -> Death | None:
    """How such a launch dies; None when nothing shows that."""
    if context.entry is None or context.origin is not Origin.LAUNCHED or context.entry.library:
        return None
    first, end = KEYWORDS_HANDED
    handed = (
        all_below(project, context, "transformers", first) is False
        and all_below(project, context, "transformers", end) is True
        and all_below(project, context, "accelerate", KEYWORDS_GONE) is False
    )
    at = _made(project, context) if handed else None
    return dead_at(at, "TypeError", _why(context)) if at is not None else None


def _made(project: Project, context: Context) -> Place | None:
    """Where the run makes its Trainer."""
    assert context.entry is not None
    reach = project.reach(context.entry)
    callers = (e for e in project.callers(_MADE) if e.site is not None and e.caller.function in reach)
    own = sorted((e.caller.function, e.line) for e in callers if not is_stub(e.caller.function))
    return Place(own[0][0].partition("::")[0], own[0][1]) if own else None


def _why(context: Context) -> str:
    """Both requirements, and what they do together."""
    named = (context.dependencies[name] for name in ("transformers", "accelerate"))
    given, taken = (versions.stated(d) + (f" ({d.at})" if d.at else "") for d in named)
    return f"{given} hands `Accelerator` the keyword `dispatch_batches`, which {taken} does not take"
