"""Launches that die because the program asks its arguments for something that no option, and no other line
of the tree, defines: `AttributeError: 'Namespace' object has no attribute`. Must-analysis (see
strict_parsers, argument_reads, argument_writers)."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.model.context import Context, Origin
from mmcodemod.project.argument_reads import ArgumentReads, Read
from mmcodemod.project.argument_writers import by_libraries, is_hidden, is_put
from mmcodemod.project.callsites import CallSites
from mmcodemod.project.death import Death, dead_at
from mmcodemod.project.declared_flags import declared
from mmcodemod.project.model import Project
from mmcodemod.project.parts_of_tests import parts_of
from mmcodemod.project.settings import Settings, truths
from mmcodemod.project.sides import Side, Sides
from mmcodemod.project.strict_parsers import Parser, parser_file, strict_parser

_OF_OBJECTS = frozenset(dir(object()))


def undefined(project: Project, context: Context) -> Death | None:
    """How a launch dies that asks for an argument which nobody defines; None when nothing shows that."""
    if context.entry is None or context.origin is not Origin.LAUNCHED or context.entry.library:
        return None
    memo = project.get(_memo)
    key = f"{context.entry.path}::{context.entry.symbol}"
    if key not in memo:
        memo[key] = _candidates(project, context)
    for read in memo[key]:
        if all(_lets_in(project, context, *condition) for condition in read.conditions):
            return _told(project, read)
    return None


def _memo(project: Project) -> dict[str, list[Read]]:
    return {}


def _told(project: Project, read: Read) -> Death:
    at = project.place(read.function.partition("::")[0], read.node)
    return dead_at(at, "AttributeError", f"no option of the parser defines `{ast.unparse(read.node)}`")


def _candidates(project: Project, context: Context) -> list[Read]:
    """What the entry reads, under some tests, and no option defines."""
    assert context.entry is not None
    path = parser_file(project, context.entry) if context.entry.symbol == "<module>" else ""
    parser = strict_parser(project, path) if path else None
    if parser is None or parser.attributes is None or not _of_argparse(project, path):
        return []
    found = ArgumentReads(project, context.entry.path, parser.parses, path)
    reads = [r for r in found.reads if _is_missing(project, parser, r.node.attr)] if found.trained else []
    return reads if reads and not any(_hiding(project, context)) else []


def _of_argparse(project: Project, path: str) -> bool:
    """Is it the standard library's parser, by whatever name?"""
    facts = project.index.files[path]
    bound = {i.bound for i in facts.imports if i.module == "argparse" and not i.level}
    made = [n for n in ast.walk(facts.tree) if isinstance(n, ast.Call) and _is_parser(n.func)]
    return all(ast.unparse(call.func).partition(".")[0] in bound for call in made)


def _is_parser(func: ast.expr) -> bool:
    return getattr(func, "attr", getattr(func, "id", "")) == "ArgumentParser"


def _is_missing(project: Project, parser: Parser, name: str) -> bool:
    known = parser.attributes is None or name in parser.attributes or name in _OF_OBJECTS
    return not (known or name.startswith("_") or by_libraries(name) or is_put(project, name))


def _hiding(project: Project, context: Context) -> Iterator[bool]:
    """Does some file that the run loads store under names that do not show?"""
    assert context.entry is not None
    files = {function.partition("::")[0] for function in project.reach(context.entry).functions}
    own = files & set(project.index.python_files)
    yield from (is_hidden(project, path) for path in sorted(own))


def _lets_in(project: Project, context: Context, function: str, test: ast.expr, outcome: bool) -> bool:
    """Does the launch decide a test so, or the main rank take that side?"""
    return all(_decided(project, context, function, p, outcome) for p in parts_of(test, outcome))


def _decided(project: Project, context: Context, function: str, part: ast.expr, outcome: bool) -> bool:
    if truths(project, context, part, function) != {outcome}:
        return _on_main(project, function, part, outcome)
    read = Settings(project, context).read_by(part, function)
    asked = {n.attr for n in ast.walk(part) if isinstance(n, ast.Attribute)}
    flags = {s.flag for s in read if s.flag}
    hidden = any(_by_other_name(project, context, flag) for flag in flags)
    return not hidden and not any(is_put(project, name) for name in asked | flags)


def _by_other_name(project: Project, context: Context, flag: str) -> bool:
    """May the launch give an option by its short name, or by the beginning of its name?"""
    if context.option(flag).at is not None:
        return False
    calls = (call for call, _ in project.get(declared).get(flag, ()))
    texts = {str(a.value).lstrip("-") for call in calls for a in call.args if isinstance(a, ast.Constant)}
    return any(text.replace("-", "_").startswith(name) for text in {flag, *texts} for name in context.options)


def _on_main(project: Project, function: str, part: ast.expr, outcome: bool) -> bool:
    """Does the main rank come to the outcome, in every way in which the function is called?"""
    sides, sites = project.get(Sides), project.get(CallSites)
    wanted = Side.MAIN if outcome else Side.OTHERS
    return all(sides.of(sites.form(part, f), f) is wanted for f in project.frames(function))
