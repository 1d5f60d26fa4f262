"""`config.model.use_lora`: what the configuration in Python that the launch names says there. Only switches
and numbers count, which neither a word of the launch nor a line of the code gives anew."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from mmcodemod.facts.syntax import unparse
from mmcodemod.model.context import MAX_COMMAND, Context
from mmcodemod.model.option import Option
from mmcodemod.project.flags import PASSED_ON
from mmcodemod.project.model import Project
from mmcodemod.project.reach import Reach

_ROOTS = ("config", "cfg")
_PREFIX = "config."


def configured_option(project: Project, context: Context | None, expr: ast.expr) -> tuple[str, Option] | None:
    """The key that an attribute of an attribute of `config` reads, and what the run's configuration has."""
    root, _, key = unparse(expr).partition(".")
    if context is None or context.entry is None or not context.entry.config:
        return None
    option = context.option(_PREFIX + key)
    plain = option.at is not None and isinstance(option.value, (bool, int, float))
    if root not in _ROOTS or "." not in key or not plain or context.option(PASSED_ON).at:
        return None
    return None if given_anew(context, key) or changed(project, key) else (key, option)


def given_anew(context: Context, key: str) -> bool:
    """May a word of the launch give the last part of the key, or a table that the key is in? Words that do
    not show may, and those of a command that is cut off."""
    parts = key.split(".")
    tables = [".".join(parts[:end]) for end in range(1, len(parts))]
    if len(context.command) >= MAX_COMMAND:
        return True
    words = "|".join([rf"(?:[\w.]*\.)?{re.escape(parts[-1])}", *map(re.escape, tables), r"\.{3}"])
    return bool(re.search(rf"(?<![\w./-])(?:--?)?(?:{words})(?![\w./])", context.command))


def changed(project: Project, key: str, within: Reach | None = None) -> bool:
    """Does code of the tree, or that of some functions alone, store an attribute (not of `self`) or an entry
    of that name?"""
    last = key.rpartition(".")[2]
    asked = (f.id for f in project.mentioning(last) if within is None or f.id in within)
    return any(last in _stored(project, function) for function in asked)


def _stored(project: Project, function: str) -> Iterator[str]:
    body = project.resolver.body(function)
    for store in body.stores:
        if not (isinstance(store.base, ast.Name) and store.base.id == "self"):
            yield store.attr
    yield from (str(p.key.value) for p in body.puts if isinstance(p.key, ast.Constant))
