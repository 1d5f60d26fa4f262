"""Composition root: tree -> index -> project -> scan -> check -> fix -> report, in one readable place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from mmcodemod.model.finding import Finding, Problem
from mmcodemod.model.report import Report
from mmcodemod.source.tree import Tree


@dataclass(frozen=True)
class Settings:
    """What a user may choose for one run. Codes may be prefixes ("MM3")."""

    select: tuple[str, ...] = ("MM",)
    ignore: tuple[str, ...] = ()
    per_file_ignores: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    codemods: tuple[str, ...] = ()


@dataclass(frozen=True)
class FixResult:
    """`changed` holds the new content of every file that a verified fix changes; `fixed` the findings
    that are gone, `left` those that remain, `problems` the fixes that failed verification."""

    changed: dict[str, bytes]
    fixed: tuple[Finding, ...]
    left: tuple[Finding, ...]
    problems: tuple[Problem, ...] = ()


def check(tree: Tree, settings: Settings = Settings()) -> Report:
    """Check a tree. Problems with single files are in the report; nothing is raised for them."""
    raise NotImplementedError


def fix(tree: Tree, settings: Settings = Settings(), unsafe: bool = False) -> FixResult:
    """Apply all safe fixes (and unsafe ones when asked) in memory, verified. Writes nothing."""
    raise NotImplementedError
