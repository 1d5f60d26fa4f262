"""What people see of a call graph: golden drawings and text, hostile names, and the layered layout."""

from __future__ import annotations

import random
from itertools import combinations, pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest
from graph_samples import PLAIN

from mmcodemod import pipeline
from mmcodemod.model.callmap import Call, CallMap, Function
from mmcodemod.report.graph import dot, formats, layout, mermaid, straighten, svg, text
from mmcodemod.report.graph.drawing import MOST_ARROWS, MOST_BOXES, drawing
from mmcodemod.source.tree import text_tree

GOLDEN = Path(__file__).parent / "golden" / "graph"


def graph_of(files, start="", goal=""):
    return pipeline.graph(text_tree(files), start, goal)


@pytest.mark.parametrize(("name", "format", "goal"), [
    ("names.json", "json", ""), ("edges.json", "json-edges", ""), ("graph.dot", "dot", ""),
    ("graph.mmd", "mermaid", ""), ("graph.svg", "svg", ""), ("path.svg", "svg", "Head.forward"),
])  # fmt: skip
def test_golden(name, format, goal):
    found = graph_of(PLAIN, "", goal)
    assert formats.render(format, found.shown, found.route) == (GOLDEN / name).read_text("utf-8")


@pytest.mark.parametrize(("name", "goal"), [
    ("summary.txt", ""), ("path.txt", "Head.forward"), ("not_found.txt", "lonely"),
])  # fmt: skip
def test_golden_text(name, goal):
    found = graph_of(PLAIN, "", goal)
    shown = text.render_route(found.route) if found.route else text.render(found.shown)
    assert shown == (GOLDEN / name).read_text("utf-8")


EVIL = '"></title><script>alert(1)</script>\\ #quot; \x1b[31m\n\u202e'


def evil_map():
    functions = tuple(Function(f"{EVIL}{n}", f"m{n}", f"{EVIL}.py", 1) for n in range(2))
    return CallMap(EVIL, functions, (Call(f"{EVIL}0", f"{EVIL}1", f"{EVIL}.py", 1, "direct", EVIL),))


def test_hostile_names_in_a_drawing():
    drawn = svg.render(drawing(evil_map()))
    root = ElementTree.fromstring(drawn)
    assert {tag.tag.rpartition("}")[2] for tag in root.iter()} <= {
        "svg",
        "g",
        "rect",
        "text",
        "title",
        "path",
        "style",
    }
    assert "\x1b" not in drawn and "\u202e" not in drawn


def test_hostile_names_for_graphviz_and_mermaid():
    shown = dot.render(drawing(evil_map()))
    outside = "".join(part for part in shown.replace("\\\\", "").replace('\\"', "").split('"')[::2])
    assert "alert" not in outside and "\x1b" not in shown and len(shown.splitlines()) < 25
    chart = mermaid.render(drawing(evil_map()))
    body = [line for line in chart.splitlines() if not line.startswith("%%")]
    assert not [line for line in body if "<script" in line or "\x1b" in line or line.count('"') % 2]


def test_hostile_names_in_text():
    shown = text.render(evil_map())
    assert "\x1b" not in shown and "\u202e" not in shown


def large(modules, each):
    functions = [
        Function(f"p.m{m}.f{n}", f"p.m{m}", f"p/m{m}.py", n) for m in range(modules) for n in range(each)
    ]
    calls = [Call(a.name, b.name, a.path, 1, "direct") for a, b in pairwise(functions)]
    return CallMap("large", tuple(functions), tuple(sorted(calls)))


@pytest.mark.parametrize(("modules", "each", "boxes"), [(3, 10, 30), (20, 30, 20), (400, 3, 1)])
def test_a_graph_that_is_too_large_is_drawn_by_module(modules, each, boxes):
    drawn = drawing(large(modules, each))
    assert len(drawn.boxes) in (boxes, 0 if boxes == 1 else boxes)
    assert ("too many for one picture" in drawn.remark) == (boxes != 30)
    assert len(drawn.boxes) <= MOST_BOXES and len(drawn.arrows) <= MOST_ARROWS


# -- the layout -------------------------------------------------------------------------------------


def random_graph(seed):
    chance = random.Random(seed)
    names = [f"n{n:02}" for n in range(chance.randint(1, 25))]
    arrows = [(chance.choice(names), chance.choice(names)) for _ in range(chance.randint(0, 50))]
    return {name: float(chance.randint(60, 200)) for name in names}, arrows


@pytest.mark.parametrize("seed", range(25))
def test_boxes_never_overlap_and_every_arrow_is_drawn(seed):
    widths, arrows = random_graph(seed)
    found = layout.layered(widths, arrows)
    assert set(found.boxes) == set(widths)
    assert set(found.arrows) == {(a, b) for a, b in arrows if a != b}
    high = layout.Spacing().box_height
    for a, b in combinations(sorted(found.boxes), 2):
        (ax, ay), (bx, by) = found.boxes[a], found.boxes[b]
        apart = ax + widths[a] <= bx or bx + widths[b] <= ax or ay + high <= by or by + high <= ay
        assert apart, (a, b)
    assert all(0 <= x <= found.width and 0 <= y <= found.height for x, y in found.boxes.values())
    assert layout.layered(widths, arrows[::-1]) == found


@pytest.mark.parametrize("seed", range(25))
def test_without_cycles_arrows_lead_to_the_right(seed):
    widths, arrows = random_graph(seed)
    forward = [(a, b) for a, b in arrows if a < b]
    found = layout.layered(widths, forward)
    assert all(found.boxes[a][0] < found.boxes[b][0] for a, b in forward)


def test_crossings_are_counted_and_removed():
    numbers = [3, 1, 2, 1, 0, 2]
    assert layout._inversions(numbers) == sum(a > b for a, b in combinations(numbers, 2))
    found = layout.layered(dict.fromkeys("abcd", 80.0), [("a", "d"), ("b", "c")])
    assert (found.boxes["a"][1] < found.boxes["b"][1]) == (found.boxes["d"][1] < found.boxes["c"][1])


def test_places_keep_order_and_distance_and_move_as_little_as_possible():
    assert straighten.fitted([5.0, 0.0, 10.0], [0.0, 2.0, 4.0]) == [1.5, 3.5, 10.0]
    assert straighten.fitted([0.0, 10.0], [0.0, 5.0]) == [0.0, 10.0]
