"""Where everything of a drawing stands: boxes in layers, those without arrows in rows below, and paths."""

from __future__ import annotations

from mmcodemod.model.frozen import frozen
from mmcodemod.report.escape import visible, width
from mmcodemod.report.graph.drawing import Arrow, Box, Drawing
from mmcodemod.report.graph.layout import Layout, Point, Spacing, layered

HEIGHT = 38
_SPACING = Spacing(box_height=HEIGHT)
_CHARACTER = 7.3  # pixels of a character of the title of a box
_SMALL = 6.1  # and of the line below it
_LONGEST = 42  # characters of a line in a box


@frozen()
class Picture:
    """Left upper corners and widths of boxes by name, the path of every arrow between two boxes, and the
    size, all in pixels."""

    boxes: dict[str, tuple[float, float, float]]
    arrows: tuple[tuple[Arrow, str], ...]
    width: float
    height: float


def picture(drawn: Drawing) -> Picture:
    """Place a drawing."""
    widths = {box.name: _width(box) for box in drawn.boxes}
    between = [a for a in drawn.arrows if a.source != a.target]
    linked = {end for a in between for end in (a.source, a.target)}
    placed = layered(
        {n: w for n, w in widths.items() if n in linked}, [(a.source, a.target) for a in between], _SPACING
    )
    alone = _alone([box for box in drawn.boxes if box.name not in linked], widths, placed)
    boxes = {n: (*at, widths[n]) for n, at in (*placed.boxes.items(), *alone.boxes.items())}
    arrows = tuple((a, _curve(placed.arrows[a.source, a.target])) for a in between)
    return Picture(boxes, arrows, max(placed.width, alone.width), alone.height)


def short(text: str) -> str:
    """The end of a long name says most."""
    shown = visible(text)
    return shown if len(shown) <= _LONGEST else "…" + shown[1 - _LONGEST :]


def _width(box: Box) -> float:
    text = max(width(short(box.title)) * _CHARACTER, width(short(box.below)) * _SMALL)
    return round(max(90.0, text + 24), 1)


def _alone(boxes: list[Box], widths: dict[str, float], placed: Layout) -> Layout:
    """Boxes without arrows, in rows below the others."""
    widest = max(placed.width, 900.0)
    x, y = 0.0, placed.height + 30 if placed.boxes else 0.0
    found: dict[str, Point] = {}
    for box in boxes:
        if x and x + widths[box.name] > widest:
            x, y = 0.0, y + HEIGHT + _SPACING.gap
        found[box.name] = (x, y)
        x += widths[box.name] + _SPACING.gap
    right = max((found[b.name][0] + widths[b.name] for b in boxes), default=0.0)
    return Layout(found, {}, right, y + HEIGHT if boxes else placed.height)


def _curve(points: list[Point]) -> str:
    """Level at every point, and an arrow head at the end."""
    (x, y), (end_x, end_y) = points[0], points[-1]
    parts = [f"M{x:.1f} {y:.1f}"]
    for to in points[1:]:
        parts.append(_piece((x, y), to))
        x, y = to
    back = -6 if end_x >= points[-2][0] else 6
    parts.append(f"m{back} -3.5L{end_x:.1f} {end_y:.1f}l{back} 3.5")
    return "".join(parts)


def _piece(start: Point, end: Point) -> str:
    (x, y), (to_x, to_y) = start, end
    if abs(to_y - y) < 0.5:
        return f"L{to_x:.1f} {to_y:.1f}"
    half = (to_x - x) / 2
    return f"C{x + half:.1f} {y:.1f} {to_x - half:.1f} {to_y:.1f} {to_x:.1f} {to_y:.1f}"
