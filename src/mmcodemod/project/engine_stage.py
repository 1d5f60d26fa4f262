"""What DeepSpeed's engine says of its own ZeRO stage.

Source: deepspeed/runtime/engine.py of 0.9.5 and 0.19.3: `zero_optimization_stage()` gives the stage of the
configuration.
"""

from __future__ import annotations

import ast

from mmcodemod.model.context import Context, Strategy
from mmcodemod.model.option import Option

_ASKS = "zero_optimization_stage"
_STAGES = {Strategy.ZERO1: 1, Strategy.ZERO2: 2, Strategy.ZERO3: 3}


def engine_stage(context: Context | None, call: ast.Call) -> Option | None:
    """What `engine.zero_optimization_stage()` gives in a context; None for other calls, and where no stage
    shows."""
    asks = isinstance(call.func, ast.Attribute) and call.func.attr == _ASKS and not call.args
    stage = _STAGES.get(context.strategy) if asks and context is not None else None
    return Option(stage, context.strategy_from.at) if context is not None and stage is not None else None
