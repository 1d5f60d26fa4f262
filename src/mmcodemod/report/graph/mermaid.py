"""A call graph for Markdown."""

from __future__ import annotations

from collections.abc import Iterator

from mmcodemod.model.callmap import Role
from mmcodemod.report.escape import visible
from mmcodemod.report.graph.drawing import Arrow, Box, Drawing
from mmcodemod.report.graph.words import sureness

_ARROW = {"exact": "-->", "inferred": "-.->", "assumed": "-.->"}
_SAFE = frozenset(" .,:/-+()_'*")


def render(drawn: Drawing) -> str:
    """A flow chart from left to right. Names of the tree stand in labels only, and are escaped there."""
    ids = {box.name: f"n{number}" for number, box in enumerate(drawn.boxes)}
    return "".join(f"{line}\n" for line in _lines(drawn, ids))


def _lines(drawn: Drawing, ids: dict[str, str]) -> Iterator[str]:
    yield f"%% {_comment(drawn.title)}"
    if drawn.remark:
        yield f"%% {_comment(drawn.remark)}"
    yield "flowchart LR"
    for number, group in enumerate(sorted({box.group for box in drawn.boxes})):
        boxes = [box for box in drawn.boxes if box.group == group]
        if len(boxes) == 1:
            yield f"  {_box(boxes[0], ids)}"
            continue
        yield f'  subgraph g{number}["{_label(group)}"]'
        yield from (f"    {_box(box, ids)}" for box in boxes)
        yield "  end"
    yield from (f"  {_arrow(arrow, ids)}" for arrow in drawn.arrows)
    yield from _classes(drawn, ids)


def _box(box: Box, ids: dict[str, str]) -> str:
    text = f"{_label(box.title)}<br/>{_label(box.below)}" if box.kind != "tree" else _label(box.title)
    return f'{ids[box.name]}["{text}"]'


def _arrow(arrow: Arrow, ids: dict[str, str]) -> str:
    return f"{ids[arrow.source]} {_ARROW[sureness(arrow.how)]}|{_label(arrow.how)}| {ids[arrow.target]}"


def _classes(drawn: Drawing, ids: dict[str, str]) -> Iterator[str]:
    entries = [ids[box.name] for box in drawn.boxes if box.role is Role.TRAINS]
    if entries:
        yield "  classDef trains stroke:#c77700,stroke-width:3px"
        yield f"  class {','.join(entries)} trains"


def _label(text: str) -> str:
    """Text in which everything that could mean something to Mermaid or HTML is an entity."""
    safe = (c if c.isascii() and (c.isalnum() or c in _SAFE) else f"#{ord(c)};" for c in visible(text))
    return "".join(safe)


def _comment(text: str) -> str:
    return visible(text).replace("%", "")
