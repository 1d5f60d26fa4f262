"""What evaluation during training does: does it generate text, and with whole parameters?"""

from __future__ import annotations

from mmcodemod.model.context import Context, Entry
from mmcodemod.model.option import MISSING, Option
from mmcodemod.model.place import Place
from mmcodemod.project.ds_arguments import argument
from mmcodemod.project.model import Project
from mmcodemod.project.stubs import MODELS

_STEP = f"{MODELS}/transformers.py::Seq2SeqTrainer.prediction_step"
_GATHERS = ("unwrap_model_for_generation", "GatheredParameters", "summon_full_params")
_STEPS = ("prediction_step", "evaluate", "evaluation_loop", "predict")


def generates(project: Project, entry: Entry) -> bool:
    """May: does the Seq2SeqTrainer evaluate in this run?"""
    return _STEP in project.reach(entry)


def gathers(project: Project, entry: Entry) -> Place | None:
    """May: where code of the tree that evaluates gathers whole parameters before it generates."""
    reach = project.reach(entry)
    found = [
        project.place(facts.path, call)
        for facts in project.mentioning(*_GATHERS)
        if facts.name in _STEPS and facts.id in reach
        for call in project.calls_of(facts.id, _GATHERS)
    ]
    return min(found, default=None)


def evaluates(project: Project, context: Context) -> bool:
    """May: do the arguments of a run ask for an evaluation, during training or after it?"""
    names = ("eval_strategy", "evaluation_strategy", "do_eval", "do_predict")
    return any(_given(project, context, name).value not in (MISSING, False, "no") for name in names)


def _given(project: Project, context: Context, name: str) -> Option:
    given = context.option(name)
    return given if given.at is not None else argument(project, context, name)
