"""The reporter of each format by name."""

from __future__ import annotations

from mmcodemod.model.callmap import CallMap, Route
from mmcodemod.report.graph.drawing import Drawing, drawing, path_drawing


def render(format: str, shown: CallMap, route: Route | None = None) -> str:
    """The graph, or the path alone, in one of the formats for machines or for drawing."""
    from mmcodemod.report.graph import dot, json, mermaid

    if format in ("json", "json-edges"):
        return (json.render if format == "json" else json.render_rows)(shown)
    if format == "html":
        from mmcodemod.report.graph import html

        return html.render(shown, route)
    drawn = _drawn(format, shown, route)
    if format == "svg":
        from mmcodemod.report.graph import svg  # loads networkx

        return svg.render(drawn)
    return dot.render(drawn) if format == "dot" else mermaid.render(drawn)


def _drawn(format: str, shown: CallMap, route: Route | None) -> Drawing:
    return path_drawing(shown) if route else drawing(shown, whole=format == "dot")
