"""Dataclasses whose methods are written when they are first called."""

from __future__ import annotations

import copy
import pickle
from dataclasses import FrozenInstanceError, asdict, dataclass, field, fields, is_dataclass, replace
from typing import ClassVar

import pytest

from mmcodemod.model.frozen import frozen, held, mutable


@frozen()
class Spot:
    """A place with tags."""

    line: int
    tags: list[str] = field(default_factory=list, compare=False)
    column: int = 1


@frozen(slots=True)
class Named(Spot):
    name: str = ""


@frozen(order=True)
class Ranked:
    rank: int


@held(order=True, slots=True)
class Kept:
    line: int
    column: int = 1


@mutable()
class Counted:
    line: int
    limit: ClassVar[int] = 3
    seen: int = field(default=0, init=False, repr=False)

    def __post_init__(self) -> None:
        self.seen = self.line


@mutable(eq=False, slots=True)
class Apart:
    self: int = 0


@dataclass(frozen=True)
class Plain(Kept):
    more: int = 0


@held(slots=True)
class Of(Plain):
    last: int = field(default=9, hash=False)


@frozen()
class Told:
    said: str

    def __repr__(self) -> str:
        return "told"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Told)


def test_it_is_made_as_a_dataclass_is() -> None:
    spot = Spot(3, column=2)
    assert (spot.line, spot.tags, spot.column) == (3, [], 2)
    assert Spot(3).tags is not Spot(3).tags
    assert Named(1, ["a"], 2, "b").name == "b"
    with pytest.raises(TypeError, match=r"__init__\(\) missing 1 required positional argument: 'line'"):
        Spot()  # type: ignore[call-arg]


def test_it_compares_and_hashes_by_its_fields() -> None:
    assert Spot(3) == Spot(3, ["other"]) != Spot(4)
    assert {Spot(3): 1}[Spot(3)] == 1
    assert Named(3, name="a") == Named(3, name="a") != Named(3, name="b")
    assert Spot(3) != Named(3)
    assert sorted([Ranked(2), Ranked(1)]) == [Ranked(1), Ranked(2)]
    assert len({Ranked(1), Ranked(1)}) == 1


def test_it_says_what_it_holds() -> None:
    assert repr(Spot(3)) == "Spot(line=3, tags=[], column=1)"


def test_what_a_class_writes_itself_is_kept() -> None:
    assert repr(Told("a")) == "told"
    assert Told("a") == Told("b")
    assert hash(Told("a")) == hash(Told("a"))


def test_it_is_matched_copied_and_pickled() -> None:
    match Spot(3):
        case Spot(line, _, column):
            assert (line, column) == (3, 1)
    assert replace(Spot(3), line=4) == Spot(4)
    assert copy.deepcopy(Named(3)) == pickle.loads(pickle.dumps(Named(3))) == Named(3)


def test_what_is_held_is_a_dataclass_that_nobody_can_change() -> None:
    kept = Kept(3)
    for changed in (lambda: setattr(kept, "line", 4), lambda: delattr(kept, "line")):
        with pytest.raises(FrozenInstanceError):
            changed()
    assert kept == Kept(3, 1) == replace(Kept(4), line=3) and hash(kept) == hash(Kept(3))
    assert sorted([Kept(4), kept]) == [kept, Kept(4)] and repr(kept) == "Kept(line=3, column=1)"
    assert copy.deepcopy(kept) == kept == pickle.loads(pickle.dumps(kept))


def test_what_is_mutable_may_be_set_and_has_no_hash() -> None:
    counted = Counted(3)
    assert (counted.seen, repr(counted)) == (3, "Counted(line=3)")
    counted.line = 4
    assert (counted.line, counted.seen) == (4, 3) and counted not in (Counted(3), Counted(4))
    with pytest.raises(TypeError, match="unhashable"):
        hash(counted)
    assert Apart(1) != Apart(1) and hash(Apart(1)) and Apart(self=2).self == 2
    with pytest.raises(AttributeError):
        Apart().other = 1  # type: ignore[attr-defined]


def test_dataclasses_asks_and_inherits() -> None:
    assert is_dataclass(Spot) and [f.name for f in fields(Named)] == ["line", "tags", "column", "name"]
    assert asdict(Spot(3)) == {"line": 3, "tags": [], "column": 1}
    assert Plain(1, more=2).more == 2 and [f.name for f in fields(Plain)] == ["line", "column", "more"]
    of = Of(1, 5)
    assert (of.last, of.column, of.more) == (9, 5, 0) and of == Of(1, 5) != Of(1, 5, last=2)
    assert hash(Of(1, last=2)) == hash(Of(1)) and vars(Counted)["__match_args__"] == ("line",)
