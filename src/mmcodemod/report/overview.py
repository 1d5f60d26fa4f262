"""Training contexts as a table, and all that made none, for people and as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from mmcodemod.model.context import Context, Overview, PassedOver
from mmcodemod.model.finding import Problem
from mmcodemod.model.report import Report
from mmcodemod.report import json
from mmcodemod.report.escape import visible
from mmcodemod.report.words import count, few, labels

_HEAD = ("strategy", "entry", "configuration", "runs")
_GAP = "  "
_NARROWEST = 12  # columns that a shortened cell keeps


def table(contexts: Iterable[Context], columns: int = 100) -> str:
    """One row for the contexts that run the same code with the same strategy and configurations."""
    found = sorted(contexts, key=lambda c: c.id)
    names = labels(found)
    groups: dict[tuple[str, ...], list[str]] = {}
    for context in found:
        groups.setdefault(_alike(context), []).append(names[context.id])
    rows = [(*alike, few(runs)) for alike, runs in groups.items()]
    return "\n".join([*_drawn([_HEAD, *rows], columns), "", count(len(found), "training context") + "\n"])


def render(overview: Overview, columns: int = 100) -> str:
    """The table, the configurations that nothing launches, and what makes no context, by reason."""
    parts = [table(overview.contexts, columns)]
    if overview.configured:
        parts.append("configurations that nothing launches\n\n" + table(overview.configured, columns))
    if overview.passed_over:
        parts.append("no training context\n\n" + "\n".join(_reasons(overview.passed_over)) + "\n")
    return "\n".join(parts)


def render_json(overview: Overview, problems: tuple[Problem, ...]) -> str:
    """The JSON contract, with two keys more: `configured`, and `passed_over` with a reason for each."""
    return json.dump(
        {
            **json.header(),
            "contexts": json.contexts(Report(contexts=overview.contexts)),
            "configured": json.contexts(Report(contexts=overview.configured)),
            "passed_over": [_object(one) for one in overview.passed_over],
            "problems": json.problems(problems),
        }
    )


def _object(one: PassedOver) -> json.Object:
    return {"path": one.path, "line": one.line or None, "kind": one.kind, "reason": one.reason}


def _alike(context: Context) -> tuple[str, ...]:
    entry = "-" if context.entry is None else context.entry.path
    if context.entry is not None and context.entry.library:
        entry = f"installed {context.entry.library}"
    return context.strategy.value, visible(entry), visible(", ".join(sorted(context.configs)) or "-")


def _drawn(rows: Sequence[tuple[str, ...]], columns: int) -> Iterator[str]:
    widths = _widths(rows, columns)
    for row in rows:
        cells = [_short(cell, width).ljust(width) for cell, width in zip(row, widths)]
        yield _GAP.join([*cells, row[-1]]).rstrip()


def _widths(rows: Sequence[tuple[str, ...]], columns: int) -> list[int]:
    """Of all columns but the last; entry and configuration share what the others leave."""
    widths = [max(len(row[at]) for row in rows) for at in range(len(_HEAD))]
    room = columns - widths[0] - min(widths[-1], columns // 3) - len(_GAP) * (len(_HEAD) - 1)
    for at in (1, 2):
        widths[at] = max(_NARROWEST, min(widths[at], room // 2 if at == 1 else room - widths[1]))
    return widths[:-1]


def _short(cell: str, width: int) -> str:
    """The end of a path says more than its beginning."""
    return cell if len(cell) <= width else "..." + cell[len(cell) - width + 3 :]


def _reasons(over: Sequence[PassedOver]) -> Iterator[str]:
    """The places of each reason, the most frequent reason first."""
    groups: dict[str, list[str]] = {}
    for one in over:
        groups.setdefault(one.reason, []).append(visible(f"{one.path}:{one.line}" if one.line else one.path))
    for reason, places in sorted(groups.items(), key=lambda group: (-len(group[1]), group[0])):
        yield f"{len(places):4}  {visible(reason)}: {few(places)}"
