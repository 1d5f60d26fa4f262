"""Offsets to lines and columns (both from 1, columns in code points) and back."""

from __future__ import annotations

import re
from bisect import bisect_right

Position = tuple[int, int]


class LineMap:
    """Where the lines of a text start; a line ends at \\n, \\r\\n or \\r."""

    def __init__(self, text: str) -> None:
        self._starts = [0, *(m.end() for m in re.finditer(r"\r\n|\r|\n", text))]

    def position(self, offset: int) -> Position:
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1

    def offset(self, position: Position) -> int:
        return self._starts[position[0] - 1] + position[1] - 1
