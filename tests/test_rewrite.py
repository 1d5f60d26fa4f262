"""Transformers that visit only what is around the nodes that they change."""

from __future__ import annotations

import libcst as cst

from mmcodemod.scan.gathering import Gather
from mmcodemod.scan.walk import around, by_kind

TEXT = """def load(model, weights):
    first()
    if model.load(weights):
        model.load(weights)  # all
    last()
"""


def _gathered(ordinal: int) -> tuple[str, bool]:
    module = cst.parse_module(TEXT)
    change = Gather(module, by_kind(module, {"Call"})["Call"][ordinal], "gather(p)")
    return module.visit(change).code, change.fits


def test_the_statement_of_the_call_is_wrapped() -> None:
    inside = "        with gather(p):\n            model.load(weights)  # all\n"
    assert _gathered(2) == (TEXT.replace("        model.load(weights)  # all\n", inside), True)


def test_a_call_that_is_no_statement_leaves_the_next_one_alone() -> None:
    assert _gathered(1) == (TEXT, False)


def test_around_a_node_is_all_that_holds_it() -> None:
    module = cst.parse_module(TEXT)
    call = by_kind(module, {"Call"})["Call"][0]
    kinds = {type(node).__name__ for node in around(module, [call])}
    assert kinds == {"Module", "FunctionDef", "IndentedBlock", "SimpleStatementLine", "Expr", "Call"}
