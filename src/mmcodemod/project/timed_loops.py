"""Loops that measure how long steps take: they go over numbers, no data is loaded in their file, and nothing
there saves what they train."""

from __future__ import annotations

import ast

from mmcodemod.model.pattern import regex
from mmcodemod.project.flow import flow_of
from mmcodemod.project.model import Project

_CLOCKS = regex(
    r"\b(time\.(time|perf_counter|monotonic)|perf_counter|cuda_time|elapsed_time|Timer)\("
    r"|(?<![\w.])time\(\)"  # `from time import time`
)
_KEEPS_OR_LOADS = regex(r"(?i)save|checkpoint_|push_to_hub|DataLoader|load_dataset|\bdataset\b|\bnext\(")


def timed(project: Project, function: str, node: ast.AST) -> bool:
    """Does a call stand in such a loop of its function?"""
    text = project.index.text(function.partition("::")[0])
    if not _CLOCKS.search(text) or _KEEPS_OR_LOADS.search(text):
        return False
    loops = flow_of(project, function).loops(node)
    return bool(loops) and all(isinstance(loop, ast.For) and of_numbers(loop.iter) for loop in loops)


def of_numbers(iterated: ast.expr) -> bool:
    """Is it a range, perhaps with a bar, or some constants?"""
    if isinstance(iterated, (ast.List, ast.Tuple)):
        return all(isinstance(item, ast.Constant) for item in iterated.elts)
    if not isinstance(iterated, ast.Call):
        return False
    name = getattr(iterated.func, "attr", getattr(iterated.func, "id", ""))
    return name in ("range", "trange") or (
        name == "tqdm" and bool(iterated.args) and of_numbers(iterated.args[0])
    )
