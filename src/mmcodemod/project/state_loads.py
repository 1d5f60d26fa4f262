"""Calls that load a state dict into a module."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.facts.nodes import node_of
from mmcodemod.facts.syntax import unparse
from mmcodemod.facts.terms import Attribute, Term, plain_name
from mmcodemod.project.model import Project
from mmcodemod.project.site import Site, site

METHOD = "load_state_dict"
# Objects with a load_state_dict of their own that hold no parameters.
_NO_MODULES = ("optim", "sched", "scaler", "sampler", "loader", "ema_state", "state")


def state_loads(project: Project) -> Iterator[Site]:
    """Every `x.load_state_dict(...)` on something that may be a module."""
    for facts in project.mentioning(METHOD):
        for found in facts.body.calls if facts.may_say((METHOD,)) else ():
            func = found.func
            if isinstance(func, Attribute) and func.attr == METHOD and not _is_named_other(func.value):
                call = node_of(found)
                if isinstance(call.func, ast.Attribute) and not _is_other(call.func.value):
                    yield site(project, facts.id, call)


def _is_named_other(receiver: Term) -> bool:
    """Does its plain name say so? Then the file is not read again."""
    return any(word in plain_name(receiver).lower() for word in _NO_MODULES)


def _is_other(receiver: ast.expr) -> bool:
    text = unparse(receiver).lower()
    return any(word in text.rpartition(".")[2] for word in _NO_MODULES)
