"""Launches that come past a place that is fatal for others: whose run it is, and the line that spares it."""

from __future__ import annotations

from collections.abc import Sequence

from mmcodemod.model.context import Context, Origin, Strategy
from mmcodemod.model.finding import Spared
from mmcodemod.model.place import Place
from mmcodemod.model.verdict import Answer, Excluded


def spared_launches(answers: Sequence[tuple[Context, Answer]]) -> tuple[Spared, ...]:
    """The launches of several processes that are excluded; one process waits for nobody."""
    return tuple(
        Spared(context.id, command(context, context.launcher), answer.why)
        for context, answer in answers
        if isinstance(answer, Excluded)
        and context.launcher is not None
        and context.origin is Origin.LAUNCHED
        and context.strategy is not Strategy.SINGLE
    )


def command(context: Context, launcher: Place) -> Place:
    """The lines of a launch: from its first word to the last of its options."""
    own = [o.at for o in context.options.values() if o.at and o.at.path == launcher.path]
    last = max((at.last_line for at in own if at.line >= launcher.line), default=launcher.last_line)
    end = max(last, launcher.last_line)
    return launcher if end == launcher.last_line else Place(launcher.path, launcher.line, 1, end, 1)
