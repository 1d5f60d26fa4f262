"""A layered layout from left to right: cycles broken, layers by longest path, few crossings, straight lines.
The same graph gives the same picture."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import networkx as nx

from mmcodemod.report.graph.straighten import spread

SWEEPS = 12

Bend = tuple[str, int]  # where the long arrows to one box pass a layer, all of them together
Point = tuple[float, float]


@dataclass(frozen=True)
class Spacing:
    """Sizes in pixels."""

    box_height: float = 38
    gap: float = 14
    passing: float = 10
    between_layers: float = 56


@dataclass(frozen=True)
class Layout:
    """The left upper corner of every box, the points of every arrow, and the size of the picture."""

    boxes: dict[str, Point]
    arrows: dict[tuple[str, str], list[Point]]
    width: float
    height: float


def layered(
    widths: Mapping[str, float], arrows: Sequence[tuple[str, str]], spacing: Spacing = Spacing()
) -> Layout:
    """Place boxes of the given widths. Arrows from a box to itself are left out."""
    forward = _acyclic(widths, arrows)
    ranks = _ranks(forward)
    graph, chains = _with_bends(forward, ranks)
    order = _ordered(graph, _initial(graph, ranks))
    return _placed(order, graph, chains, widths, arrows, spacing)


def _acyclic(names: Iterable[str], arrows: Sequence[tuple[str, str]]) -> nx.DiGraph[str]:
    """The graph with the arrows that close a cycle turned around."""
    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_nodes_from(names)
    graph.add_edges_from((a, b) for a, b in sorted(set(arrows)) if a != b)
    closing = [edge for edge in graph.edges if edge in _back_edges(graph)]
    graph.remove_edges_from(closing)
    graph.add_edges_from((b, a) for a, b in closing)
    return graph


def _back_edges(graph: nx.DiGraph[str]) -> set[tuple[str, str]]:
    """Arrows to a box from which one comes, found depth first from the boxes that nothing leads to."""
    first = [n for n in graph if not graph.in_degree(n)]
    found: set[tuple[str, str]] = set()
    seen: set[str] = set()
    for root in [*first, *graph]:
        if root in seen:
            continue
        stack, on_path = [(root, iter(sorted(graph.successors(root))))], {root}
        seen.add(root)
        while stack:
            node, following = stack[-1]
            child = next(following, None)
            if child is None:
                on_path.discard(node)
                stack.pop()
            elif child in on_path:
                found.add((node, child))
            elif child not in seen:
                seen.add(child)
                on_path.add(child)
                stack.append((child, iter(sorted(graph.successors(child)))))
    return found


def _ranks(graph: nx.DiGraph[str]) -> dict[str, int]:
    """The layer of every box: as long as the longest path to it; boxes that nothing leads to stand just
    before what they lead to."""
    ranks = {n: rank for rank, layer in enumerate(nx.topological_generations(graph)) for n in layer}
    for node in sorted(graph):
        if not graph.in_degree(node) and graph.out_degree(node):
            ranks[node] = min(ranks[s] for s in graph.successors(node)) - 1
    return ranks


def _with_bends(
    graph: nx.DiGraph[str], ranks: dict[str, int]
) -> tuple[nx.DiGraph[str | Bend], dict[tuple[str, str], list[str | Bend]]]:
    """The graph in which every arrow leads from one layer to the next."""
    bent: nx.DiGraph[str | Bend] = nx.DiGraph()
    bent.add_nodes_from((n, {"rank": ranks[n]}) for n in sorted(graph, key=lambda n: (ranks[n], n)))
    chains: dict[tuple[str, str], list[str | Bend]] = {}
    for a, b in sorted(graph.edges):
        between = range(ranks[a] + 1, ranks[b])
        bends: list[str | Bend] = [(b, rank) for rank in between]
        bent.add_nodes_from((bend, {"rank": rank}) for bend, rank in zip(bends, between))
        chains[a, b] = [a, *bends, b]
        nx.add_path(bent, chains[a, b])
    return bent, chains


def _initial(graph: nx.DiGraph[str | Bend], ranks: dict[str, int]) -> list[list[str | Bend]]:
    """Layers in the order of a walk that keeps together what belongs together."""
    layers: list[list[str | Bend]] = [[] for _ in range(max(ranks.values(), default=0) + 1)]
    undirected = graph.to_undirected()
    seen: set[str | Bend] = set()
    for root in list(graph):
        for node in nx.dfs_preorder_nodes(undirected, root) if root not in seen else ():
            seen.add(node)
            layers[graph.nodes[node]["rank"]].append(node)
    return layers


def _ordered(graph: nx.DiGraph[str | Bend], layers: list[list[str | Bend]]) -> list[list[str | Bend]]:
    """Sweep to and fro, each layer sorted by the middle of its neighbours; the best order wins."""
    best, fewest = [list(layer) for layer in layers], _crossings(graph, layers)
    for sweep in range(SWEEPS):
        down = sweep % 2 == 0
        for layer in layers if down else layers[::-1]:
            _sort(layer, graph, layers, down)
        crossings = _crossings(graph, layers)
        if crossings < fewest:
            best, fewest = [list(layer) for layer in layers], crossings
    return best


def _sort(
    layer: list[str | Bend], graph: nx.DiGraph[str | Bend], layers: list[list[str | Bend]], down: bool
) -> None:
    if not layer:
        return
    near = graph.nodes[layer[0]]["rank"] + (-1 if down else 1)
    if not 0 <= near < len(layers):
        return
    position = {node: at for at, node in enumerate(layers[near])}
    sides = graph.predecessors if down else graph.successors
    middle: dict[str | Bend, float] = {}
    for at, node in enumerate(layer):
        found = [position[n] for n in sides(node) if n in position]
        middle[node] = sum(found) / len(found) if found else at * len(position) / len(layer)
    layer.sort(key=middle.__getitem__)


def _crossings(graph: nx.DiGraph[str | Bend], layers: list[list[str | Bend]]) -> int:
    """How many arrows cross, between neighbouring layers."""
    total = 0
    for layer, following in pairwise(layers):
        position = {node: at for at, node in enumerate(following)}
        ends = [sorted(position[s] for s in graph.successors(n) if s in position) for n in layer]
        total += _inversions([end for some in ends for end in some])
    return total


def _inversions(numbers: list[int]) -> int:
    """Pairs in the wrong order, counted while merging."""
    if len(numbers) < 2:
        return 0
    middle = len(numbers) // 2
    left, right = numbers[:middle], numbers[middle:]
    found = _inversions(left) + _inversions(right)
    left.sort()
    right.sort()
    at = 0
    for number in right:
        while at < len(left) and left[at] <= number:
            at += 1
        found += len(left) - at
    return found


def _placed(
    order: list[list[str | Bend]],
    graph: nx.DiGraph[str | Bend],
    chains: dict[tuple[str, str], list[str | Bend]],
    widths: Mapping[str, float],
    arrows: Sequence[tuple[str, str]],
    spacing: Spacing,
) -> Layout:
    heights = {n: spacing.box_height if isinstance(n, str) else spacing.passing for n in graph}
    middle = spread(order, graph, heights, spacing.gap)
    columns = [max((widths[n] for n in layer if isinstance(n, str)), default=0.0) for layer in order]
    lefts = [sum(columns[:at]) + at * spacing.between_layers for at in range(len(columns))]
    boxes: dict[str, Point] = {}
    for node in graph:
        if isinstance(node, str):
            boxes[node] = (lefts[graph.nodes[node]["rank"]], middle[node] - spacing.box_height / 2)
    lines = {}
    for a, b in sorted(set(arrows)):
        if a != b:
            chain = chains.get((a, b)) or chains[b, a][::-1]
            lines[a, b] = _line(chain, graph, boxes, middle, widths, lefts, columns)
    height = max((y for _, y in boxes.values()), default=0) + spacing.box_height
    width = max((x + widths[n] for n, (x, _) in boxes.items()), default=0)
    return Layout(boxes, lines, width, max(height, max(middle.values(), default=0)))


def _line(
    chain: list[str | Bend],
    graph: nx.DiGraph[str | Bend],
    boxes: dict[str, Point],
    middle: dict[str | Bend, float],
    widths: Mapping[str, float],
    lefts: list[float],
    columns: list[float],
) -> list[Point]:
    """The points of an arrow: it leaves at the side that faces the next point, and passes layers level."""
    first, last = chain[0], chain[-1]
    assert isinstance(first, str) and isinstance(last, str)
    forward = graph.nodes[last]["rank"] > graph.nodes[first]["rank"]
    start = (boxes[first][0] + (widths[first] if forward else 0), middle[first])
    end = (boxes[last][0] + (0 if forward else widths[last]), middle[last])
    points = [start]
    left = first if forward else last  # level past wider boxes of the same layer
    at = graph.nodes[left]["rank"]
    beside = (lefts[at] + columns[at], middle[left])
    if forward:
        points.append(beside)
    for bend in chain[1:-1]:
        rank = graph.nodes[bend]["rank"]
        sides = (lefts[rank], lefts[rank] + columns[rank])
        points += [(x, middle[bend]) for x in (sides if forward else sides[::-1])]
    if not forward:
        points.append(beside)
    return [*points, end]
