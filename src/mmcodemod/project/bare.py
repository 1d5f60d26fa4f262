"""Frames without what their calls give: what a function makes by itself."""

from __future__ import annotations

from mmcodemod.project.frame import Frame

_BARE = "bare "  # before the site of a frame: without what calls give for its parameters


def bare(frame: Frame) -> Frame:
    """The frame with nothing given for its parameters."""
    return frame if is_bare(frame) else frame._replace(site=f"{_BARE}{frame.site}")


def is_bare(frame: Frame) -> bool:
    """Is it asked what a function makes by itself, whatever its calls give it?"""
    return frame.site.startswith(_BARE)


def called(frame: Frame) -> Frame:
    """The frame as the call graph knows it."""
    return frame._replace(site=frame.site.removeprefix(_BARE)) if frame.site else frame
