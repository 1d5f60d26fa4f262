"""Lines as every stage counts them."""

from __future__ import annotations

import io


def lines_of(text: str) -> list[str]:
    """The lines as Python's tokenizer and editors count them: form feeds and U+2028 end none."""
    return io.StringIO(text, newline=None).read().split("\n")
