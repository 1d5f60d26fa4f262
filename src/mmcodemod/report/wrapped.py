"""Text that is wrapped at the width of a terminal. What it shows is made harmless by its callers."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from mmcodemod.report.escape import visible, width

_WIDEST = 48  # columns of the first of two


def paragraph(safe: str, first: str, columns: int) -> list[str]:
    """Wrapped text; `first` begins the first line and indents the others."""
    return textwrap.wrap(
        safe,
        columns,
        initial_indent=first,
        subsequent_indent=" " * len(first),
        break_long_words=False,
        break_on_hyphens=False,
    )


def two_columns(rows: Sequence[tuple[str, str]], columns: int) -> list[str]:
    """Two aligned columns; the second is wrapped."""
    safe = [(visible(left), visible(" ".join(right.split()))) for left, right in rows]
    first = min(max(width(left) for left, _ in safe), _WIDEST)
    lines = []
    for left, right in safe:
        room = max(columns - first - 7, 30)
        parts = textwrap.wrap(right, room, break_long_words=False, break_on_hyphens=False) or [""]
        lines.append(f"    {left}{' ' * (first - width(left))}   {parts[0]}".rstrip())
        lines += [" " * (first + 7) + part for part in parts[1:]]
    return lines
