"""Do all entries of a table lead to a function? Then which one a run takes does not matter to it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from mmcodemod.model.context import Entry
from mmcodemod.project.model import Project
from mmcodemod.project.naming_places import namings
from mmcodemod.project.values import Bound, ClassRef, FunctionRef

Leads = Callable[[frozenset[str]], bool]


def whichever(project: Project, entry: Entry, target: str, leads: Leads) -> bool:
    """Is there a table with the target in which no choice keeps the run out? `leads`: may the run come to
    the function when it never runs some functions and classes (ids)?"""
    for table in _tables(project, entry, target):
        own = [_ids(project, function, value) for function, value in table]
        every = frozenset().union(*own)
        if all(ids and leads(every - ids) for ids in own):
            return True
    return False


def _tables(project: Project, entry: Entry, target: str) -> Iterator[list[tuple[str, ast.expr]]]:
    """The entries of each table that names the target, with the function that writes the table."""
    for naming in namings(project, entry, target.rpartition("::")[2]):
        if isinstance(naming.parent, ast.Dict):
            yield [(naming.function, value) for value in naming.parent.values]


def _ids(project: Project, function: str, value: ast.expr) -> frozenset[str]:
    """The functions and classes of the tree that an entry may be."""
    found = project.values(value, function)
    made = {v.cls for v in found if isinstance(v, ClassRef)}
    return frozenset(made | {v.function for v in found if isinstance(v, (FunctionRef, Bound))})
