"""One training argument of a run of the Trainer, whoever makes the arguments: a parser, a constructor, or
code that stores it. Must-analysis: where these do not agree, it is UNKNOWN."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.facts.terms import is_name
from mmcodemod.knowledge.hf_deepspeed import is_parser_method
from mmcodemod.model.context import Context
from mmcodemod.model.option import MISSING, UNKNOWN, Option
from mmcodemod.project.ds_arguments import constructed_with
from mmcodemod.project.flags import PASSED_ON
from mmcodemod.project.model import Project
from mmcodemod.project.origins import Origins
from mmcodemod.project.own_words import set_by_own_words
from mmcodemod.project.reach import Reach
from mmcodemod.project.settings import Settings


def trainer_option(project: Project, context: Context, name: str) -> Option:
    """A training argument of a run: what the launch, a constructor or code says. MISSING where nothing sets
    it, UNKNOWN where something else may."""
    added = set_by_own_words(project, context, name)
    if added is not None:
        return Option(UNKNOWN, added)
    given = context.option(name)
    reach = project.reach(context.entry) if context.entry else None
    if given.at is not None:
        later = _stored_later(project, context, name, reach)
        return next((o for o in later if o.value != given.value), given)
    said = [o for f, o in _said(project, context, name) if reach is None or f in reach]
    if said:
        return said[0] if all(o.value == said[0].value for o in said) else Option(UNKNOWN, said[0].at)
    return Option(UNKNOWN if PASSED_ON in context.options else MISSING)


def _stored_later(project: Project, context: Context, name: str, reach: Reach | None) -> Iterator[Option]:
    """What code puts into the arguments that a parser has filled; open, since tests may stand before it."""
    for function, base, value in _stores(project, name):
        if (reach is None or function in reach) and _is_parsed(project, base, function):
            settings = Settings(project, context if context.entry else None)
            found = _one(project, settings, value, function)
            yield Option(UNKNOWN, found.at) if found.value is not context.option(name).value else found


def _is_parsed(project: Project, base: ast.expr, function: str) -> bool:
    """Does it come from a parser of TrainingArguments?"""
    calls = (_call(origin.expr) for origin in Origins(project).of(base, function))
    return any(isinstance(c.func, ast.Attribute) and is_parser_method(c.func.attr) for c in calls if c)


def _call(expr: ast.expr) -> ast.Call | None:
    """The call in `parse()` and `parse()[0]`."""
    inner = expr.value if isinstance(expr, ast.Subscript) else expr
    return inner if isinstance(inner, ast.Call) else None


def _said(project: Project, context: Context, name: str) -> Iterator[tuple[str, Option]]:
    """What constructors are given, and what code stores: `args.name = False`."""
    settings = Settings(project, context if context.entry else None)
    for function, value in constructed_with(project, name):
        yield function, _one(project, settings, value, function)
    for function, _, value in _stores(project, name):
        yield function, _one(project, settings, value, function)


def _stores(project: Project, name: str) -> Iterator[tuple[str, ast.expr, ast.expr]]:
    """(function, base, value) of `base.name = value`, where an object does not do it to itself."""
    for facts in project.mentioning(f".{name} ="):
        stored = any(s.attr == name and not is_name(s.base, "self") for s in facts.body.stores)
        for store in project.resolver.body(facts.id).stores if stored else ():
            own = isinstance(store.base, ast.Name) and store.base.id == "self"
            if store.attr == name and not own:
                yield facts.id, store.base, store.value.expr


def _one(project: Project, settings: Settings, value: ast.expr, function: str) -> Option:
    values = {s.value for s in settings.of(value, function)}
    at = project.place(function.partition("::")[0], value)
    only = values.pop() if len(values) == 1 else UNKNOWN
    return Option(only if only is None or isinstance(only, bool) else UNKNOWN, at)
