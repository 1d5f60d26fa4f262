"""The unit of the call graph."""

from __future__ import annotations

from typing import NamedTuple


class Frame(NamedTuple):
    """A function as run for objects of one class; `receiver` is "" for plain functions. `site` is the
    definition that a decorator is applied to, so that decorated functions are told apart."""

    function: str
    receiver: str = ""
    site: str = ""
