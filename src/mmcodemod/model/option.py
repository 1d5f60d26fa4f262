"""Values of a training context. "auto", missing and unknown are values of their own."""

from __future__ import annotations

from enum import Enum

from mmcodemod.model.frozen import held
from mmcodemod.model.place import Place

Scalar = str | int | float | bool | None


class Special(Enum):
    """AUTO: the framework fills it in. MISSING: known to be absent. UNKNOWN: cannot be read statically."""

    AUTO = "auto"
    MISSING = "missing"
    UNKNOWN = "unknown"


AUTO, MISSING, UNKNOWN = Special.AUTO, Special.MISSING, Special.UNKNOWN


@held(slots=True)
class Option:
    """A value and where it was written; `at` is None for a default of the library. `default`: what an UNKNOWN
    value is unless somebody says otherwise."""

    value: Scalar | Special
    at: Place | None = None
    note: str = ""
    default: Scalar = None

    @property
    def known(self) -> bool:
        """Is it an ordinary value (neither auto, missing nor unknown)?"""
        return not isinstance(self.value, Special)
