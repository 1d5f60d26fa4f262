"""Plain data (ints, strings, bytes, None and tuples) as bytes, and back: far faster than parsing.

`marshal` builds data and runs nothing, but bytes that it did not write may make it ask for any amount of
memory: only what was packed here, and is proven whole by a digest (`record`), is unpacked."""

from __future__ import annotations

import marshal
from typing import Any

_VERSION = 4  # the first that keeps two mentions of one tuple one tuple


def pack(value: Any) -> bytes:
    """The bytes of plain data.

    Raises:
        ValueError: when it is nested too deeply, or is something else.
    """
    return marshal.dumps(value, _VERSION)


def unpack(data: bytes) -> Any:
    """What was packed."""
    return marshal.loads(data)
