"""What collectives make the same on all ranks: results of calls, and names that they fill in place."""

from __future__ import annotations

from collections.abc import Iterator

from mmcodemod.facts.flows import Passed
from mmcodemod.facts.reads import Atom, Reads
from mmcodemod.knowledge.collectives import COLLECTIVES, IN_PLACE, METHODS, SAME_RESULT
from mmcodemod.project.bare import called
from mmcodemod.project.callsites import CallSites
from mmcodemod.project.infer import Frame
from mmcodemod.project.model import Project
from mmcodemod.project.stubs import is_stub

_IN_PLACE = tuple(name.encode() for name in sorted(IN_PLACE))


class Evened:
    """Collectives among the calls of functions, and what they are given."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._sites = project.get(CallSites)
        self._clean: dict[Frame, set[Atom]] = {}

    def gathers(self, ordinal: int, frame: Frame) -> bool:
        """Is what a call returns the same on all ranks, whatever it is given?"""
        passed, names = self._sites.flows(frame.function).calls[ordinal], self._sites.of(called(frame)).names
        return self.letter(ordinal, passed, names) in SAME_RESULT

    def cleaned(self, frame: Frame) -> set[Atom]:
        """The names given to a collective that makes them the same everywhere, or to a function of the
        tree that gives them to one."""
        if frame not in self._clean:
            self._clean[frame] = set()  # for a function that calls itself
            names = self._sites.of(called(frame)).names
            for ordinal, passed in enumerate(self._sites.flows(frame.function).calls):
                if passed.args and self.letter(ordinal, passed, names) in IN_PLACE:
                    self._clean[frame].update(passed.args[0][:1])
                else:
                    self._clean[frame].update(self._cleaned_by(ordinal, passed, frame))
        return self._clean[frame]

    def _cleaned_by(self, ordinal: int, passed: Passed, frame: Frame) -> Iterator[Atom]:
        """The arguments that the only function behind a call gives to a collective in place."""
        edges = self._sites.of(called(frame)).edges.get(ordinal, ())
        callee = edges[0].callee if len(edges) == 1 and not edges[0].builds else None
        if callee is None or is_stub(callee.function):
            return
        facts = self._project.index.function(callee.function)
        if any(word in self._project.source(facts) for word in _IN_PLACE):
            positional = list(facts.parameters.positional)[1 if callee.receiver else 0 :]
            bound = self._sites.flows(callee.function).assigns  # a copy is not what was given
            for name in (n for n in positional if n in self.cleaned(callee) and n not in bound):
                yield from (handed(passed, name, positional) or ())[:1]

    def letter(self, ordinal: int, passed: Passed, names: dict[int, frozenset[str]]) -> str:
        """The collective that a call is, "" when it is none."""
        for name in sorted(names.get(ordinal, ())):
            if name in COLLECTIVES:
                return COLLECTIVES[name]
        method = passed.name.rpartition(".")[2]
        return METHODS.get(method, "") if ordinal not in names else ""


def handed(passed: Passed, name: str, positional: list[str]) -> Reads | None:
    """What a call gives for a parameter, None where it gives nothing."""
    for keyword, reads in passed.keywords:
        if keyword == name:
            return reads
    if name in positional:
        position = positional.index(name)
        return passed.args[position] if position < len(passed.args) else None
    return None
