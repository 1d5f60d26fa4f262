"""Could the installed version be below X? Yes, no, or unknown."""

from __future__ import annotations

from mmcodemod.facts.dependencies import version_below
from mmcodemod.model.context import Context
from mmcodemod.model.finding import Note


def below(context: Context, package: str, version: str) -> bool | None:
    """True when every version that the context's requirement allows is below `version`, False when none
    is, None when it cannot be said."""
    found = context.dependencies.get(package)
    return version_below([found.spec], version) if found else None


def pinned(context: Context, package: str, note: str) -> Note | None:
    """The line that requires the package, with what follows from it."""
    found = context.dependencies.get(package)
    return Note(found.at, f"{found.name}{found.spec}{note}") if found and found.at else None
