"""The timeout that a call which makes the default group is given otherwise than by its name: by position, in
a dict that is spread, or by `partial`. May-analysis: a dict of which not all is known may hold one.

Sources: torch/distributed/distributed_c10d.py of 2.13.0 (`init_process_group(backend, init_method, timeout,
...)`), deepspeed/comm/comm.py of 0.9.5 and 0.19.3 (`init_distributed`, where it is the fifth).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.facts.body import own_nodes
from mmcodemod.facts.nodes import node_of
from mmcodemod.facts.syntax import unparse
from mmcodemod.facts.terms import Call, Term
from mmcodemod.project.model import Project
from mmcodemod.project.origins import Origin, Origins
from mmcodemod.project.spread import given

POSITIONS = {"init_process_group": 2, "init_distributed": 4}  # of `timeout`
_PARTIAL = "functools.partial"
_FILLS = ("update", "setdefault")


def handed(project: Project, call: Call, function: str) -> Iterator[ast.expr]:
    """What a call gives as timeout, or may give, without a keyword of that name."""
    words = [keyword.arg for keyword in call.keywords]
    if len(call.args) > min(POSITIONS.values()) or None in words:
        position = _position(project, call.func, function)
        if position is not None:
            yield from _by_place(node_of(call), position)
            yield from _spread(project, node_of(call), function)
    if call.args and "timeout" in words and _PARTIAL in project.names(call.func, function):
        if _position(project, call.args[0], function) is not None:
            yield node_of(call).keywords[words.index("timeout")].value


def _position(project: Project, callee: Term, function: str) -> int | None:
    """Where the timeout stands among the arguments of what makes the group; None for any other call."""
    words = (name.rpartition(".")[2] for name in sorted(project.names(callee, function)))
    return next((POSITIONS[word] for word in words if word in POSITIONS), None)


def _by_place(node: ast.Call, position: int) -> list[ast.expr]:
    """The timeout where it stands among the arguments; all that is spread before it may hold one."""
    before = node.args[: position + 1]
    starred: list[ast.expr] = [arg for arg in before if isinstance(arg, ast.Starred)]
    return starred or node.args[position : position + 1]


def _spread(project: Project, node: ast.Call, function: str) -> Iterator[ast.expr]:
    spread = [k.value for k in node.keywords if k.arg is None]
    if not spread or any(k.arg == "timeout" for k in node.keywords):
        return
    origins = Origins(project)
    yield from (origin.expr for origin in given(project, origins, node, function, "timeout"))
    yield from (value for value in spread if not _is_written_out(project, origins, value, function))


def _is_written_out(project: Project, origins: Origins, value: ast.expr, function: str) -> bool:
    """Do all keys of a dict show?"""
    made = origins.of(value, function)
    filled = dict.fromkeys((function, *(o.function for o in made)))
    return all(map(_shows, made)) and not any(_is_filled(project, origins, made, f) for f in filled)


def _shows(origin: Origin) -> bool:
    made = origin.expr
    if isinstance(made, ast.Dict):
        return all(isinstance(key, ast.Constant) for key in made.keys)
    if not isinstance(made, ast.Call) or unparse(made.func) != "dict":
        return False
    return not made.args and all(k.arg for k in made.keywords)


def _is_filled(project: Project, origins: Origins, made: list[Origin], function: str) -> bool:
    """`options.update(...)`"""
    return any(
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in _FILLS
        and not set(made).isdisjoint(origins.of(node.func.value, function))
        for node in own_nodes(project.index.function(function).node)
    )
