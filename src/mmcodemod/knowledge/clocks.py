"""Library calls that give each process a value of its own: clocks, random numbers, unique names.

Source: https://docs.python.org/3/library/datetime.html#strftime-and-strptime-format-codes
"""

from __future__ import annotations

UNIQUE: frozenset[str] = frozenset(("uuid.uuid1", "uuid.uuid4", "time.time_ns"))
"""No two calls give the same."""

CLOCKS: frozenset[str] = frozenset(
    (
        "time.time",
        "time.strftime",
        "datetime.datetime.now",
        "datetime.datetime.today",
        "datetime.datetime.utcnow",
    )
)

DRAWN: frozenset[str] = frozenset(
    (
        "random.random",
        "random.randint",
        "random.choice",
        "random.sample",
        "numpy.random.rand",
        "numpy.random.randint",
        "numpy.random.choice",
    )
)
"""Random numbers, which are equal where all processes are seeded alike."""

FORMATTERS: frozenset[str] = frozenset(("strftime",))
FINE_FORMAT = "%f"  # microseconds
FINE: tuple[str, ...] = ("%S", "%M", "%H", "%I", "%T", "%X", "%c", "%s", "%R")
"""Parts of a format that change within a day."""

COARSE: frozenset[str] = frozenset(("int", "round", "floor", "localtime", "gmtime", "ctime", "asctime"))
"""Functions that leave seconds of a clock."""

PARTS: frozenset[str] = frozenset(("year", "month", "day", "hour", "minute", "second", "microsecond"))
FINE_PARTS: frozenset[str] = frozenset(("hour", "minute", "second", "microsecond"))
"""Attributes of a time, and those of them that change within a day."""
