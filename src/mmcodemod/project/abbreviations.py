"""Options that a launch gives by their beginning: `--max_grad 1.0` for `--max_grad_norm`. Must-analysis: a
beginning of one option alone, of those that the run declares.

Source: argparse of the standard library, `allow_abbrev` (true by default): a long option may be cut short
where that leaves one alone; an option of exactly that name comes first.
"""

from __future__ import annotations

from collections.abc import Collection

from mmcodemod.facts.nodes import node_of
from mmcodemod.model.context import Context, Entry
from mmcodemod.project.declared_flags import declarations
from mmcodemod.project.model import Project
from mmcodemod.project.paired_flags import Declared, Switched, strings, switch


def cut_short(project: Project, context: Context | None, near: Collection[Declared]) -> Switched | None:
    """What fills an option, where the launch gives one beginning of its names, and nothing else for it."""
    if context is None or not near:
        return None
    given = dict.fromkeys(w.partition("=")[0] for w in context.words if w.startswith("--"))
    cut = [(word, call) for call, _ in near for word in given if _begins(word, strings(call))]
    if len(cut) != 1 or not project.once(_means_one, context.entry, cut[0][0]):
        return None
    word, call = cut[0]
    option = context.option(word[2:].replace("-", "_"))
    return switch(word[2:], option, call) if option.at else None


def _begins(word: str, names: Collection[str]) -> bool:
    """Is it the beginning of a long name, and none of them?"""
    return len(word) > 2 and word not in names and any(name.startswith(word) for name in names)


def _means_one(project: Project, entry: Entry | None, word: str) -> bool:
    """Is it the beginning of one option alone of those of a run, whose parsers take beginnings?"""
    reach = project.reach(entry) if entry else None
    every = (place for places in project.get(declarations).values() for place in places)
    names = [n for call, f in every if reach is None or f in reach for n in strings(node_of(call))]
    cut = any(True for _ in project.mentioning("allow_abbrev"))
    return not cut and word not in names and len({n for n in names if n.startswith(word)}) == 1
