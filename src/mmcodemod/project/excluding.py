"""Why none of several runs is affected: one reason for all, or each with the runs that it holds for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mmcodemod.model.context import Context
from mmcodemod.model.finding import Note
from mmcodemod.model.verdict import Answer, Excluded

MOST = 3  # notes of a dismissal
NAMED = 2  # runs named before a reason


def why_excluded(answers: Sequence[tuple[Context, Answer]]) -> tuple[str, tuple[Note, ...]]:
    """The reason and the evidence, "" when no answer excludes. One text is the reason of all; where the runs
    have different ones, each note begins with its runs."""
    runs: dict[str, list[str]] = {}
    notes: dict[Note, None] = {}
    for context, answer in answers:
        if isinstance(answer, Excluded):
            runs.setdefault(answer.why.note, []).append(context.id)
            notes.setdefault(answer.why)
    if len(runs) < 2:
        return next(iter(runs), ""), tuple(notes)[:MOST]
    first = {note.note: note for note in reversed(notes)}
    told = [replace(first[text], note=f"{_listed(ids)}: {text}") for text, ids in runs.items()]
    more = f", {len(told) - MOST} more not named" if len(told) > MOST else ""
    return f"the runs have different reasons{more}", tuple(told[:MOST])


def _listed(ids: list[str]) -> str:
    once = list(dict.fromkeys(ids))
    rest = f" (+{len(once) - NAMED})" if len(once) > NAMED else ""
    return ", ".join(once[:NAMED]) + rest
