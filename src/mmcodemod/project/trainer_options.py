"""One training argument of a run of the Trainer, whoever makes the arguments: a parser, a constructor, or
code that stores it. Must-analysis: where these do not agree, it is UNKNOWN."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.facts.terms import is_name
from mmcodemod.model.context import Context
from mmcodemod.model.option import MISSING, UNKNOWN, Option
from mmcodemod.project.ds_arguments import constructed_with
from mmcodemod.project.flags import PASSED_ON
from mmcodemod.project.model import Project
from mmcodemod.project.settings import Settings


def trainer_option(project: Project, context: Context, name: str) -> Option:
    """A training argument of a run: what the launch, a constructor or code says. MISSING where nothing sets
    it, UNKNOWN where something else may."""
    given = context.option(name)
    if given.at is not None:
        return given
    reach = project.reach(context.entry) if context.entry else None
    said = [o for f, o in _said(project, context, name) if reach is None or f in reach]
    if said:
        return said[0] if all(o.value == said[0].value for o in said) else Option(UNKNOWN, said[0].at)
    return Option(UNKNOWN if PASSED_ON in context.options else MISSING)


def _said(project: Project, context: Context, name: str) -> Iterator[tuple[str, Option]]:
    """What constructors are given, and what code stores: `args.name = False`."""
    settings = Settings(project, context if context.entry else None)
    for function, value in constructed_with(project, name):
        yield function, _one(project, settings, value, function)
    for facts in project.mentioning(f".{name} ="):
        stored = any(s.attr == name and not is_name(s.base, "self") for s in facts.body.stores)
        for store in project.resolver.body(facts.id).stores if stored else ():
            own = isinstance(store.base, ast.Name) and store.base.id == "self"
            if store.attr == name and not own:
                yield facts.id, _one(project, settings, store.value.expr, facts.id)


def _one(project: Project, settings: Settings, value: ast.expr, function: str) -> Option:
    values = {s.value for s in settings.of(value, function)}
    at = project.place(function.partition("::")[0], value)
    only = values.pop() if len(values) == 1 else UNKNOWN
    return Option(only if only is None or isinstance(only, bool) else UNKNOWN, at)
