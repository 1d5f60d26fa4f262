"""Launches that die while they parse their arguments: a flag that the program's parser does not know, a value
for a switch, one that an option does not take, or a parser that declares an option twice. Must-analysis (see
strict_parsers)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mmcodemod.model.context import Context, Origin
from mmcodemod.model.pattern import regex
from mmcodemod.project.death import Death, dead_at
from mmcodemod.project.launch_words import in_one_line
from mmcodemod.project.model import Project
from mmcodemod.project.refused_values import refused_value
from mmcodemod.project.stray_words import (
    BY_LAUNCHERS,
    adds_dashed_rank,
    adds_rank,
    ends_in_blank,
    left_out,
    stray_word,
)
from mmcodemod.project.strict_parsers import Parser, is_of_argparse, parser_file, strict_parser

_ELIDED = r"[=\s]+\[?(?:\.{2,}(?![\w/.])|…)"  # behind a flag that stands for others, which the user chooses
_FLAG = regex(rf"(?<!\S)--([\w.-]+)(?![\w.-])(?!{_ELIDED})")


def refused(project: Project, context: Context) -> Death | None:
    """How a launch dies whose arguments the program does not take; None when nothing shows that."""
    if context.entry is None or context.origin is not Origin.LAUNCHED or context.entry.library:
        return None
    path = parser_file(project, context.entry)
    parser = strict_parser(project, path) if path else None
    if parser is None or not _runs(project, context, path, parser):
        return None
    said, error = _said(project, context, path, parser), "SystemExit: 2"
    if parser.twice:
        text, call = parser.twice
        said = f"is given `{text}` a second time at {project.place(path, call)}"
        error = "argparse.ArgumentError"
    return dead_at(project.place(path, parser.parses), error, f"the parser there {said}") if said else None


def _said(project: Project, context: Context, path: str, parser: Parser) -> str:
    """What the parser does not take of the words of the launch; "" where it takes all."""
    if adds_rank(context) and not any(known.startswith("local_rank") for known in parser.options):
        return "does not know `--local_rank`, which the launcher adds"
    if adds_dashed_rank(context) and not any(text.startswith("--local-rank") for text in parser.strings):
        return "does not know `--local-rank`, as torch.distributed.launch writes it since torch 2.0"
    for name in flags_of(context):
        if "." in name and not is_of_argparse(project, path):  # others make options of what a class takes
            continue
        if not any(known.startswith(name) for known in parser.options):
            return f"does not know `{as_written(context, name)}`"
        if name in parser.switches and not parser.positional and _valued(context, name):
            return f"takes no value for `{as_written(context, name)}`"
    refusal = refused_value(project, context, path, parser)
    if refusal:
        return refusal
    blank = None if parser.positional else ends_in_blank(project, context)
    if blank is not None:
        return f"takes no plain word, and a blank behind the backslash at {blank} makes one"
    stray = stray_word(project, context, parser)
    if stray:
        return f"takes no plain word, such as `{stray}`"
    missing = left_out(project, context, parser)
    return f"requires `--{missing}`" if missing else ""


def _runs(project: Project, context: Context, path: str, parser: Parser) -> bool:
    """Does the launch come by the function that parses?"""
    assert context.entry is not None
    reach, functions = project.reach(context.entry), project.index.files[path].functions.values()
    own = (f.id for f in functions if any(c is parser.parses for c in project.resolver.body(f.id).calls))
    return any(function in reach for function in own)


def _valued(context: Context, name: str) -> bool:
    """Does the launch write a value behind the flag?"""
    written = re.escape(name).replace("_", "[-_]")
    return bool(re.search(rf"(?<!\S)--{written}(?:=|\s+(?!-)[\w.,/:-]+(?!\S))", in_one_line(context)))


def as_written(context: Context, name: str) -> str:
    """A flag as the launch writes it: with dashes, or underscores."""
    found = re.search(rf"(?<!\S)--{re.escape(name).replace('_', '[-_]')}(?![\w.-])", in_one_line(context))
    return found[0] if found else f"--{name}"


def flags_of(context: Context) -> Iterator[str]:
    """The long flags that the launch itself gives to the program, in their order; one before dots is none."""
    given = {word.replace("-", "_") for word in _FLAG.findall(in_one_line(context))}
    for name in context.options:
        if name.replace("-", "_") in given and name not in BY_LAUNCHERS:
            yield name
