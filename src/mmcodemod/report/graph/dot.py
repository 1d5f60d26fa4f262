"""A call graph for Graphviz."""

from __future__ import annotations

from collections.abc import Iterator

from mmcodemod.model.callmap import Role
from mmcodemod.report.escape import visible
from mmcodemod.report.graph.drawing import Arrow, Box, Drawing
from mmcodemod.report.graph.words import SURENESS, sureness

_STYLE = {"exact": "solid", "inferred": "dashed", "assumed": "dotted"}


def render(drawn: Drawing) -> str:
    """The drawing with one cluster for each module that has several functions."""
    return "".join(f"{line}\n" for line in _lines(drawn))


def _lines(drawn: Drawing) -> Iterator[str]:
    yield "digraph calls {"
    yield f"  label={_quoted(' '.join((drawn.title + '.', drawn.remark)).strip())};"
    yield "  labelloc=t; rankdir=LR; ranksep=0.6; nodesep=0.15;"
    yield '  node [shape=box, style="rounded,filled", fillcolor="#eef2f7", color="#8a99ad"];'
    yield '  edge [color="#5b6b80"];'
    for number, group in enumerate(sorted({box.group for box in drawn.boxes})):
        yield from _cluster(number, group, [box for box in drawn.boxes if box.group == group])
    yield from (f"  {_arrow(arrow)}" for arrow in drawn.arrows)
    yield "}"


def _cluster(number: int, group: str, boxes: list[Box]) -> Iterator[str]:
    if len(boxes) == 1:
        yield f"  {_box(boxes[0], boxes[0].below)}"
        return
    yield f"  subgraph cluster_{number} {{"
    yield f'    label={_quoted(group)}; color="#c8d1dc";'
    yield from (f"    {_box(box, '')}" for box in boxes)
    yield "  }"


def _box(box: Box, below: str) -> str:
    label = f"{box.title}\n{below}" if below else box.title
    fill = {Role.TRAINS: ', fillcolor="#ffd79a"', Role.RUNS: ', fillcolor="#fff1d6"'}.get(box.role, "")
    other = "" if box.kind in ("tree", "module") else ', style="rounded,filled,dashed"'
    return f"{_quoted(box.name)} [label={_quoted(label)}{fill}{other}];"


def _arrow(arrow: Arrow) -> str:
    sure = sureness(arrow.how)
    tip = f"{arrow.note} ({SURENESS[sure]})"
    style = f"style={_STYLE[sure]}, tooltip={_quoted(tip)}"
    return f"{_quoted(arrow.source)} -> {_quoted(arrow.target)} [{style}];"


def _quoted(text: str) -> str:
    """A string of the language: everything but line feeds is shown as it is."""
    lines = (visible(line).replace("\\", "\\\\").replace('"', '\\"') for line in text.split("\n"))
    return '"' + "\\n".join(lines) + '"'
