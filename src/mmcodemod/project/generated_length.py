"""Does a `generate` ask for texts of one length? Must-analysis: every configuration it may get has to."""

from __future__ import annotations

import ast

from mmcodemod.project.model import Project
from mmcodemod.project.origins import Origins
from mmcodemod.project.spread_display import spread_entries

CONFIG = "GenerationConfig"
_PAIRS = (("min_new_tokens", "max_new_tokens"), ("min_length", "max_length"))


def of_one_length(project: Project, call: ast.Call, function: str) -> bool:
    """`min_new_tokens` equal to `max_new_tokens`, or `min_length` to `max_length`: among what the call is
    given by name, or in the `generation_config` that this goes over."""
    facts = project.index.function(function)
    spread = spread_entries(project, facts, call) or {}
    own = {name: ast.dump(value) for name, value in spread.items()} | _given(call)
    if _is_fixed(own):
        return True
    config = next((k.value for k in call.keywords if k.arg == "generation_config"), None)
    made = [o.expr for o in Origins(project).of(config, function)] if config is not None else []
    return bool(made) and all(_makes(expr) and _is_fixed({**_given(expr), **own}) for expr in made)


def _makes(expr: ast.expr) -> bool:
    """`GenerationConfig(...)`"""
    name = getattr(expr.func, "attr", getattr(expr.func, "id", "")) if isinstance(expr, ast.Call) else ""
    return name == CONFIG


def _given(expr: ast.expr) -> dict[str, str]:
    """What a call is given by name, as text."""
    keywords = expr.keywords if isinstance(expr, ast.Call) else []
    return {k.arg: ast.dump(k.value) for k in keywords if k.arg}


def _is_fixed(given: dict[str, str]) -> bool:
    return any(low in given and given[low] == given.get(high) for low, high in _PAIRS)
