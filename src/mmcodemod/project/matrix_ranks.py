"""Names that say `rank` and mean the rank of matrices, as of LoRA: an option of the program whose default is
above 1, which is nobody's number by default. Must-analysis: the option's own file, and functions of which
each call hands over that option.
"""

from __future__ import annotations

import ast

from mmcodemod.facts.python import FunctionFacts
from mmcodemod.facts.syntax import unparse
from mmcodemod.knowledge.ranks import BARE_RANK
from mmcodemod.project.arguments import given_at
from mmcodemod.project.declared_flags import declared
from mmcodemod.project.model import Project


def is_of_matrices(project: Project, name: str, function: str) -> bool:
    """Is a dotted name, as a function reads it, such an option, or a parameter that gets it?"""
    owner, _, last = name.rpartition(".")
    if last != BARE_RANK or not project.get(_files):
        return False
    if owner:
        return _is_option(project, name, function)
    facts = project.index.function(function)
    return name in facts.parameters.positional and _is_handed(project, facts, name)


def _is_option(project: Project, name: str, function: str) -> bool:
    owner, _, last = name.rpartition(".")
    return last == BARE_RANK and owner.endswith("args") and function.partition("::")[0] in project.get(_files)


def _is_handed(project: Project, facts: FunctionFacts, name: str) -> bool:
    """Does each call of a function give the option for a parameter, to which the function gives nothing?"""
    at = list(facts.parameters.positional).index(name)
    calls = [edge for edge in project.callers(facts.id) if edge.site is not None]
    given = [(given_at(edge.call, at, name), edge.caller.function) for edge in calls]
    sure = all(e is not None and _is_option(project, unparse(e), caller) for e, caller in given)
    return bool(given) and sure and name not in facts.own.bindings


def _files(project: Project) -> frozenset[str]:
    """The files that declare such an option, and no other of that name. Use through `project.get`."""
    found: dict[str, bool] = {}
    for call, function in declared(project, BARE_RANK):
        path = function.partition("::")[0]
        found[path] = found.get(path, True) and _is_above_one(call)
    return frozenset(path for path, above in found.items() if above)


def _is_above_one(call: ast.Call) -> bool:
    default = next((k.value for k in call.keywords if k.arg == "default"), None)
    value = default.value if isinstance(default, ast.Constant) else None
    return isinstance(value, int) and value > 1
