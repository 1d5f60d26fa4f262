"""Keys of dicts: which constants a key may be, and whether that is all it may be. May-analysis."""

from __future__ import annotations

from mmcodemod.facts.body import Source, Via
from mmcodemod.facts.terms import Attribute, Constant, Either, List, Name, Set, Term, Tuple
from mmcodemod.project.containers import UNKNOWN, Containers
from mmcodemod.project.frame import Frame
from mmcodemod.project.values import Key, Text, ordered

MAX_KEYS = 16


class Keys(Containers):
    """Constants through names and parameters. A default alone is not all that an attribute may be."""

    def keys(self, expr: Term, frame: Frame) -> list[Key]:
        """The constants that a key may be; [None] when it may be others, too."""
        if isinstance(expr, Constant):
            return [expr.value if isinstance(expr.value, (str, int)) else UNKNOWN]
        if not self._certain(expr, frame):
            return [UNKNOWN]
        found: list[Key] = [v.value for v in ordered(self.infer(expr, frame)) if isinstance(v, Text)]
        return found if 0 < len(found) <= MAX_KEYS else [UNKNOWN]

    def _certain(self, expr: Term, frame: Frame) -> bool:
        """Are the constants that are known of an expression all that there are?"""
        if isinstance(expr, (List, Tuple, Set)):
            return all(isinstance(e, Constant) for e in expr.elts)
        if isinstance(expr, Either):
            return all(self._certain(value, frame) for value in expr.values)
        if isinstance(expr, Name):
            return self._certain_name(expr.id, frame)
        if isinstance(expr, Attribute):
            return expr.attr == "__name__"
        return isinstance(expr, Constant)

    def _certain_name(self, name: str, frame: Frame) -> bool:
        facts = self.index.function(frame.function)
        sources = self.body(frame.function).names.get(name, ())
        if name in self._parameters_of(facts):
            if self.is_open(frame, name):
                return False
        elif not sources:
            return False
        key = ("certain", frame, name)
        if key in self._open:
            return True  # it gets no other constant from itself
        self._open.add(key)
        try:
            return all(self._certain_source(s, frame) for s in sources)
        finally:
            self._open.discard(key)

    def _certain_source(self, source: Source[Term], frame: Frame) -> bool:
        plain = source.via in (Via.VALUE, Via.ELEMENT) and source.index < 0
        return plain and self._certain(source.expr, frame)
