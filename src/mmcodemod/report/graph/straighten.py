"""Heights in a layered layout: every box as near to the middle of its neighbours as the others allow."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TypeVar

import networkx as nx

Node = TypeVar("Node", bound=Hashable)
PASSES = 8


def spread(
    order: Sequence[Sequence[Node]], graph: nx.DiGraph[Node], heights: Mapping[Node, float], gap: float
) -> dict[Node, float]:
    """The vertical middle of every box, the order within layers kept, the highest box at the top."""
    middle: dict[Node, float] = {}
    for layer in order:
        middle.update(zip(layer, fitted([0.0] * len(layer), _apart(layer, heights, gap))))
    for turn in range(PASSES):
        for layer in order if turn % 2 == 0 else order[::-1]:
            wanted = [_wish(node, graph, middle, turn % 2 == 0) for node in layer]
            middle.update(zip(layer, fitted(wanted, _apart(layer, heights, gap))))
    top = min((middle[n] - heights[n] / 2 for n in middle), default=0.0)
    return {node: at - top for node, at in middle.items()}


def _wish(node: Node, graph: nx.DiGraph[Node], middle: Mapping[Node, float], down: bool) -> float:
    """The middle of the neighbours before (or after) a box; of all in the end, else where it is."""
    near = list(graph.predecessors(node) if down else graph.successors(node))
    found = sorted(middle[n] for n in near or (*graph.predecessors(node), *graph.successors(node)))
    if not found:
        return middle[node]
    half = len(found) // 2
    return found[half] if len(found) % 2 else (found[half - 1] + found[half]) / 2


def _apart(layer: Sequence[Node], heights: Mapping[Node, float], gap: float) -> list[float]:
    """How far below the first box of a layer each one must be at least."""
    places, at = [], 0.0
    for before, node in zip((None, *layer), layer):
        if before is not None:
            at += (heights[before] + heights[node]) / 2 + gap
        places.append(at)
    return places


def fitted(wanted: Sequence[float], apart: Sequence[float]) -> list[float]:
    """Values as near to `wanted` as possible (least squares) that keep the order and the distances:
    isotonic regression, by putting together neighbours that are in each other's way."""
    blocks: list[tuple[float, int]] = []
    for wish, distance in zip(wanted, apart):
        mean, size = wish - distance, 1
        while blocks and blocks[-1][0] > mean:
            other, count = blocks.pop()
            mean, size = (other * count + mean * size) / (count + size), size + count
        blocks.append((mean, size))
    levels = [mean for mean, size in blocks for _ in range(size)]
    return [level + distance for level, distance in zip(levels, apart)]
