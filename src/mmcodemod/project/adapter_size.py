"""How much the adapters of a run are: their rank, and modules that train as a whole beside them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TypeGuard

from mmcodemod.model.context import Context
from mmcodemod.project.few_trained import ADAPTERS, few_trained
from mmcodemod.project.model import Project
from mmcodemod.project.settings import Settings
from mmcodemod.project.stubs import is_stub

_RANKS = ("lora_r", "lora_rank", "use_llm_lora")  # options; InternVL's switch is the rank itself
# With 32 layers, adapters of this rank on two projections of each are as much as two weights of the model.
_WIDE = 64
_WHOLE_TOO = "modules_to_save"  # of peft's LoraConfig: modules that train as a whole beside the adapters


def narrow_adapters(project: Project, context: Context) -> bool:
    """Are adapters all that a run trains, and is their rank not seen to be large?"""
    few = few_trained(project, context)
    if few is None or few.note != ADAPTERS or _saves_named(project, context):
        return False
    given = [context.option(name).value for name in _RANKS if name in context.options]
    ranks = [v for v in given if _is_number(v)] or _ranks_in_code(project, context)
    return not ranks or any(not _is_number(v) or v < _WIDE for v in ranks)


def _is_number(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


def _ranks_in_code(project: Project, context: Context) -> list[object]:
    """What `LoraConfig(r=...)` of a run may be given."""
    settings = Settings(project, context)
    return [
        setting.value
        for value, function in _given(project, context, "r")
        for setting in settings.of(value, function)
    ]


def _given(project: Project, context: Context, name: str) -> Iterator[tuple[ast.expr, str]]:
    """The arguments `name` of `LoraConfig(...)` in code that a run reaches, with their functions."""
    reach = project.reach(context.entry) if context.entry else ()
    for facts in project.mentioning("LoraConfig"):
        if facts.id in reach and not is_stub(facts.id):
            for call in project.calls_of(facts.id, ("LoraConfig",)):
                yield from ((k.value, facts.id) for k in call.keywords if k.arg == name)


def _saves_named(project: Project, context: Context) -> bool:
    """Must: does the code itself name modules that train as a whole beside the adapters of a run?"""
    values = (value for value, _ in _given(project, context, _WHOLE_TOO))
    return any(isinstance(value, ast.List | ast.Tuple | ast.Set) and value.elts for value in values)


def saves_modules(project: Project, context: Context) -> bool:
    """May: do modules train as a whole beside the adapters of a run?"""
    values = (value for value, _ in _given(project, context, _WHOLE_TOO))
    return any(not (isinstance(value, ast.Constant) and value.value is None) for value in values)
