"""Answers that rest on each other: what one lacks when it is first given gets to all that rest on it."""

from __future__ import annotations

from mmcodemod.project.bits import Bits
from mmcodemod.project.settling import Settling


def test_what_grows_late_gets_to_those_that_asked_before() -> None:
    def ask(key: str) -> Bits:
        if key == "start":
            return settling.kept("later") | Bits.RANK
        if key == "later":  # asks the others only in the second turn, when `start` has an answer
            known = settling.kept("start")
            if known:
                settling.kept("outer")
                known |= settling.kept("inner")
            return known
        return settling.kept("inner") | Bits.VALUE if key == "outer" else settling.kept("outer")

    settling: Settling[str] = Settling(ask)
    settling.settled("start")
    assert settling.settled("inner") == Bits.VALUE
    assert settling.settled("later") == settling.settled("start") == Bits.RANK | Bits.VALUE
