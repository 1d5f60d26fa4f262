"""`parser.parse_args(["--clip", "1.0"])`: what code gives its parser in its own words. May-analysis."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from mmcodemod.facts.nodes import node_of
from mmcodemod.facts.syntax import walk
from mmcodemod.model.context import Entry
from mmcodemod.project.model import Project
from mmcodemod.project.origins import Origins

_PARSES = ("parse_args", "parse_known_args")


def gives(project: Project, entry: Entry | None, added: ast.Call) -> bool:
    """Does some parser of a run get one of the names that `add_argument` declares, in a word of the code?"""
    names = {str(a.value) for a in added.args if isinstance(a, ast.Constant)}
    spoken = project.get(_spoken)
    found = [function for function, words in spoken.items() if not names.isdisjoint(words)]
    return any(entry is None or function in project.reach(entry) for function in found)


def _spoken(project: Project) -> dict[str, frozenset[str]]:
    """The names of options among the words that code gives its parsers, by the function that does."""
    found = {}
    for facts in project.mentioning("parse_args(", "parse_known_args("):
        sites = project.sites_of(facts.id, _PARSES)
        calls = [node_of(site) for site in sites if site.args or any(k.arg == "args" for k in site.keywords)]
        words = frozenset(word for call in calls for word in _names(_words(project, call, facts.id)))
        found.update({facts.id: words} if words else {})
    return found


def _words(project: Project, call: ast.Call, function: str) -> Iterator[str]:
    """The texts in what is parsed: of a list, and of a text that is split."""
    given = [*call.args[:1], *(k.value for k in call.keywords if k.arg == "args")]
    for origin in (o for expr in given for o in Origins(project).of(expr, function)):
        for node in walk(origin.expr):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield from node.value.split()


def _names(words: Iterable[str]) -> Iterator[str]:
    return (word.partition("=")[0] for word in words if word.startswith("-"))
