"""The unit of the call graph."""

from __future__ import annotations

from typing import NamedTuple


class Frame(NamedTuple):
    """A function as run for objects of one class; `receiver` is "" for plain functions. `site` tells apart
    the calls of a framework model's function, so that what one caller passes never reaches another, and the
    definitions that a decorator is applied to."""

    function: str
    receiver: str = ""
    site: str = ""
