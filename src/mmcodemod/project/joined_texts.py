"""What an f-string comes to whose parts are settings: `f"ds/stage_{args.stage}.json"`. May-analysis: UNKNOWN
where a part has several values, or is formatted."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from mmcodemod.model.option import UNKNOWN
from mmcodemod.model.place import Place
from mmcodemod.project.setting import Setting

_PLAIN = (str, int)


def joined(text: ast.JoinedStr, at: Place, values: Callable[[ast.expr], frozenset[Setting]]) -> Setting:
    """`values`: what a part may be."""
    parts: list[Setting] = []
    for part in text.values:
        parts.append(_part(part, values))
        if not isinstance(parts[-1].value, _PLAIN):
            return Setting(UNKNOWN)
    return Setting("".join(str(part.value) for part in parts), at, given=any(part.given for part in parts))


def _part(part: ast.expr, values: Callable[[ast.expr], frozenset[Setting]]) -> Setting:
    if isinstance(part, ast.Constant):
        return Setting(part.value)
    if not isinstance(part, ast.FormattedValue) or part.conversion != -1 or part.format_spec:
        return Setting(UNKNOWN)
    found = values(part.value)
    kinds: set[Any] = {setting.value for setting in found}
    return next(iter(found)) if len(kinds) == 1 else Setting(UNKNOWN)
