"""Regular expressions that are compiled when they are first used."""

from __future__ import annotations

import re
from typing import Any, AnyStr, cast

_USES = ("search", "match", "fullmatch", "finditer", "findall", "split", "sub", "subn")


class _Late:
    """Stands in for a compiled pattern, and takes over its methods when one is asked for."""

    def __init__(self, text: str | bytes, flags: int) -> None:
        self.pattern, self.flags = text, flags

    def __getattr__(self, name: str) -> Any:
        compiled = re.compile(self.pattern, self.flags)
        vars(self).update({use: getattr(compiled, use) for use in _USES})
        return getattr(compiled, name)


def regex(text: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """What `re.compile` gives, for patterns of a module: hardly half of ours are used in one check, and to
    compile those of all modules takes as long as to read a small tree.

    Raises:
        re.error: for what is no pattern, when it is first used.
    """
    return cast("re.Pattern[AnyStr]", _Late(text, flags))
