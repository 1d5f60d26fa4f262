"""What lists and meters hold by what they are given: `losses.append(loss)`, `meter.update(loss)`.
May-analysis of objects that a function, or a class for its attributes, makes and fills itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from mmcodemod.facts.flows import Passed
from mmcodemod.facts.reads import Atom
from mmcodemod.model.frozen import frozen
from mmcodemod.project.bare import called
from mmcodemod.project.bits import Bits, union
from mmcodemod.project.comes_of import FILLS, At, Given, comes_of, methods, returned
from mmcodemod.project.evened import handed
from mmcodemod.project.flow import flow_of
from mmcodemod.project.frame import Frame
from mmcodemod.project.local_data import NO_FRAMEWORK, LocalData, sharded, through, trains_in
from mmcodemod.project.model import Project
from mmcodemod.project.stubs import is_stub
from mmcodemod.project.taint import Item

_MAKES = frozenset(("list", "deque", "collections.deque"))


@frozen(slots=True)
class _Fill:
    """A call of a method of an object, by its ordinal in a frame."""

    ordinal: int
    frame: Frame
    passed: Passed


class Collecting(LocalData):
    """Bits of what is collected, too."""

    def __init__(self, project: Project) -> None:
        super().__init__(project)
        self._by_object: dict[str, dict[str, list[int]]] = {}  # the calls of a function
        self._comes_of: dict[tuple[At, ...], frozenset[Given]] = {}

    def _assignments(self, name: str, frame: Frame) -> Bits:
        return union((super()._assignments(name, frame), self.collected(name, frame)))

    def collected(self, name: str, frame: Frame) -> Bits:
        """Why what a list holds may differ, or an attribute of an object; of data alone."""
        holder, _, attribute = name.rpartition(".")
        if holder not in ("", "self"):
            return self._of_fills(
                holder, frame, lambda f: self._told(f, lambda at: ((f"self.{attribute}", at),))
            )
        return self._of_fills(name, frame, self._put) if self._is_list(name, frame) else Bits.NONE

    def _of_fills(self, holder: str, frame: Frame, told: Callable[[_Fill], Bits]) -> Bits:
        frames = list(self._filling(holder, frame))
        fills = [fill for at in frames for fill in self._calls_of(holder, at)]
        if not fills or any(self._evens(holder, at) for at in frames):
            return Bits.NONE
        return Bits.VALUE & union(told(fill) for fill in fills if self._in_turn(fill))

    def _filling(self, holder: str, frame: Frame) -> Iterator[Frame]:
        """Where an object is filled that stands in a local name, or in an attribute."""
        if not holder.startswith("self."):
            if holder in self._sites.flows(frame.function).assigns:
                yield frame
            return
        yield from (m for m in methods(self._project, frame.receiver) if self._says(m.function, holder))

    def _calls_of(self, holder: str, frame: Frame) -> Iterator[_Fill]:
        """The calls of its methods."""
        calls = self._sites.flows(frame.function).calls
        if frame.function not in self._by_object:
            known = self._by_object[frame.function] = {}
            for ordinal, passed in enumerate(calls):
                known.setdefault(passed.name.rpartition(".")[0], []).append(ordinal)
        ordinals = self._by_object[frame.function].get(holder, ())
        yield from (_Fill(ordinal, frame, calls[ordinal]) for ordinal in ordinals)

    def _evens(self, holder: str, frame: Frame) -> bool:
        """Is the object, or a part of it, given to what exchanges it with the other ranks?"""
        calls = self._sites.flows(frame.function).calls
        exchanged = (passed.reads for n, passed in enumerate(calls) if self.gathers(n, frame))
        return any(_is_part(atom, holder) for reads in exchanged for atom in reads)

    def _in_turn(self, fill: _Fill) -> bool:
        """Does it stand in a loop over what each rank has for itself, or in none? In another loop, what has
        the name of the loss is no loss of the training."""
        function = fill.frame.function
        loops = flow_of(self._project, function).loops(self._sites.of(called(fill.frame)).nodes[fill.ordinal])
        if not loops or trains_in(self._project, function, loops[0]):
            return True
        given = getattr(loops[0], "iter", None)
        return given is not None and sharded(self._project, through(given), function)

    # -- lists ------------------------------------------------------------------------------------------

    def _is_list(self, name: str, frame: Frame) -> bool:
        """Is a name never more than an empty list, as it is made?"""
        made = [(assign.reads, at) for assign, at in self.sources(name, frame)]
        return bool(made) and all(not reads or self._makes(reads[0], at) for reads, at in made)

    def _makes(self, atom: Atom, frame: Frame) -> bool:
        return isinstance(atom, int) and self._sites.flows(frame.function).calls[atom].name in _MAKES

    def _put(self, fill: _Fill) -> Bits:
        """What a list is given."""
        if fill.passed.name.rpartition(".")[2] not in FILLS:
            return Bits.NONE
        return union(self.reads(reads, fill.frame) for reads in fill.passed.args)

    # -- objects of the tree ------------------------------------------------------------------------------

    def _call(self, ordinal: int, frame: Frame, item: Item = None) -> Bits:
        """What a method of an object gives back is made of what this object was given, not of what others of
        its class were."""
        bits = super()._call(ordinal, frame, item)
        asked = _Fill(ordinal, frame, self._sites.flows(frame.function).calls[ordinal])
        holder = asked.passed.name.rpartition(".")[0]
        if not bits & Bits.VALUE or not self._filled_by_others(holder, asked):
            return bits
        back = tuple(part for method in self._methods(asked) for part in returned(self._project, method))
        return (bits & ~Bits.VALUE) | self._of_fills(holder, frame, lambda f: self._told(f, lambda at: back))

    def _filled_by_others(self, holder: str, asked: _Fill) -> bool:
        """Does the function, or the class, call another method of the object?"""
        fills = (fill for at in self._filling(holder, asked.frame) for fill in self._calls_of(holder, at))
        return any(fill != asked and self._methods(fill) for fill in fills)

    def _told(self, fill: _Fill, asked: Callable[[Frame], tuple[At, ...]]) -> Bits:
        """What a method of an object is given, as far as it gets into what is asked for."""
        return union(self._kept(fill, method, asked(method)) for method in self._methods(fill))

    def _kept(self, fill: _Fill, method: Frame, asked: tuple[At, ...]) -> Bits:
        if asked not in self._comes_of:
            self._comes_of[asked] = comes_of(self._project, self, asked)
        positional = list(self._project.index.function(method.function).parameters.positional)[1:]
        names = sorted(name for function, name in self._comes_of[asked] if function == method.function)
        given = (handed(fill.passed, name, positional) or () for name in names)
        return union(self.reads(reads, fill.frame) for reads in given)

    def _methods(self, fill: _Fill) -> list[Frame]:
        """What a call runs, of a class of the tree that no framework knows, and that exchanges nothing."""
        edges = self._sites.of(called(fill.frame)).edges.get(fill.ordinal, ())
        return [e.callee for e in edges if not e.builds and self._is_plain(e.callee)]

    def _is_plain(self, method: Frame) -> bool:
        cls = method.receiver
        if not cls or is_stub(method.function):
            return False
        if any(base not in NO_FRAMEWORK for base in self._project.resolver.classes.external_bases(cls)):
            return False
        return not any(frame in self._carriers for frame in methods(self._project, cls))


def _is_part(atom: Atom, holder: str) -> bool:
    return isinstance(atom, str) and (atom == holder or atom.startswith(f"{holder}."))
