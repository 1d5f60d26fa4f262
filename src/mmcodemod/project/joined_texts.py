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
    parts = [_part(part, values) for part in text.values]
    known = [part.value for part in parts]
    if not all(isinstance(value, _PLAIN) for value in known):
        return Setting(UNKNOWN)
    return Setting("".join(map(str, known)), at, given=any(part.given for part in parts))


def _part(part: ast.expr, values: Callable[[ast.expr], frozenset[Setting]]) -> Setting:
    if isinstance(part, ast.Constant):
        return Setting(part.value)
    if not isinstance(part, ast.FormattedValue) or part.conversion != -1 or part.format_spec:
        return Setting(UNKNOWN)
    found = values(part.value)
    kinds: set[Any] = {setting.value for setting in found}
    return next(iter(found)) if len(kinds) == 1 else Setting(UNKNOWN)
