"""Which branch of a `case` a script takes, where what it asks for is known and its patterns are plain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field

from mmcodemod.facts.shellifs import Runs
from mmcodemod.facts.shellvalues import Word
from mmcodemod.facts.shellwords import Token
from mmcodemod.model.frozen import mutable

_GLOB = set("*?[")


@mutable()
class Case:
    """`asked`: the words between `case` and `in`; `patterns`: those of the branch that is to come; `goes_on`:
    a branch ended by `;&` or `;;&`, so that others may run as well."""

    asked: Sequence[Word]
    patterns: list[Token] = field(default_factory=list)
    goes_on: bool = False
    taken: bool = False  # a branch was, for certain
    open: bool = False  # a branch may have been

    def branch(self) -> Runs:
        """Does the branch run whose patterns have been read?"""
        patterns, self.patterns = self.patterns, []
        fits = self._fits(patterns)
        if self.goes_on or len(self.asked) != 1 or self.asked[0].unknown:
            return Runs.MAYBE
        if self.taken or fits is False:
            return Runs.NEVER
        runs = Runs.ALWAYS if fits and not self.open else Runs.MAYBE
        self.taken, self.open = bool(fits), True
        return runs

    def _fits(self, patterns: list[Token]) -> bool | None:
        """Is it one of the patterns? None where that does not show."""
        found = [self._is(pattern) for pattern in patterns]
        return True if True in found else None if None in found or not found else False

    def _is(self, pattern: Token) -> bool | None:
        plain = all(s.kind == "text" for s in pattern.segments)
        text = "".join(s.text for s in pattern.segments)
        if not plain or (text != "*" and set(text) & _GLOB):
            return None
        return text == "*" or (bool(self.asked) and text == self.asked[0].text)
