"""Where a YAML or JSON text stops being one, for every parser: PyYAML's two and, for JSON, a lenient one."""

from __future__ import annotations

import re
from typing import Any

from mmcodemod.facts import jsonspan
from mmcodemod.model.pattern import regex

MAX_SIZE = 300_000
_TEMPLATE = ("{{", "{%", "<%")  # what fills such a text in comes before the parser
_DEEPSPEED = "zero_optimization"  # a rule of its own says what is wrong with such a file
_FILLED_IN = regex(r"path/to|/path|your|<\w|xxx|todo", re.IGNORECASE)  # by the user, who may mend it


def bad_line(text: str, *, json: bool = False) -> int:
    """The 1-based line that no parser gets past; 0 where one takes the text, or it is a template."""
    if len(text) > MAX_SIZE or any(mark in text for mark in _TEMPLATE):
        return 0
    line = _json_line(text) if json else _yaml_line(text)
    near = text.splitlines()[max(line - 2, 0) : line]
    return 0 if any(map(_FILLED_IN.search, near)) else line


def _json_line(text: str) -> int:
    if not text.lstrip().startswith("{") or _DEEPSPEED in text:
        return 0
    found = jsonspan.parse(text)
    if found.root is not None or found.strict or not found.errors:
        return 0
    return min(found.errors[0][0], text.rstrip().count("\n") + 1)


def _yaml_line(text: str) -> int:
    import yaml  # slow to import

    line = 0
    for loader in (getattr(yaml, "CSafeLoader", yaml.SafeLoader), yaml.SafeLoader):
        line = _refused_by(loader, text)
        if not line:
            return 0
    return line


def _refused_by(loader: Any, text: str) -> int:
    import yaml

    try:
        for _ in yaml.parse(text, Loader=loader):
            pass
    except yaml.MarkedYAMLError as error:
        return error.problem_mark.line + 1 if error.problem_mark is not None else 1
    except (yaml.YAMLError, RecursionError):
        return 0
    return 0
