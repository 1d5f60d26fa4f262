"""The names and attributes that hold a value on its way: what a chain of origins comes through."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

from mmcodemod.project.model import Project
from mmcodemod.project.origins import Origin, Tracing


class Followed(Tracing):
    """Origins that keep what they come through, each with the function that evaluates it. Of the reached
    `functions` alone callers count."""

    def __init__(self, project: Project, functions: Collection[str]) -> None:
        super().__init__(project, runs=functions.__contains__)
        self.through: list[Origin] = []

    def _follow(self, expr: ast.expr, function: str, seen: set[tuple[int, str]]) -> Iterator[Origin]:
        if isinstance(expr, (ast.Name, ast.Attribute)):
            self.through.append(Origin(expr, function))
        yield from super()._follow(expr, function, seen)
