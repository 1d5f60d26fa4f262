"""Contexts whose arguments come from a file that the tree does not have."""

from __future__ import annotations

from dataclasses import replace

from mmcodemod.model.context import Context, Strategy
from mmcodemod.model.option import UNKNOWN, Option
from mmcodemod.model.place import Place
from mmcodemod.project.flags import PASSED_ON


def left_open(context: Context, at: Place, told: str) -> Context:
    """The context in which what nothing else says is not known; `told` says why, in its notes, too. A launch
    that shards by itself keeps its strategy."""
    options = {PASSED_ON: Option(UNKNOWN, at, told), **context.options}
    found = replace(context, options=options, notes=(*context.notes, told))
    if context.strategy not in (Strategy.SINGLE, Strategy.DDP):
        return found
    return replace(found, strategy=Strategy.UNKNOWN, strategy_from=Option(UNKNOWN, at, told))
