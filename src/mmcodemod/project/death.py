"""Where and why a launch ends before it trains."""

from __future__ import annotations

from mmcodemod.model.frozen import frozen
from mmcodemod.model.place import Place


@frozen()
class Death:
    """`error` is what Python says at `at`, and `why` the reason. `fact`: what decides whether the run gets
    further, as the end of "This depends on". `sure` is False where somebody may bring what the tree lacks.
    `rule`: the code of that which tells it, "" for MM515. `lacks`: the path that the tree does not have, ""
    where the run ends of something else; `kept`: may somebody keep it outside of version control?"""

    at: Place
    error: str
    why: str
    fact: str
    sure: bool = True
    rule: str = ""
    lacks: str = ""
    kept: bool = False


def dead_at(at: Place, error: str, why: str) -> Death:
    """A run that ends at one line of the tree."""
    return Death(at, error, why, f"whether the run gets past {at}: {why}")
