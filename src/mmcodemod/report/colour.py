"""Colours of a terminal; `PLAIN` gives the same text without them."""

from __future__ import annotations

from mmcodemod.model.frozen import held

_CODES = {"error": "1;31", "warning": "1;33", "info": "36", "bold": "1", "dim": "2", "fix": "32", "add": "32",
          "remove": "31", "hunk": "36"}  # fmt: skip


@held()
class Palette:
    """Paints text. Only already visible text may be painted."""

    on: bool

    def paint(self, style: str, text: str) -> str:
        return f"\x1b[{_CODES[style]}m{text}\x1b[0m" if self.on and text else text


PLAIN = Palette(False)
