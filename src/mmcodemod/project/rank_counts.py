"""Is a value the number of ranks: by its name, by what the environment or a function gives? Must-analysis; of
a function, what it returns where there are several ranks."""

from __future__ import annotations

import ast
from collections.abc import Callable

from mmcodemod.facts.reads import Atom, Form, Reads
from mmcodemod.facts.syntax import walk
from mmcodemod.knowledge.ranks import WORLD_SIZES, WORLD_VARIABLE
from mmcodemod.project.callsites import CallSites
from mmcodemod.project.frame import Frame
from mmcodemod.project.model import Project
from mmcodemod.project.taint import Taint
from mmcodemod.project.world_tests import logic

_KEY = f"'{WORLD_VARIABLE}'"
Several = Callable[[Form, Frame], bool | None]


class RankCounts:
    """`several` tells what a test comes to where there are several ranks."""

    def __init__(self, project: Project, several: Several) -> None:
        self._project, self._several = project, several
        self._sites, self._taint = project.get(CallSites), project.get(Taint)
        self._known: dict[tuple[Frame, Atom], bool] = {}

    def is_count(self, reads: Reads, frame: Frame) -> bool:
        """Is what is made of these reads the number of ranks?"""
        return _KEY in reads or (len(reads) == 1 and self._atom(reads[0], frame))

    def _atom(self, atom: Atom, frame: Frame) -> bool:
        key = frame, atom
        if key not in self._known:
            self._known[key] = False  # while it asks for itself
            self._known[key] = self._call(atom, frame) if isinstance(atom, int) else self._name(atom, frame)
        return self._known[key]

    def _name(self, name: str, frame: Frame) -> bool:
        """By its word, or by all that it is given."""
        if name.rpartition(".")[2] in WORLD_SIZES:
            return True
        sources = list(self._taint.sources(name, frame))
        plain = all(a.item is None and not a.tests and a.form[0] == "true" for a, _ in sources)
        given = bool(sources) and plain and all(self.is_count(a.reads, at) for a, at in sources)
        return given and not any(self._works_out(at.function, name) for _, at in sources)

    def _works_out(self, function: str, name: str) -> bool:
        """Does a function calculate what it gives a name, or what it returns ("")? `world_size // 8` is no
        number of ranks."""
        body = self._project.resolver.body(function)
        made = [s.expr for s in body.names.get(name, ())] if name else body.returns
        return any(isinstance(node, ast.BinOp) for expr in made for node in walk(expr))

    def _call(self, ordinal: int, frame: Frame) -> bool:
        passed = self._sites.flows(frame.function).calls[ordinal]
        if passed.name.rpartition(".")[2] in WORLD_SIZES or _KEY in passed.reads:
            return True
        edges = [e for e in self._sites.of(frame).edges.get(ordinal, ()) if not e.builds]
        if edges:
            return all(self._returned(edge.callee) for edge in edges)
        return passed.name == "int" and bool(passed.args) and self.is_count(passed.args[0], frame)

    def _returned(self, frame: Frame) -> bool:
        """Does the first `return` give it that is come to where there are several ranks?"""
        for found in self._sites.flows(frame.function).returns:
            reached = logic("and", [self._several(test, frame) for test in found.tests])
            if reached is None:
                return False
            if reached:
                plain = found.form[0] == "true" and self.is_count(found.reads, frame)
                return plain and not self._works_out(frame.function, "")
        return False
