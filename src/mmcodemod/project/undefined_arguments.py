"""Launches that die because the program asks its arguments for something that no option, and no other line
of the tree, defines: `AttributeError: 'Namespace' object has no attribute`. Must-analysis (see
strict_parsers, argument_reads, argument_writers)."""

from __future__ import annotations

from mmcodemod.facts.syntax import unparse
from mmcodemod.model.context import Context, Origin
from mmcodemod.project.argument_reads import Read, walked
from mmcodemod.project.argument_writers import by_libraries, hides_names, is_made
from mmcodemod.project.death import Death, dead_at
from mmcodemod.project.launch_sides import lets_in
from mmcodemod.project.made_objects import Made
from mmcodemod.project.model import Project
from mmcodemod.project.strict_parsers import Parser, is_of_argparse, parser_file, strict_parser

_OF_OBJECTS = frozenset(dir(object()))
_STARTED = (Origin.LAUNCHED, Origin.ENTRY)  # a program that nothing launches is started without flags


def undefined(project: Project, context: Context) -> Death | None:
    """How a launch dies that asks for an argument which nobody defines; None when nothing shows that."""
    if context.entry is None or context.origin not in _STARTED or context.entry.library:
        return None
    memo = project.get(_memo)
    key = f"{context.entry.path}::{context.entry.symbol}"
    if key not in memo:
        memo[key] = _candidates(project, context)
    for read in memo[key]:
        if all(lets_in(project, context, *condition) for condition in read.conditions):
            return _told(project, read)
    return None


def _memo(project: Project) -> dict[str, list[Read]]:
    return {}


def _told(project: Project, read: Read) -> Death:
    at = project.place(read.function.partition("::")[0], read.node)
    return dead_at(at, "AttributeError", f"no option of the parser defines `{unparse(read.node)}`")


def _candidates(project: Project, context: Context) -> list[Read]:
    """What the entry reads, under some tests, and no option defines."""
    assert context.entry is not None
    path = parser_file(project, context.entry) if context.entry.symbol == "<module>" else ""
    parser = strict_parser(project, path) if path else None
    if parser is None or parser.attributes is None or not is_of_argparse(project, path):
        return []
    found = walked(project, context.entry.path, Made(path, (parser.parses,)))
    reads = [r for r in found.reads if _is_missing(project, parser, r.node.attr)] if found.trained else []
    return reads if reads and not hides_names(project, context.entry) else []


def _is_missing(project: Project, parser: Parser, name: str) -> bool:
    known = parser.attributes is None or name in parser.attributes or name in _OF_OBJECTS
    return not (known or name.startswith("_") or by_libraries(name) or is_made(project, name))
