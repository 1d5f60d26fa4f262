"""The call graph as data: edges between frames, calls of libraries, and calls that stayed unresolved."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import field
from functools import cached_property
from typing import NamedTuple

from mmcodemod.facts.nodes import node_of
from mmcodemod.facts.terms import Call
from mmcodemod.model.frozen import mutable
from mmcodemod.model.grade import How
from mmcodemod.project.frame import Frame

_MAKERS = (".__init__", ".__new__", ".__post_init__")


class Edge(NamedTuple):
    """`caller` may call `callee` on `line`. `builds` marks `X.from_pretrained(...)` running `X.__init__`;
    `site` is the call, None for imports; its arguments follow the first `skip` positional parameters, None
    where something else passes them. `named`: path and line of the configuration that names the callee."""

    caller: Frame
    callee: Frame
    site: Call | None
    how: How
    line: int
    builds: bool = False
    skip: int | None = None
    named: tuple[str, int] | None = None

    @property
    def call(self) -> ast.Call:
        """The call (not of an import) as a node of the syntax tree: reads the caller's file again."""
        assert self.site is not None
        return node_of(self.site)


class Outside(NamedTuple):
    """A call of library code, by dotted name."""

    name: str
    site: Call

    @property
    def call(self) -> ast.Call:
        """The call as a node of the syntax tree: reads the caller's file again."""
        return node_of(self.site)


class Unresolved(NamedTuple):
    """A call in `caller` whose callee is not known; `name` is the last part of what is called."""

    caller: Frame
    site: Call
    name: str

    @property
    def call(self) -> ast.Call:
        """The call as a node of the syntax tree: reads the caller's file again."""
        return node_of(self.site)


@mutable()
class CallGraph:
    """Edges by caller, library calls by caller (dotted name), and what stayed unresolved."""

    edges: dict[Frame, list[Edge]] = field(default_factory=dict)
    external: dict[Frame, list[Outside]] = field(default_factory=dict)
    unresolved: list[Unresolved] = field(default_factory=list)
    backward: set[str] = field(default_factory=set)  # functions that call `x.backward(...)`

    @cached_property
    def made(self) -> frozenset[str]:
        """Ids of the classes of which some frame makes an object. Ask when the graph stands."""
        return frozenset(frame.receiver for frame in self.edges if makes(frame))

    @property
    def frames(self) -> Iterable[Frame]:
        return self.edges.keys()


def makes(frame: Frame) -> bool:
    """Does it run when an object of its receiver is made?"""
    return bool(frame.receiver) and frame.function.endswith(_MAKERS)
