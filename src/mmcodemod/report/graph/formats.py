"""The reporter of each format by name."""

from __future__ import annotations

from mmcodemod.model.callmap import CallMap, Route


def render(format: str, shown: CallMap, route: Route | None = None) -> str:
    """The graph, or the path alone, in one of the formats for machines or for drawing."""
    from mmcodemod.report.graph import json

    return {"json": json.render, "json-edges": json.render_rows}[format](shown)
