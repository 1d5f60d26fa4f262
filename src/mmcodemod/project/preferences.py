"""Runs whose loss compares two answers of which one is preferred (DPO and its like): the logarithm of a
sigmoid of a difference. Where no label is left, the difference is 0 and the loss is log 2, neither 0 nor NaN.
By the place where code computes it, or trl's trainer that does. May-analysis.

Source: `DPOTrainer.dpo_loss` of trl (trl/trainer/dpo_trainer.py).
"""

from __future__ import annotations

from mmcodemod.model.context import Context
from mmcodemod.model.finding import Note
from mmcodemod.model.pattern import regex
from mmcodemod.project.model import Project
from mmcodemod.project.stubs import MODELS

_LIBRARY = (f"{MODELS}/trl.py::DPOTrainer.__init__",)
TOLD = "the loss compares two answers"
CALLS = ("logsigmoid", "LogSigmoid")
_ANSWERS = regex(rb"reject|worse|loser?_|ref(erence)?_")


def preference_loss(project: Project, context: Context) -> Note | None:
    """Where a run computes it, or calls the trainer that does."""
    if context.entry is None:
        return None
    reach = project.reach(context.entry)
    own = next((note for function, note in project.get(preferring) if function in reach), None)
    if own is not None:
        return own
    path = next((reach.path(name) for name in _LIBRARY if name in reach), [])
    makes = [e for e in path if e.site is not None and not e.caller.function.startswith(MODELS)]
    if not makes:
        return None
    at = project.place(makes[-1].caller.function.partition("::")[0], makes[-1].call)
    return Note(at, TOLD)


def preferring(project: Project) -> list[tuple[str, Note]]:
    """The functions of the tree that compute it, each with the line. Use through `project.get`."""
    return [
        (facts.id, Note(project.place(facts.path, call), TOLD))
        for facts in project.mentioning(*CALLS)
        if facts.id in project.trained and _ANSWERS.search(project.source(facts))
        for call in project.calls_of(facts.id, CALLS)[:1]
    ]
