"""Which branch of an `if` a script takes, where its tests compare what the script itself says."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field
from enum import Enum

from mmcodemod.facts.shellvalues import Value, Word
from mmcodemod.facts.shellwords import Token
from mmcodemod.model.frozen import mutable

Arm = dict[str, Value | None]  # what a branch set
TESTS = ("[", "[[", "test")
FIXED = {"true": True, ":": True, "false": False}
_NUMBERS: dict[str, Callable[[int, int], bool]] = {
    "-eq": lambda a, b: a == b,
    "-ne": lambda a, b: a != b,
    "-lt": lambda a, b: a < b,
    "-le": lambda a, b: a <= b,
    "-gt": lambda a, b: a > b,
    "-ge": lambda a, b: a >= b,
}


class Runs(Enum):
    """Does a branch run?"""

    MAYBE = "maybe"
    ALWAYS = "always"
    NEVER = "never"
    OFF = "off"  # never, and no variable decides that
    ON = "on"  # always, and no variable decides that


@mutable()
class _If:
    """`tests`: outcomes of the commands of the condition that is being read, None when not known; `fixed`: it
    says `true` or `false`; `empty`: the variable that the last of them finds empty, "" for another test."""

    tests: list[bool | None] = field(default_factory=list)
    fixed: bool = False
    empty: str = ""
    asking: bool = True
    taken: bool = False  # a branch was, for certain
    open: bool = False  # a branch may have been
    arms: list[Arm | None] = field(default_factory=list)  # None for one that surely runs, or never
    last: bool = False  # is `else` read?


@mutable()
class Ifs:
    """The `if`s that are open."""

    _stack: list[_If] = field(default_factory=list)

    def keyword(self, word: str) -> Runs:
        """Follow a keyword; whether the branch that it opens runs."""
        if word == "if":
            self._stack.append(_If())
        elif not self._stack:
            return Runs.MAYBE
        elif word == "elif":
            self._stack[-1].asking, self._stack[-1].tests, self._stack[-1].fixed = True, [], False
        elif word == "then":
            return self._branch(self._stack[-1])
        elif word == "else":
            return self._settled(self._stack[-1], True)
        elif word == "fi":
            self._stack.pop()
        elif self._stack[-1].asking:  # `!`, `while`, `{`: more than a test
            self._stack[-1].tests.append(None)
        return Runs.MAYBE

    def arms(self, word: str, arm: Arm | None) -> list[Arm]:
        """A branch ends at a keyword. All branches at the end of an `if` of which one runs; none before."""
        if not self._stack or word not in ("elif", "else", "fi"):
            return []
        current = self._stack[-1]
        current.arms.append(arm)
        every = [a for a in current.arms if a is not None]
        whole = word == "fi" and current.last and len(every) == len(current.arms)
        current.last = word == "else"
        return every if whole else []

    @property
    def empty(self) -> str:
        """The variable that is empty where the first branch of an `if` runs, asked by one test alone."""
        current = self._stack[-1] if self._stack else _If()
        return current.empty if len(current.tests) == 1 and not current.open else ""

    def command(self, words: Sequence[Word] | None, empty: str = "") -> None:
        """A command of a condition, None for one whose words do not matter. `empty`: as `asked_empty`."""
        if self._stack and self._stack[-1].asking:
            self._stack[-1].tests.append(outcome(words) if words is not None else None)
            self._stack[-1].empty = empty
            self._stack[-1].fixed = bool(words) and len(words or ()) == 1

    def _branch(self, current: _If) -> Runs:
        current.asking = False
        known = current.tests[0] if len(current.tests) == 1 else None
        runs = self._settled(current, known)
        if known is None or not current.fixed:
            return runs
        return {Runs.ALWAYS: Runs.ON, Runs.NEVER: Runs.NEVER if known else Runs.OFF}.get(runs, runs)

    @staticmethod
    def _settled(current: _If, known: bool | None) -> Runs:
        if current.taken or known is False:
            return Runs.NEVER
        runs = Runs.ALWAYS if known and not current.open else Runs.MAYBE
        current.taken, current.open = bool(known), True
        return runs


def asked_empty(words: Sequence[Token]) -> str:
    """The variable of `[ -z "$NAME" ]`, "" for any other test."""
    if len(words) < 3 or words[0].text not in TESTS or words[1].text != "-z":
        return ""
    read = [s for s in words[2].segments if s.kind != "text" or s.text]
    ends = len(words) == (3 if words[0].text == "test" else 4)
    plain = len(read) == 1 and read[0].kind == "var" and not read[0].every
    return read[0].text if ends and plain else ""


def outcome(words: Sequence[Word]) -> bool | None:
    """Does a test hold, by what is known of its words? None when that does not show."""
    if len(words) == 1 and not words[0].unknown and words[0].text in FIXED:
        return FIXED[words[0].text]
    if not words or words[0].text not in TESTS or any(w.unknown for w in words):
        return None
    texts = [w.text for w in words[1:]]
    if words[0].text != "test":
        if texts[-1:] != [{"[": "]", "[[": "]]"}[words[0].text]]:
            return None
        texts.pop()
    return _holds(texts)


def _holds(texts: list[str]) -> bool | None:
    if len(texts) == 2 and texts[0] in ("-z", "-n"):
        return (texts[1] == "") is (texts[0] == "-z")
    if len(texts) != 3:
        return None
    one, operator, other = texts
    if operator in ("=", "==", "!="):
        return None if set(other) & set("*?[") else (one == other) is (operator != "!=")
    if operator in _NUMBERS and one.lstrip("-").isdecimal() and other.lstrip("-").isdecimal():
        return _NUMBERS[operator](int(one), int(other))
    return None
