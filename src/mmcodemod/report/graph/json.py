"""A call graph as JSON: names alone, as benchmarks of call graphs read it, or one row for every call."""

from __future__ import annotations

import json
from collections.abc import Iterable

from mmcodemod.model.callmap import Call, CallMap, Kind, Unknown
from mmcodemod.report.escape import storable

Row = dict[str, str | int | None]
NO_CALL = "import"  # runs a module's code without a call


def render(shown: CallMap) -> str:
    """`{"pkg.mod.caller": ["pkg.mod.callee", ...]}` with an entry for every function whose code is seen."""
    found: dict[str, set[str]] = {
        storable(f.name): set() for f in shown.functions if f.kind is not Kind.LIBRARY
    }
    for call in shown.calls:
        if call.how != NO_CALL and "(" not in call.callee:  # `re.compile().sub` is no dotted name
            found.setdefault(storable(call.caller), set()).add(storable(call.callee))
    names = {caller: sorted(callees) for caller, callees in sorted(found.items())}
    return json.dumps(names, indent=1, ensure_ascii=False) + "\n"


def render_rows(shown: CallMap) -> str:
    """One object a line: every call with its place and how it was resolved; unresolved ones have callee
    null and a reason."""
    return dump_rows([*map(row, shown.calls), *map(unknown_row, shown.unknown)])


def row(call: Call) -> Row:
    """A call that was resolved."""
    found: Row = {
        "caller": call.caller,
        "callee": call.callee,
        "path": call.path,
        "line": call.line,
        "how": call.how,
    }
    return {**found, "note": call.note} if call.note else found


def unknown_row(call: Unknown) -> Row:
    """A call that was not."""
    return {
        "caller": call.caller,
        "callee": None,
        "path": call.path,
        "line": call.line,
        "how": "unresolved",
        "called": call.called,
        "kind": call.kind,
        "reason": call.reason,
    }


def dump_rows(rows: Iterable[Row]) -> str:
    """A JSON list with one row a line."""
    lines = [json.dumps({k: _text(v) for k, v in r.items()}, ensure_ascii=False) for r in rows]
    return "[\n" + ",\n".join(lines) + "\n]\n" if lines else "[]\n"


def _text(value: str | int | None) -> str | int | None:
    return storable(value) if isinstance(value, str) else value
