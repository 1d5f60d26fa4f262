"""Which ranks take a branch: the main one, all others, or some. May-analysis of the shape of a test; where it
says nothing, no side is claimed."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum

from mmcodemod.facts.flows import Assign
from mmcodemod.facts.reads import Atom, Form, Reads
from mmcodemod.knowledge.ranks import (
    BARE_RANK,
    FLAGS,
    NUMBERS,
    VARIABLES,
    WORLD,
)
from mmcodemod.project.bits import Bits
from mmcodemod.project.callsites import CallSites
from mmcodemod.project.infer import Frame
from mmcodemod.project.model import Project
from mmcodemod.project.rank_counts import RankCounts
from mmcodemod.project.rank_names import is_flag, same_everywhere
from mmcodemod.project.taint import MADE, Item, Taint
from mmcodemod.project.world_tests import as_number, asks_for_others, logic, sized


class Side(Enum):
    """The ranks on which a test is true."""

    MAIN = "the main rank"
    OTHERS = "all ranks but the main one"
    SOME = "some ranks"


_FLIPPED = {Side.MAIN: Side.OTHERS, Side.OTHERS: Side.MAIN, Side.SOME: Side.SOME}
MAX_DEPTH = 40


class Sides:
    """Use through `project.get(Sides)`."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._taint = project.get(Taint)
        self._sites = project.get(CallSites)
        self._counts = RankCounts(project, self.several)
        self._depth = 0
        self._memo: dict[tuple[Frame, Atom], Side | str | None] = {}
        self._others: dict[tuple[Frame, Atom], bool | None] = {}  # what is held where there are several ranks
        self._open: dict[tuple[Frame, Atom], None] = {}
        self._within: list[tuple[Frame, Atom]] = []  # what was worked out for the outermost question
        self._cut = False  # and whether some of that is not the whole of it

    def of(self, form: Form, frame: Frame) -> Side | None:
        """The ranks on which a test is true; None when it does not ask for the rank."""
        if self._depth > MAX_DEPTH:
            self._cut = True
            return None
        self._depth += 1
        try:
            return self._form(form, frame)
        finally:
            self._depth -= 1

    def _form(self, form: Form, frame: Frame) -> Side | None:
        kind = form[0]
        if kind == "not":
            inner = self.of(form[1], frame)
            return _FLIPPED[inner] if inner else None
        if kind == "and":
            return _first([self.of(part, frame) for part in form[1:]])
        if kind == "or":
            return self._either(form[1:], frame)
        if kind == "is":
            return self._compared(form, frame)
        return self._true(form[1], frame)

    def several(self, form: Form, frame: Frame) -> bool | None:
        """What a test comes to where there are several ranks (`world_size > 1`); None when it asks for
        anything else."""
        if form[0] in ("not", "and", "or"):
            return logic(form[0], [self.several(part, frame) for part in form[1:]])
        if len(form[1]) != 1:
            return None
        if form[0] == "true":
            return asks_for_others(self._dotted(form[1][0], frame)) or self._held(form[1][0], frame)
        if (size := sized(form)) is not None and self._counts.is_count(form[1], frame):
            return size
        if form[3] is not None and same_everywhere(form) and self._is_number(form[1], frame):
            return (form[2], as_number(form[3])) in _RANKED
        return None

    def _held(self, atom: Atom, frame: Frame) -> bool | None:
        """The same of a variable that keeps such a test, or of a function that makes it; None where that asks
        for itself."""
        key = frame, atom
        if key not in self._others and self._depth <= MAX_DEPTH:
            self._others[key] = None
            self._depth += 1
            found = self._answered(atom, frame) if isinstance(atom, int) else self._kept(str(atom), frame)
            self._depth -= 1
            self._others[key] = found.pop() if len(found) == 1 else None
        return self._others.get(key)

    def _kept(self, name: str, frame: Frame) -> set[bool | None]:
        """What a variable gets; it tells nothing where some of that is given under a test."""
        sources = list(self._taint.sources(name, frame))
        guarded = any(assign.tests for assign, _ in sources)
        return set() if guarded else {self.several(assign.form, at) for assign, at in sources}

    def _answered(self, ordinal: int, frame: Frame) -> set[bool | None]:
        """What the functions of the tree return that a call may mean; not of a call that imports make, before
        there are any ranks."""
        if _is_module(frame):
            return set()
        edges = (e for e in self._sites.of(frame).edges.get(ordinal, ()) if not e.builds)
        return {self._returned(edge.callee) for edge in edges}

    def _returned(self, frame: Frame) -> bool | None:
        """The first `return` that is come to where there are several ranks."""
        for found in self._sites.flows(frame.function).returns:
            reached = logic("and", [self.several(test, frame) for test in found.tests])
            if reached is None:
                return None
            if reached:
                return found.true or (False if found.empty else self.several(found.form, frame))
        return None

    def _among_others(self, assign: Assign, frame: Frame) -> Assign:
        """The side of a conditional expression that counts where there are several ranks; else the whole, as
        for one that is worked out by an import, before there are any."""
        arms = () if _is_module(frame) else assign.arms
        taken = [arm for arm in arms if self.several(arm.tests[-1], frame)]
        return self._among_others(taken[0], frame) if taken else assign

    def _either(self, parts: Iterable[Form], frame: Frame) -> Side | None:
        """`rank == 0 or not distributed`: with several ranks only the first part counts. Any other
        alternative leaves open who gets in."""
        found = []
        for part in parts:
            side = self.of(part, frame)
            if side is None and not self._asks_world(part, frame):
                return None
            if side is not None:
                found.append(side)
        return found[0] if len(set(found)) == 1 else (Side.SOME if found else None)

    def _asks_world(self, form: Form, frame: Frame) -> bool:
        if self.several(form, frame) is False:
            return True
        if form[0] in ("not", "and", "or"):
            return all(self._asks_world(part, frame) for part in form[1:])
        if form[0] == "is" and same_everywhere(form) and self._is_number(form[1], frame):
            return True
        return any(self._word(atom, frame) in WORLD for atom in form[1])

    def _word(self, atom: Atom, frame: Frame) -> str:
        return self._dotted(atom, frame).rpartition(".")[2]

    def _dotted(self, atom: Atom, frame: Frame) -> str:
        return self._sites.flows(frame.function).calls[atom].name if isinstance(atom, int) else str(atom)

    def _compared(self, form: Form, frame: Frame) -> Side | None:
        _, reads, operator, constant = form
        if len(reads) != 1:
            return Side.SOME if self._plainly(reads, frame) else None
        flag = self._flag(reads[0], frame)
        if flag is not None and isinstance(constant, bool):
            return flag if constant is (operator == "==") else _FLIPPED[flag]
        if constant is None and isinstance(reads[0], str) and (made := self._made(reads[0], frame)):
            return made if operator == "!=" else _FLIPPED[made]
        if not self._is_number(reads, frame):
            return None
        return None if same_everywhere(form) else _number(operator, constant)

    def _true(self, reads: Reads, frame: Frame) -> Side | None:
        if len(reads) == 1:
            flag = self._flag(reads[0], frame)
            if flag is not None:
                return flag
            if self._is_number(reads, frame):
                return Side.OTHERS  # `if rank:`
        return Side.SOME if self._plainly(reads, frame) else None

    def _plainly(self, reads: Reads, frame: Frame) -> bool:
        """Is the number of the rank itself compared with something (`rank == source`)?"""
        return any(self._is_number((atom,), frame) for atom in reads)

    # -- atoms --------------------------------------------------------------------------------------

    def _is_number(self, reads: Reads, frame: Frame) -> bool:
        """Is a value the number of the rank?"""
        return len(reads) == 1 and self._rank_of(reads[0], frame) == "number"

    def _flag(self, atom: Atom, frame: Frame) -> Side | None:
        """The ranks on which a flag is true."""
        found = self._rank_of(atom, frame)
        return found if isinstance(found, Side) else None

    def _rank_of(self, atom: Atom, frame: Frame) -> Side | str | None:
        key = (frame, atom)
        if not self._taint.atom(atom, frame) & Bits.RANK:
            return None
        if key in self._open or self._depth > MAX_DEPTH:
            self._cut = True
            return None
        if key not in self._memo:
            self._keep(key, self._worked_out(atom, frame))
        return self._memo[key]

    def _worked_out(self, atom: Atom, frame: Frame) -> Side | str | None:
        self._depth += 1
        self._open[frame, atom] = None
        try:
            return self._call(atom, frame) if isinstance(atom, int) else self._name(str(atom), frame)
        finally:
            del self._open[frame, atom]
            self._depth -= 1

    def _keep(self, key: tuple[Frame, Atom], found: Side | str | None) -> None:
        """What was worked out inside a cycle lacks what its start gives: it counts until that is known."""
        self._memo[key] = found
        if self._open:
            self._within.append(key)
            return
        for inner in self._within if self._cut else ():
            del self._memo[inner]
        self._within, self._cut = [], False

    def _name(self, name: str, frame: Frame) -> Side | str | None:
        if name.startswith("'"):
            return "number"
        if name.startswith(MADE):
            return _agreed([self._filled(h) for h in self._taint.holders(name.removeprefix(MADE), frame)])
        if made := self._made(name, frame):
            return made
        known = [self._assigned(a, at) for a, at in self._taint.sources(name, frame) if a.reads]
        if known:
            return _agreed(known)
        if is_flag(name):
            return Side.MAIN
        passed = [self._value(("true", reads), at) for reads, at in self._arguments(name, frame)]
        if passed:
            return _agreed(passed)
        return "number" if self._taint.is_rank(name, frame) else None

    def _made(self, name: str, frame: Frame) -> Side | None:
        """The ranks on which a name holds anything: the others have None or False there."""
        found = self._rank_of(f"{MADE}{name}", frame)
        return found if isinstance(found, Side) else None

    def _filled(self, held: list[tuple[Assign, Frame]]) -> Side | None:
        full = {self._under(arm, at) for arm, at in held if not arm.empty}
        none = {self._under(arm, at) for arm, at in held if arm.empty}
        if len(full) != 1 or not none:
            return None
        (side,) = full
        if side is not None:
            return side if none <= {None, _FLIPPED[side]} else None
        return _FLIPPED[emptied] if len(none) == 1 and (emptied := none.pop()) else None

    def _under(self, assign: Assign, frame: Frame) -> Side | None:
        return _first([self.of(test, frame) for test in assign.tests])

    def _arguments(self, name: str, frame: Frame) -> list[tuple[Reads, Frame]]:
        facts = self._project.index.function(frame.function)
        args = getattr(facts.node, "args", None)
        names = [a.arg for a in (*args.posonlyargs, *args.args, *args.kwonlyargs)] if args else []
        return list(self._taint.arguments(name, frame)) if name in names else []

    def _assigned(self, assign: Assign, frame: Frame) -> Side | str | None:
        if assign.item is None:
            return self._value(self._among_others(assign, frame).form, frame)
        asked = self._taint.of_value(assign, frame) & Bits.RANK
        return self._call(assign.reads[0], frame, assign.item) if asked else None

    def _call(self, ordinal: int, frame: Frame, item: Item = None) -> Side | str | None:
        calls = self._sites.of(frame)
        passed = self._sites.flows(frame.function).calls[ordinal]
        returns = [
            self._value(self._among_others(found, edge.callee).form, edge.callee)
            for edge in calls.edges.get(ordinal, ())
            if not edge.builds
            for found in (r.part(item) for r in self._sites.flows(edge.callee.function).returns)
            if found.reads
        ]
        if returns:
            return _agreed(returns)
        words = {
            passed.name.rpartition(".")[2],
            *(n.rpartition(".")[2] for n in calls.names.get(ordinal, ())),
        }
        if words & FLAGS:
            return Side.MAIN
        if passed.name in ("int", "bool") and passed.args:
            return self._value(("true", passed.args[0]), frame)
        keys = {str(atom).strip("'") for atom in passed.reads}
        return "number" if words & NUMBERS or BARE_RANK in words or keys & VARIABLES else None

    def _value(self, form: Form, frame: Frame) -> Side | str | None:
        """What an assigned or returned expression is: the number of the rank, or a flag."""
        if form[0] == "true":
            if any(isinstance(atom, str) and atom.strip("'") in VARIABLES for atom in form[1]):
                return "number"
            return self._rank_of(form[1][0], frame) if len(form[1]) == 1 else None
        return self.of(form, frame)


def _is_module(frame: Frame) -> bool:
    return frame.function.endswith("::<module>")


def _first(sides: list[Side | None]) -> Side | None:
    for wanted in (Side.MAIN, Side.OTHERS, Side.SOME):
        if wanted in sides:
            return wanted
    return None


def _agreed(found: list[Side | str | None]) -> Side | str | None:
    values = {value for value in found if value is not None}
    return values.pop() if len(values) == 1 else None


def _number(operator: str, constant: object) -> Side | None:
    """Which ranks fulfil `rank <operator> constant`."""
    if isinstance(constant, tuple):
        zero = any(as_number(part) == 0 for part in constant)
        alone = all(as_number(part) in (0, -1) for part in constant)
        side = Side.MAIN if zero and alone else Side.SOME
        return side if operator == "in" else _FLIPPED[side]
    number = as_number(constant)
    return _COMPARED.get((operator, number), Side.SOME) if number is not None else Side.SOME


_COMPARED = {
    ("==", 0): Side.MAIN,
    ("<", 1): Side.MAIN,
    ("<=", 0): Side.MAIN,
    ("!=", 0): Side.OTHERS,
    (">", 0): Side.OTHERS,
    (">=", 1): Side.OTHERS,
}

_RANKED = {("!=", -1), (">", -1), (">=", 0)}
