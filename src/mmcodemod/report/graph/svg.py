"""A drawing of a call graph. Text of the analysed tree is escaped; nothing is loaded from anywhere."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from importlib import resources

from mmcodemod.model.callmap import Role
from mmcodemod.report.escape import storable, visible
from mmcodemod.report.graph.drawing import Arrow, Box, Drawing
from mmcodemod.report.graph.picture import HEIGHT, Picture, picture, short
from mmcodemod.report.graph.words import HOWS, SURENESS, sureness

_MARGIN, _TOP = 24, 76
_LEAST = 560  # pixels, for title and legend


def render(drawn: Drawing) -> str:
    """The drawing with a title and a legend."""
    placed = picture(drawn)
    return "".join(f"{line}\n" for line in _document(drawn, placed))


def _document(drawn: Drawing, placed: Picture) -> Iterator[str]:
    wide, high = max(placed.width, _LEAST) + 2 * _MARGIN, placed.height + _TOP + 2 * _MARGIN
    size = f'width="{wide:.0f}" height="{high:.0f}" viewBox="0 0 {wide:.0f} {high:.0f}"'
    yield f'<svg xmlns="http://www.w3.org/2000/svg" {size}>'
    yield f"<title>{_text(drawn.title)}</title>"
    yield f"<style>{style()}</style>"
    yield '<rect class="paper" width="100%" height="100%"/>'
    yield f'<text class="heading" x="{_MARGIN}" y="28">{_text(drawn.title)}</text>'
    yield f'<text class="remark" x="{_MARGIN}" y="46">{_text(drawn.remark)}</text>'
    yield from _legend()
    yield f'<g transform="translate({_MARGIN} {_TOP + _MARGIN / 2:.0f})">'
    yield from (_arrow(arrow, path) for arrow, path in placed.arrows)
    again = {a.source for a in drawn.arrows if a.source == a.target}
    for box in drawn.boxes:
        yield from _box(box, placed.boxes[box.name], box.name in again)
    yield "</g></svg>"


def style() -> str:
    """The style sheet of drawings."""
    return (resources.files("mmcodemod") / "report" / "graph" / "drawing.css").read_text("utf-8")


def _legend() -> Iterator[str]:
    yield f'<g transform="translate({_MARGIN} {_TOP - 12})">'
    for number, (sure, words) in enumerate(SURENESS.items()):
        x = number * 130
        yield f'<path class="arrow {sure}" d="M{x} 0h34"/>'
        yield f'<text class="remark" x="{x + 40}" y="4">{words}</text>'
    yield "</g>"


def _box(box: Box, at: tuple[float, float, float], again: bool) -> Iterator[str]:
    x, y, wide = at
    role = f" {box.role.value}" if box.role is not Role.NONE else ""
    yield f'<g class="box {box.kind}{role}" transform="translate({x:.1f} {y:.1f})">'
    yield f"<title>{_text(box.name)}{' (calls itself)' if again else ''}</title>"
    yield f'<rect width="{wide:.1f}" height="{HEIGHT}" rx="7"/>'
    yield f'<text class="name" x="12" y="16">{_text(short(box.title))}{" ↻" if again else ""}</text>'
    yield f'<text class="below" x="12" y="30">{_text(short(box.below))}</text></g>'


def _arrow(arrow: Arrow, path: str) -> str:
    tip = (f"{arrow.source} -> {arrow.target}", arrow.note, HOWS.get(arrow.how, arrow.how))
    kind = "import" if arrow.how == "import" else sureness(arrow.how)
    lines = "\n".join(map(_text, tip))
    return f'<path class="arrow {kind}" d="{path}"><title>{lines}</title></path>'


def _text(text: str) -> str:
    return escape(visible(storable(text)))
