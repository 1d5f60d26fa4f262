"""Which side of a test a launch surely takes. Must-analysis over what the launch gives its program; a test on
the rank counts where the main rank decides it."""

from __future__ import annotations

import ast

from mmcodemod.facts.syntax import walk
from mmcodemod.model.context import Context
from mmcodemod.project.argument_writers import is_stored
from mmcodemod.project.callsites import CallSites
from mmcodemod.project.declared_flags import declared
from mmcodemod.project.model import Project
from mmcodemod.project.namespace_stores import only_constants
from mmcodemod.project.parts_of_tests import parts_of
from mmcodemod.project.settings import Settings, truths
from mmcodemod.project.sides import Side, Sides


def lets_in(project: Project, context: Context, function: str, test: ast.expr, outcome: bool) -> bool:
    """Does the launch decide a test so, or the main rank take that side?"""
    return all(_decided(project, context, function, p, outcome) for p in parts_of(test, outcome))


def _decided(project: Project, context: Context, function: str, part: ast.expr, outcome: bool) -> bool:
    if truths(project, context, part, function) != {outcome}:
        return _on_main(project, function, part, outcome)
    read = Settings(project, context).read_by(part, function)
    methods = {id(n.func) for n in walk(part) if isinstance(n, ast.Call)}
    asked = {n.attr for n in walk(part) if isinstance(n, ast.Attribute) and id(n) not in methods}
    flags = {s.flag for s in read if s.flag}
    hidden = any(_by_other_name(project, context, flag) for flag in flags)
    put = (n for n in asked | flags if is_stored(project, n, context.entry))
    return not hidden and all(only_constants(project, n, context.entry) for n in put)


def _by_other_name(project: Project, context: Context, flag: str) -> bool:
    """May the launch give an option by its short name, or by the beginning of its name?"""
    if context.option(flag).at is not None:
        return False
    calls = (call for call, _ in declared(project, flag))
    texts = {str(a.value).lstrip("-") for call in calls for a in call.args if isinstance(a, ast.Constant)}
    return any(text.replace("-", "_").startswith(name) for text in {flag, *texts} for name in context.options)


def _on_main(project: Project, function: str, part: ast.expr, outcome: bool) -> bool:
    """Does the main rank come to the outcome, in every way in which the function is called?"""
    sides, sites = project.get(Sides), project.get(CallSites)
    wanted = Side.MAIN if outcome else Side.OTHERS
    return all(sides.of(sites.form(part, f), f) is wanted for f in project.frames(function))
