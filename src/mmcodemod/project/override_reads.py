"""`cfg.train.strategy`, where the launch gives that key of the configuration (project/overrides.py)."""

from __future__ import annotations

import ast
from collections.abc import Callable

from mmcodemod.facts.syntax import unparse
from mmcodemod.model.context import Context
from mmcodemod.model.option import Option
from mmcodemod.project.config_reads import changed
from mmcodemod.project.flags import PASSED_ON
from mmcodemod.project.model import Project
from mmcodemod.project.origins import Origin
from mmcodemod.project.overrides import GIVEN, override_of

READERS = ("hydra", "omegaconf", "OmegaConf")


def overridden(
    project: Project, context: Context | None, expr: ast.Attribute, bases: Callable[[], list[Origin]]
) -> tuple[str, Option] | None:
    """The key that an attribute reads, and what the launch gives for it: under the name that stands there,
    else under the one that all `bases` have, where the object comes from. None where code may change it."""
    if context is None or context.entry is None or not _reads(project, context):
        return None
    if changed(project, expr.attr, project.reach(context.entry)):
        return None
    own = override_of(context, unparse(expr))
    if own is not None:
        return own
    names = (o.expr for o in bases())
    found = {override_of(context, f"{unparse(n)}.{expr.attr}") for n in names}
    return found.pop() if len(found) == 1 else None


def _reads(project: Project, context: Context) -> bool:
    """Does the launch give overrides, and no words that do not show, to code that reads such?"""
    given = context.option(GIVEN).at is not None  # one option, not all: runs that are alike share answers
    return given and not context.option(PASSED_ON).at and any(True for _ in project.mentioning(*READERS))
