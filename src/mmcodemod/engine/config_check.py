"""Holds the table of a configuration against what there is: every mistake, with its line and what is near."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import field
from difflib import get_close_matches
from functools import partial

from mmcodemod.engine.assume import BadAssumption, assumed
from mmcodemod.engine.memory_size import BadSize, memory_size
from mmcodemod.engine.selection import UnknownRule, codes
from mmcodemod.model.frozen import mutable

SELECTORS = ("select", "ignore", "extend-select")
LISTS = (*SELECTORS, "exclude", "assume")
STRINGS = ("gpu-memory", "baseline")
SWITCHES = ("preview",)
KEYS = (*LISTS, "per-file-ignores", "fail-on", *STRINGS, *SWITCHES)
LEVELS = ("error", "warning", "info")
MAX_SHOWN = 80  # characters of what was given


@mutable()
class Checker:
    """One table and its mistakes. `names` maps the codes of all rules to their names; None: not known."""

    table: Mapping[str, object]
    text: str
    file: str
    names: Mapping[str, str] | None = None
    mistakes: list[tuple[int, str]] = field(default_factory=list)

    def told(self) -> str:
        """All mistakes, in the order of the lines."""
        return "\n".join(
            f"{self.file}:{line}: {what}" if line else f"{self.file}: {what}"
            for line, what in sorted(dict.fromkeys(self.mistakes))
        )

    def run(self) -> None:
        """Collect the mistakes."""
        for key in self.table:
            if key not in KEYS:
                hint = _near(key, KEYS) or f" (known: {', '.join(KEYS)})"
                self._wrong(f"unknown key {key[:MAX_SHOWN]!r}{hint}", key)
        for key in LISTS:
            self._list(key)
        for key in STRINGS:
            if not isinstance(self.table.get(key, ""), str):
                self._wrong(f"{key!r} is not a string", key)
        for key in SWITCHES:
            if not isinstance(self.table.get(key, False), bool):
                self._wrong(f"{key!r} is neither true nor false", key)
        self._per_file()
        self._level()
        self._values()

    def _wrong(self, what: str, key: str, item: str = "") -> None:
        self.mistakes.append((line_of(self.text, key, item), what))

    def _list(self, key: str) -> None:
        value = self.table.get(key, [])
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            self._wrong(f"{key!r} is not a list of strings", key)
        elif key in SELECTORS:
            self._rules(value, key)

    def _rules(self, selectors: list[str], key: str) -> None:
        for selector in selectors if self.names is not None else ():
            try:
                codes((selector,), self.names or {})
            except UnknownRule as error:
                self._wrong(f"{key!r}: {error}", key, selector)

    def _per_file(self) -> None:
        value = self.table.get("per-file-ignores", {})
        if not isinstance(value, dict):
            self._wrong("'per-file-ignores' is not a table", "per-file-ignores")
            return
        for pattern, rules in value.items():
            if not isinstance(rules, list) or not all(isinstance(item, str) for item in rules):
                where = f"'per-file-ignores.{pattern[:MAX_SHOWN]}'"
                self._wrong(f"{where} is not a list of strings", "per-file-ignores", pattern)
            else:
                self._rules(rules, "per-file-ignores")

    def _level(self) -> None:
        value = self.table.get("fail-on", "")
        if value not in ("", *LEVELS):
            near = _near(value, LEVELS) if isinstance(value, str) else ""
            self._wrong(f"'fail-on' is one of {', '.join(LEVELS)}{near}", "fail-on")

    def _values(self) -> None:
        """Versions and sizes: their readers say what is wrong with them."""
        given = self.table.get("assume")
        strings = [item for item in given if isinstance(item, str)] if isinstance(given, list) else []
        bad = [item for item in strings if self._tried(partial(assumed, (item,), ":"), "assume", item)]
        self._tried(partial(assumed, [item for item in strings if item not in bad], ":"), "assume")
        size = self.table.get("gpu-memory", "")
        self._tried(partial(memory_size, size if isinstance(size, str) else "", ":"), "gpu-memory")

    def _tried(self, read: Callable[[], object], key: str, item: str = "") -> bool:
        try:
            read()
        except (BadAssumption, BadSize) as error:
            self._wrong(str(error).removeprefix(":: "), key, item)
            return True
        return False


def _near(word: str, known: tuple[str, ...]) -> str:
    near = get_close_matches(word.replace("_", "-").lower()[:MAX_SHOWN], known, 1)
    return f" (did you mean {near[0]!r}?)" if near else ""


def line_of(text: str, key: str, item: str = "") -> int:
    """The line (from 1) of a key of mmcodemod, or of a string in its value; 0 when it is not seen."""
    lines = text.splitlines()
    start = next((i for i, line in enumerate(lines) if "tool.mmcodemod" in line.replace(" ", "")), 0)
    begins = re.compile(rf"""(?:^|[^#]*[\s\[{{,.'"]){re.escape(key)}["']?\s*[=.\]]""")
    at = next((i for i in range(start, len(lines)) if begins.match(lines[i])), None)
    if at is None:
        return 0
    quoted = (f'"{item}"', f"'{item}'")
    within = (i for i in range(at, len(lines)) if any(q in lines[i] for q in quoted))
    return (next(within, at) if item else at) + 1
