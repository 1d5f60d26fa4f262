"""What may differ between ranks: which rank it is, its batch, its clock and disk. May-analysis over names,
demand-driven from the tests that matter; collectives make values equal again. Cycles are cut."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice

from mmcodemod.facts.flows import Assign, Passed
from mmcodemod.facts.reads import Atom, Form, Reads
from mmcodemod.knowledge.collectives import SAME_RESULT
from mmcodemod.knowledge.ranks import LOCAL, VARIABLES, WORLD
from mmcodemod.model.grade import How
from mmcodemod.model.pattern import regex
from mmcodemod.project.bare import bare, called, is_bare
from mmcodemod.project.bits import Bits, union
from mmcodemod.project.evened import Evened, handed
from mmcodemod.project.infer import Frame
from mmcodemod.project.key_tests import key_tests
from mmcodemod.project.matrix_ranks import is_of_matrices
from mmcodemod.project.model import Project
from mmcodemod.project.positions import positional
from mmcodemod.project.rank_names import names_rank, same_everywhere
from mmcodemod.project.settling import Settling
from mmcodemod.project.signatures import bound_first, is_property
from mmcodemod.project.stubs import is_stub
from mmcodemod.project.switches import is_switch
from mmcodemod.project.world_tests import among_others

BATCH_METHODS = frozenset(
    (
        "forward",
        "training_step",
        "validation_step",
        "compute_loss",
        "prediction_step",
        "__getitem__",
        "train_step",
    )
)
_COUNTS = regex(r"(^|_)(steps?|epochs?|iterations?|iters?|idx|index)$")  # all ranks count alike
_SIZES = frozenset(("shape", "ndim", "size", "numel", "any", "all", "sum", "keys", "nelement"))
_OF_THE_WHOLE = ("len", "isinstance")
_WHOLE = "len "  # before a name: its length or its type is asked for
MADE = "made "  # before a name: only whether anything is there that is not None or False is asked
_KEY = "key "  # before a name and a key: only whether the name has the key is asked
_HOLDS = ("has", "has not")
_ANY = ~Bits.NONE  # not known
_RETURNED = "returned "  # before the item: what a function returns
_NONE = Bits.NONE
_DATA = Bits.VALUE | Bits.PRESENCE
Ask = Callable[[str, Frame], Bits]
Item = tuple[int, int] | None  # the position of what is unpacked, and of how many
MAX_CALLERS = 24  # calls of one function whose arguments are looked at


class Taint(Evened):
    """Bits of tests, reads and names. Use through `project.get(Taint)`."""

    def __init__(self, project: Project) -> None:
        super().__init__(project)
        self._settling = Settling(self._asked)
        self._attributes: dict[tuple[str, str], list[tuple[Assign, Frame]]] = {}  # by class and name

    # -- tests and reads ----------------------------------------------------------------------------

    def test(self, form: Form, frame: Frame) -> Bits:
        """Why a test may come out differently on different ranks."""
        kind = form[0]
        if kind in ("not", "and", "or"):
            return union(self.test(part, frame) for part in form[1:])
        bits = self.reads(form[1], frame)
        if kind != "is":
            return bits
        if same_everywhere(form):
            bits &= ~Bits.RANK | self._made_apart(form, frame)
        if (form[3] is None or form[2] in _HOLDS) and bits & Bits.VALUE:
            bits = (bits & ~Bits.VALUE) | Bits.PRESENCE
        return self._held(form, bits, frame) if bits and form[2] in _HOLDS else bits

    def _held(self, form: Form, bits: Bits, frame: Frame) -> Bits:
        """Of a key that is written out, what the tests say under which it is set, if nothing else decides."""
        _, reads, _, key = form
        if not isinstance(key, str) or len(reads) != 1 or not isinstance(reads[0], str):
            return bits
        held = self._settling.kept((frame, f"{_KEY}{reads[0]}\0{key}"))
        return bits if held is _ANY else held

    def _of_key(self, asked: str, frame: Frame) -> Bits:
        name, _, key = asked.partition("\0")
        tests = key_tests(self, key, name, frame)
        return _ANY if tests is None else union(self.test(test, at) for test, at in tests)

    def _made_apart(self, form: Form, frame: Frame) -> Bits:
        """RANK where only some ranks make what is compared with None."""
        _, reads, _, constant = form
        alone = constant is None and len(reads) == 1 and isinstance(reads[0], str)
        return self._settling.kept((frame, f"{MADE}{reads[0]}")) if alone else _NONE

    def _made(self, name: str, frame: Frame) -> Bits:
        """RANK where only some ranks give a name what it holds, and the others have None or False there."""
        held = [made for at in self.holders(name, frame) for made in at]
        if not any(arm.empty for arm, _ in held):
            return _NONE
        return Bits.RANK & union(self.test(test, at) for arm, at in held for test in arm.tests)

    def holders(self, name: str, frame: Frame) -> list[list[tuple[Assign, Frame]]]:
        """What a name may be given, side by side of conditional expressions; for a parameter, what the names
        may be given that its callers hand it."""
        own = [(arm, at) for a, at in self.sources(name, frame) for arm in a.arms or (a,)]
        if own or name not in self._project.index.function(frame.function).parameters.names:
            return [own]
        given = list(self.arguments(name, frame)) if not is_bare(frame) else []
        return [
            [(arm, made) for a, made in self.sources(reads[0], at) for arm in a.arms or (a,)]
            for reads, at in given
            if len(reads) == 1 and isinstance(reads[0], str)
        ]

    def reads(self, reads: Reads, frame: Frame) -> Bits:
        """Why a value made of these reads may differ."""
        return union(self.atom(atom, frame) for atom in reads)

    def atom(self, atom: Atom, frame: Frame) -> Bits:
        """Why a name or the result of a call may differ."""
        return self._settling.settled((frame, atom))

    def _asked(self, key: tuple[Frame, Atom]) -> Bits:
        frame, name = key
        if isinstance(name, int):
            return self._call(name, frame)
        if name.startswith(_WHOLE):
            return self._name(name.removeprefix(_WHOLE), frame, self._whole)
        if name.startswith(_RETURNED):
            return self._given_back(frame, _item(name))
        if name.startswith(_KEY):
            return self._of_key(name.removeprefix(_KEY), frame)
        if name.startswith(MADE):
            return self._made(name.removeprefix(MADE), frame)
        return self._name(name, frame)

    # -- names --------------------------------------------------------------------------------------

    def _measure(self, name: str, frame: Frame) -> Bits:
        """Why the length or the type of what a name holds may differ: not because of what a place of it is
        given."""
        return self._settling.kept((frame, f"{_WHOLE}{name}"))

    def _whole(self, name: str, frame: Frame) -> Bits:
        """What the assignments of the name itself say; a copy has the length of what it copies."""
        found = Bits.NONE
        for assign, at in self.sources(name, frame):
            if (name, assign.reads, assign.form) in positional(self._project, at.function):
                continue
            tests = union(self.test(test, at) for test in assign.tests)
            copied = assign.form[1][0] if assign.form[0] == "true" and len(assign.form[1]) == 1 else 0
            own = self._measure(copied, at) if isinstance(copied, str) else self.of_value(assign, at)
            found |= tests | own
        return found

    def _assignments(self, name: str, frame: Frame) -> Bits:
        return union(self._assigned(assign, at) for assign, at in self.sources(name, frame))

    def _name(self, name: str, frame: Frame, assigned: Ask | None = None) -> Bits:
        if name.startswith("'"):
            return Bits.RANK if name.strip("'") in VARIABLES else Bits.NONE
        root, _, rest = name.partition(".")
        if name.rpartition(".")[2] in WORLD or self.shared(name, frame):
            return Bits.NONE
        if self.is_rank(name, frame):
            return Bits.RANK
        bits = (assigned or self._assignments)(name, frame)
        if rest and not bits and root != "self":
            bits = self.atom(root, frame)
            if rest.rpartition(".")[2] in _SIZES and bits & Bits.VALUE:
                bits = (bits & ~Bits.VALUE) | Bits.PRESENCE
        return union((bits, self._parameter(name, frame)))

    def is_rank(self, name: str, frame: Frame) -> bool:
        """Does a name, by itself, say which rank it is?"""
        return names_rank(name) and not is_of_matrices(self._project, name, frame.function)

    def _assigned(self, assign: Assign, frame: Frame) -> Bits:
        return self.of_value(assign, frame) | union(self.test(test, frame) for test in assign.tests)

    def of_value(self, assign: Assign, frame: Frame) -> Bits:
        """What the value itself says, of the one element where several are unpacked."""
        if assign.item is None:
            return self.test(assign.form, frame)
        return self._call(assign.reads[0], frame, assign.item)

    def sources(self, name: str, frame: Frame) -> Iterator[tuple[Assign, Frame]]:
        """The assignments that may give a name its value, each with the frame that it stands in."""
        facts = self._project.index.function(frame.function)
        if name.startswith("self.") and frame.receiver:
            key = frame.receiver, name
            if key not in self._attributes:
                self._attributes[key] = list(self._stored(name, frame))
            yield from self._attributes[key]
            return
        while True:
            bare = facts.id == frame.function and is_bare(frame)
            own = frame if bare else Frame(facts.id, frame.receiver)
            found = self._sites.flows(facts.id).assigns.get(name, ())
            yield from ((assign, own) for assign in found if not self._is_replaced(assign, own))
            if found or name in facts.parameters.names or facts.qualname == "<module>":
                break
            facts = self._project.index.function(f"{facts.path}::{facts.parent}")
        if facts.qualname == "<module>" and not found:
            yield from self._imported(name, facts.path)

    def _is_replaced(self, assign: Assign, frame: Frame) -> bool:
        """Does another value take its place, wherever there are several ranks, before it is more than what
        goes into a collective?"""
        if assign.unless is None or not assign.feeds <= self.cleaned(frame):
            return False
        if assign.by is not None and not all(self._parted(a, assign.target, frame) for a in assign.by.reads):
            return False
        calls = self._sites.flows(frame.function).calls
        return among_others(assign.unless, lambda a: calls[a].name if isinstance(a, int) else str(a)) is True

    def _parted(self, atom: Atom, name: str, frame: Frame) -> bool:
        """Does nothing of a name get into what is read but through a collective?"""
        if not isinstance(atom, int):
            return bool(atom.partition(".")[0] != name)
        passed = self._sites.flows(frame.function).calls[atom]
        return self.gathers(atom, frame) or all(self._parted(part, name, frame) for part in passed.reads)

    def _stored(self, name: str, frame: Frame) -> Iterator[tuple[Assign, Frame]]:
        """What methods store in an attribute, or what the property of that name returns."""
        for facts in self._project.resolver.classes.own(frame.receiver):
            own = f"{facts.path}::{facts.methods.get(name.removeprefix('self.'), '')}"
            if not own.endswith("::") and is_property(self._project.index.function(own)):
                returned = self._sites.flows(own).returns
                yield from ((assign, Frame(own, frame.receiver)) for assign in returned)
            for qualname in facts.methods.values():
                method = Frame(f"{facts.path}::{qualname}", frame.receiver)
                if not self._says(method.function, name):
                    continue
                for assign in self._sites.flows(method.function).assigns.get(name, ()):
                    yield assign, method

    def _says(self, function: str, name: str) -> bool:
        """Is an attribute named in the text of a method? Else its file is not read again."""
        attribute = name.rpartition(".")[2]
        if is_stub(function) or not attribute.isascii():  # no text, or more than one spelling
            return True
        return attribute.encode() in self._project.source(self._project.index.function(function))

    def _imported(self, name: str, path: str) -> Iterator[tuple[Assign, Frame]]:
        modules = self._project.index.modules
        for item in self._project.index.files[path].imported(name):
            if item.name is not None:
                source = modules.find(modules.absolute(item.module, item.level, path), path)
                if source is not None and source != path:
                    module = Frame(f"{source}::<module>")
                    for assign in self._sites.flows(module.function).assigns.get(item.name, ()):
                        yield assign, module

    def is_reduced(self, name: str, frame: Frame) -> bool:
        """Is everything that a name may hold made of what a collective made the same everywhere?"""
        found = list(self.sources(name, frame))
        return bool(found) and all(
            not self._assigned(assign, at) and any(self._comes_of_one(atom, at) for atom in assign.reads)
            for assign, at in found
        )

    def returns_reduced(self, frame: Frame) -> bool:
        """Is everything that a function returns made of what a collective made the same everywhere?"""
        found = self._sites.flows(frame.function).returns
        return bool(found) and all(
            any(self._comes_of_one(atom, frame) for atom in assign.reads) for assign in found
        )

    def shared(self, name: str, frame: Frame) -> bool:
        """Does a collective of the function make a name the same everywhere?"""
        return name in self.cleaned(frame) or self._handed_out(name, frame)

    def _handed_out(self, name: str, frame: Frame) -> bool:
        """Do the other ranks take what the main one has broadcast (`if rank != 0: stop = box[0]`)?"""
        found = self._sites.flows(frame.function).assigns.get(name, ())
        fed = [a for a in found if a.feeds and a.unless is not None and a.feeds <= self.cleaned(frame)]
        fed = [a for a in fed if self.test(a.unless, frame) is Bits.RANK]  # type: ignore[arg-type]
        return bool(fed) and all(
            a in fed or not a.reads or any(self._comes_of_one(atom, frame) for atom in a.reads) for a in found
        )

    def _comes_of_one(self, atom: Atom, frame: Frame) -> bool:
        if isinstance(atom, str):
            return atom in self.cleaned(frame)
        passed = self._sites.flows(frame.function).calls[atom]
        same = self.letter(atom, passed, self._sites.of(called(frame)).names) in SAME_RESULT
        return same or any(self._comes_of_one(part, frame) for part in passed.reads)

    @property
    def project(self) -> Project:
        """What is asked about."""
        return self._project

    def is_parameter(self, name: str, frame: Frame) -> bool:
        """Is a name a parameter of the function?"""
        return name in self._project.index.function(frame.function).parameters.names

    # -- parameters ---------------------------------------------------------------------------------

    def _parameter(self, name: str, frame: Frame) -> Bits:
        facts = self._project.index.function(frame.function)
        if name not in facts.parameters.names:
            return Bits.NONE
        if bound_first(facts) and name == facts.parameters.first:
            return Bits.NONE
        if facts.owner and facts.name in BATCH_METHODS and not _counted(facts.name, name):
            if not is_switch(self._project, facts, name):
                return Bits.VALUE
        if is_bare(frame):
            return Bits.NONE
        return union(self.reads(reads, at) for reads, at in self.arguments(name, frame))

    def arguments(self, name: str, frame: Frame) -> Iterator[tuple[Reads, Frame]]:
        """What the callers of a function give for one of its parameters."""
        facts = self._project.index.function(frame.function)
        positional = list(facts.parameters.positional)[1 if frame.receiver and bound_first(facts) else 0 :]
        for edge in islice(self._project.entering(frame), MAX_CALLERS):
            calls = self._sites.of(edge.caller)
            ordinal = calls.facts.ordinals.get(id(edge.site))
            if ordinal is None:
                continue
            passed = self._sites.flows(edge.caller.function).calls[ordinal]
            reads = handed(passed, name, positional)
            if reads is not None:
                yield reads, edge.caller

    # -- calls --------------------------------------------------------------------------------------

    def _call(self, ordinal: int, frame: Frame, item: Item = None) -> Bits:
        calls = self._sites.of(called(frame))
        passed = self._sites.flows(frame.function).calls[ordinal]
        names = calls.named(ordinal)
        if self.gathers(ordinal, frame):
            return Bits.NONE
        if names_rank(passed.name) or any(names_rank(name) for name in names):
            return Bits.RANK
        if names & LOCAL:
            return Bits.LOCAL
        callees = self.callees(ordinal, frame)
        if callees:
            return union(self._result(callee, passed, frame, item) for callee in callees)
        held = passed.args[0] if passed.name in _OF_THE_WHOLE and passed.args else ()
        measured = len(held) == 1 and isinstance(held[0], str)
        bits = self._measure(held[0], frame) if measured else self.reads(passed.reads, frame)
        if bits & Bits.VALUE and (passed.name == "len" or passed.name.rpartition(".")[2] in _SIZES):
            bits = (bits & ~Bits.VALUE) | Bits.PRESENCE
        return bits

    def callees(self, ordinal: int, frame: Frame) -> list[Frame]:
        """What runs and returns the result of a call; not a function that a library is handed in it."""
        edges = self._sites.of(called(frame)).edges.get(ordinal, ())
        return [e.callee for e in edges if not e.builds and e.how is not How.CALLBACK]

    def returns_of(self, frame: Frame) -> list[Assign]:
        """What a function returns, one by one."""
        return self._sites.flows(frame.function).returns

    def _result(self, callee: Frame, passed: Passed, frame: Frame, item: Item) -> Bits:
        """What a function returns to one of its calls: what it makes by itself, and of what its calls make of
        their arguments that which the arguments of this one allow."""
        every = (*passed.args, *(reads for _, reads in passed.keywords))
        given = union(self.reads(reads, frame) for reads in every)
        own = self.returned(bare(callee), item)
        if not given:
            return own
        return own | (self.returned(callee, item) & (given | _DATA if given & _DATA else given))

    def returned(self, frame: Frame, item: Item = None) -> Bits:
        """Why what a function returns, or one element of it, may differ, over all of its calls."""
        if not self._project.index.function(frame.function).body.returns:
            return Bits.NONE
        return self.atom(f"{_RETURNED}{'' if item is None else f'{item[0]} {item[1]}'}", frame)

    def _given_back(self, frame: Frame, item: Item) -> Bits:
        flows = self._sites.flows(frame.function)
        return union(self._assigned(found.part(item), frame) for found in flows.returns)


def _item(asked: str) -> Item:
    """The item of a question about what a function returns."""
    at, _, many = asked.removeprefix(_RETURNED).partition(" ")
    return (int(at), int(many)) if many else None


def _counted(method: str, parameter: str) -> bool:
    """Is it the number of a step or an epoch that a step of training is given?"""
    return method.endswith("_step") and bool(_COUNTS.search(parameter))
