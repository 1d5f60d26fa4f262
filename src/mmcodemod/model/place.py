"""Where something stands in a file."""

from __future__ import annotations

from mmcodemod.model.frozen import held


@held(order=True, slots=True)
class Place:
    """A span of a file: POSIX `path` relative to the root, lines and columns from 1, columns in code
    points, end exclusive. `end_line == 0` means that only the start is known."""

    path: str
    line: int
    column: int = 1
    end_line: int = 0
    end_column: int = 0

    def __str__(self) -> str:
        return f"{self.path}:{self.line}"

    @property
    def last_line(self) -> int:
        """The last line of the span (1-based)."""
        return max(self.end_line, self.line)

    def covers(self, line: int) -> bool:
        """Does the span include this 1-based line?"""
        return self.line <= line <= self.last_line


def is_readme(path: str) -> bool:
    """Is it a README, in whatever language, and no other page?"""
    return path.rpartition("/")[2].lower().startswith("readme")
