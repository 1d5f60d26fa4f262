"""Do the Trainers of Lightning in a run shard the parameters by ZeRO-3? May-analysis of their strategies.

pytorch_lightning 2.4 (strategies/deepspeed.py): the names `deepspeed_stage_3...` ask for stage 3, `deepspeed`
and `DeepSpeedStrategy()` alone for stage 2.
"""

from __future__ import annotations

import ast

from mmcodemod.facts.definitions import bare_name
from mmcodemod.knowledge.lightning_saves import BY_DEEPSPEED, BY_FSDP, CLASSES
from mmcodemod.model.context import Context
from mmcodemod.model.finding import Note
from mmcodemod.model.verdict import Answer, Excluded, Fatal, Unclear
from mmcodemod.project.lightning_makers import Maker, makers_of, making, strategy
from mmcodemod.project.model import Project
from mmcodemod.project.settings import Settings

_STAGE_3 = "deepspeed_stage_3"
_SHARDING = ("deepspeed", "DeepSpeed", "fsdp", "FSDP")  # words of code that may choose such a strategy
_OPEN = "whether Lightning's strategy shards the parameters"
_UNITS = "whether FSDP wraps this part of the model, which gathers by itself then"


def zero3_by_lightning(project: Project, context: Context) -> Answer:
    """Fatal where all Trainers of a run use ZeRO-3, excluded where none shards."""
    answers = [_stage(project, context, maker) for maker in makers_of(making(project, context))]
    kinds = {answer.__class__ for answer in answers}
    return answers[0] if len(kinds) == 1 else Unclear(_OPEN)


def _stage(project: Project, context: Context, maker: Maker) -> Answer:
    kind, told = strategy(project, context, [maker])
    at = told or project.place(maker.function.partition("::")[0], maker.call)
    if kind == BY_FSDP:
        return Unclear(_UNITS)
    if kind is None and any(True for _ in project.mentioning(*_SHARDING)):
        return Unclear(_OPEN)
    if kind != BY_DEEPSPEED:
        return Excluded(Note(at, "this strategy shards no parameters"))
    return _of_deepspeed(project, context, maker, Note(at, "the strategy here is ZeRO-3"))


def _of_deepspeed(project: Project, context: Context, maker: Maker, why: Note) -> Answer:
    given = next(k.value for k in maker.call.keywords if k.arg == "strategy")
    settings = Settings(project, context if context.entry else None)
    calls = [o.expr for o in settings.origins(given, maker.function) if isinstance(o.expr, ast.Call)]
    made = [call for call in calls if bare_name(call.func) in CLASSES]
    if made:
        third = {_asks(settings, call, maker.function) for call in made}
    else:
        third = {str(s.value).startswith(_STAGE_3) for s in settings.of(given, maker.function)}
    if third == {True}:
        return Fatal(why)
    return Excluded(Note(why.at, "this stage shards no parameters")) if third == {False} else Unclear(_OPEN)


def _asks(settings: Settings, call: ast.Call, function: str) -> bool | None:
    """Does `DeepSpeedStrategy(...)` ask for stage 3? None where a configuration says, or it does not show."""
    given = {k.arg: k.value for k in call.keywords}
    if call.args or {"config", None} & given.keys():
        return None
    stages = {s.value for s in settings.of(given["stage"], function)} if "stage" in given else {2}
    return stages == {3} if len(stages) == 1 and stages <= {0, 1, 2, 3} else None
