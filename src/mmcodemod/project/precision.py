"""Which precision the training arguments of a run ask for, as the Trainer compares it with DeepSpeed's JSON.

Source: transformers `integrations/deepspeed.py`, `trainer_config_process` (4.37.2, 5.23.0).
"""

from __future__ import annotations

from mmcodemod.model.context import Context
from mmcodemod.model.option import MISSING, UNKNOWN, Option
from mmcodemod.project.ds_arguments import argument
from mmcodemod.project.model import Project

# Either argument switches the precision on.
SWITCHES = {"fp16": ("fp16", "fp16_full_eval"), "bf16": ("bf16", "bf16_full_eval")}
_TRUE, _FALSE = ("yes", "true", "t", "y", "1"), ("no", "false", "f", "n", "0")  # HfArgumentParser


def precision_asked(project: Project, context: Context, name: str) -> Option:
    """Do the arguments switch "fp16" or "bf16" on? MISSING where their class does not show."""
    both = [_switch(argument(project, context, n)) for n in SWITCHES[name]]
    on = next((o for o in both if o.value is True), None)
    unknown = next((o for o in both if not o.known), None)
    return on or unknown or Option(False, both[0].at)


def _switch(found: Option) -> Option:
    text = str(found.value).lower()
    value = True if text in _TRUE else False if text in _FALSE else UNKNOWN
    if found.value is MISSING:
        return found
    return Option(value, found.at, found.note or "an argument that is neither true nor false")
