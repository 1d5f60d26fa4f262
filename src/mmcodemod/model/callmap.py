"""The call graph as plain data, for reporters: functions by dotted name, calls, what stayed unresolved."""

from __future__ import annotations

from enum import Enum
from typing import Literal

from mmcodemod.model.frozen import held


class Kind(Enum):
    """Where the code of a function is."""

    TREE = "tree"
    FRAMEWORK = "framework"  # in mmcodemod's model of a framework
    LIBRARY = "library"  # not seen at all


class Role(Enum):
    """Does a run start here?"""

    NONE = ""
    RUNS = "runs"
    TRAINS = "trains"


class UnknownSymbol(Exception):
    """Nothing, or more than one thing, has a name; the message names what has a similar one."""


@held(order=True, slots=True)
class Function:
    """A function, or a module's own code (then `name == module`); `line` is 0 for libraries."""

    name: str
    module: str
    path: str = ""
    line: int = 0
    kind: Kind = Kind.TREE
    role: Role = Role.NONE


@held(order=True, slots=True)
class Call:
    """`caller` may call `callee` in `path` on `line`. `how` is a value of How, "import" (the module's code
    runs) or "library" (the name of a library function)."""

    caller: str
    callee: str
    path: str
    line: int
    how: str
    note: str = ""


Doubt = Literal[
    "remote-code", "parameter", "value", "name", "member", "arguments", "library-object", "builtin-value"
]
"""Kinds of reasons why a call was not resolved."""


@held(order=True, slots=True)
class Unknown:
    """A call of something that could not be resolved: as written, a kind for machines, a reason in words."""

    caller: str
    called: str
    path: str
    line: int
    kind: Doubt
    reason: str


@held()
class CallMap:
    """A call graph, everything sorted. `title` says what it shows."""

    title: str
    functions: tuple[Function, ...]
    calls: tuple[Call, ...]
    unknown: tuple[Unknown, ...] = ()


@held(slots=True)
class Hop:
    """One call of a path, with the source line where it stands ("" where there is none to show)."""

    call: Call
    source: str = ""


@held()
class Route:
    """How `start` gets to `goal`. `answer` is "reachable", "not found" or "cannot tell"; without a path,
    `frontier` holds the unresolved calls that `start` reaches, those that may lead to the goal first:
    `open` of them."""

    answer: str
    start: str
    goal: Function
    hops: tuple[Hop, ...] = ()
    frontier: tuple[Unknown, ...] = ()
    open: int = 0
    why: str = ""
