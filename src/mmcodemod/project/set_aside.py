"""Launches that the tree itself has set aside: the script or the program lies in a folder that says so, or in
one where Weights & Biases keeps the code of a run that was."""

from __future__ import annotations

import re

from mmcodemod.model.context import Context
from mmcodemod.model.pattern import regex

_FOLDER = regex(
    r"(?:^|/)([_.-]?(?:deprecated|legacy|obsolete|outdated|archived?|attic|bak|trash|rubbish|garbage|unused"
    r"|abandoned|graveyard|(?:code_?)?backups?)[_.-]?|wandb/(?:offline-)?run-\d{8}_\d{6}-\w+)/",
    re.IGNORECASE,
)


def set_aside(context: Context) -> str:
    """The open fact about such a launch; "" for all others."""
    paths = [context.launcher.path] if context.launcher else []
    paths += [context.entry.path] if context.entry else []
    found = next((f for path in paths if (f := _FOLDER.search(path))), None)
    return f"whether anybody still runs what lies in a folder called {found[1]}" if found else ""
