"""Optimizers whose step stays small whatever the gradients are: Adam and its like divide them by their own
size, so that a weight moves by about the learning rate. Must-analysis: the optimizer and its rate show."""

from __future__ import annotations

import ast

from mmcodemod.facts.syntax import walk
from mmcodemod.model.context import Context
from mmcodemod.model.pattern import regex
from mmcodemod.project import trained
from mmcodemod.project.model import Project
from mmcodemod.project.origins import Origin
from mmcodemod.project.settings import Settings

SMALL = 1e-5  # learning rate; recipes for training transformers use 1e-5 to 1e-3
_ADAM = regex(r"\w*(Adam|Adan|Lamb|LAMB)\w*")


def small_steps(project: Project, context: Context, optimizer: ast.expr, function: str) -> float | None:
    """The learning rate of an optimizer like Adam, where it is below SMALL in this run; else None."""
    built = trained.builders(project, optimizer, function)
    rates = [_rate(project, context, b) for b in built]
    known = [rate for rate in rates if rate is not None]
    return max(known) if known and len(known) == len(rates) and max(known) < SMALL else None


def _rate(project: Project, context: Context, built: Origin) -> float | None:
    """The highest learning rate that one call gives to an optimizer like Adam."""
    call = built.expr
    if not isinstance(call, ast.Call) or _by_group(call):
        return None
    names = trained.makers(project, built)
    given = [k.value for k in call.keywords if k.arg == "lr"] or call.args[1:2]
    if not given or not any(_ADAM.fullmatch(name.rpartition(".")[2]) for name in names):
        return None
    values = [s.value for s in Settings(project, context).of(given[0], built.function)]
    rates = [v for v in values if isinstance(v, int | float) and not isinstance(v, bool)]
    return float(max(rates)) if rates and len(rates) == len(values) else None


def _by_group(call: ast.Call) -> bool:
    """Do the groups of parameters bring learning rates of their own?"""
    return any(isinstance(n, ast.Constant) and n.value == "lr" for n in walk(call))
