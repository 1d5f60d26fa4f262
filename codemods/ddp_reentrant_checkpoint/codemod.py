"""Makes checkpointing non-reentrant, so that DDP sees each parameter once.

before: x = checkpoint(layer, x)
after:  x = checkpoint(layer, x, use_reentrant=False)
"""

from __future__ import annotations

import ast

from mmcodemod.api import Edit, Place, Project, checkpointing


def non_reentrant(project: Project, function: str, call: ast.Call) -> Edit | None:
    """The edit of one call; None where what it is given does not stand there as a word."""
    path = function.partition("::")[0]
    given = next((k.value for k in call.keywords if k.arg == checkpointing.KEY), None)
    if given is not None:
        at = project.place(path, given)
        literal = isinstance(given, ast.Constant) and given.value is True
        return Edit(path, (at.line, at.column), _end(at), "False") if literal else None
    if any(k.arg is None for k in call.keywords):
        return None  # what is spread may have the word already
    if not call.args and not call.keywords:
        line, column = _end(project.place(path, call))
        word = f'{checkpointing.KWARGS}={{"{checkpointing.KEY}": False}}'
        return Edit(path, (line, column - 1), (line, column - 1), word)
    last = max((*call.args, *(k.value for k in call.keywords)), key=lambda e: (e.lineno, e.col_offset))
    end = _end(project.place(path, last))
    return Edit(path, end, end, f", {checkpointing.KEY}=False")


def _end(at: Place) -> tuple[int, int]:
    return at.last_line, at.end_column or at.column
