"""Functions that return what a call of themselves returns, taken apart: the origins of the parts end."""

from __future__ import annotations

import ast

import pytest

from mmcodemod.pipeline import build_project
from mmcodemod.project.origins import Origins
from mmcodemod.project.wrapping import Wrappers
from mmcodemod.source.tree import text_tree

ITSELF = """
def pair(rows, depth):
    if depth:
        return pair(rows, depth - 1)
    return {}, 7
"""
EACH_OTHER = """
def pair(rows, depth):
    if depth:
        return halves(rows, depth - 1)
    return {}, 7


def halves(rows, depth):
    return pair(rows, depth)
"""
MAIN = """

first, second = pair([], 3)
print(second)
"""


@pytest.mark.parametrize("way", [Origins, Wrappers])
@pytest.mark.parametrize("functions", [ITSELF, EACH_OTHER])
def test_a_part_of_what_a_function_returns_to_itself(functions, way):
    project = build_project(text_tree({"train.py": functions + MAIN, "run.sh": "torchrun train.py\n"}))
    found = way(project).of(ast.parse("second", mode="eval").body, "train.py::<module>")
    assert [ast.unparse(origin.expr) for origin in found] == ["7"]
