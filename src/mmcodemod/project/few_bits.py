"""Models that transformers quantises as it loads them are never built in zero.Init. Read in four releases:
4.29.2 and 4.37.1 refuse them under ZeRO-3, 4.49.0 and 5.23.0 load them whole (`modeling_utils.py`)."""

from __future__ import annotations

import ast

from mmcodemod.model.context import Context
from mmcodemod.model.finding import Note
from mmcodemod.model.verdict import Answer, Excluded, Fatal, Unclear
from mmcodemod.project.adapters import quantized
from mmcodemod.project.model import Project
from mmcodemod.project.settings import truths

_ASKS = ("load_in_4bit", "load_in_8bit", "quantization_config")


def in_full_bits(project: Project, context: Context, call: ast.Call, function: str) -> Answer:
    """Does a run load this model without quantising it? Excluded where the call always does, unclear where a
    value that does not show, or a flag of the run beside `**keywords`, may."""
    path = function.partition("::")[0]
    for keyword in call.keywords:
        if keyword.arg in _ASKS and (may := truths(project, context, keyword.value, function)) != {False}:
            note = Note(project.place(path, keyword.value), f"{keyword.arg}: the weights are quantised")
            open_fact = Unclear(f"whether {keyword.arg} is given", plausible=False)
            return open_fact if False in may else Excluded(note)
    flag = quantized(context) if any(k.arg is None for k in call.keywords) else None
    if flag is not None:
        return Unclear(f"whether the model is quantised ({flag.at})", plausible=False)
    return Fatal()
