"""Why values differ between ranks, whatever was asked before."""

from __future__ import annotations

from itertools import permutations

import pytest

from mmcodemod.pipeline import build_project
from mmcodemod.project.infer import Frame
from mmcodemod.project.taint import Bits, Taint
from mmcodemod.source.tree import MemoryTree

MODEL = '''
from torch import nn


class Net(nn.Module):
    """`once` and `again` call each other."""

    def forward(self, images):
        self.once(images).backward()

    def once(self, images):
        return self.again(images)

    def again(self, images):
        other = images
        return self.once(other) if images is None else images


def main(loader):
    net = Net()
    for batch in loader:
        net(batch)


if __name__ == "__main__":
    main(None)
'''
ASKED = [("once", "images"), ("again", "images"), ("again", "other"), ("forward", "images")]


@pytest.mark.parametrize("order", list(permutations(ASKED)), ids=str)
def test_answers_in_a_cycle_do_not_depend_on_the_order(order: tuple[tuple[str, str], ...]) -> None:
    taint = Taint(build_project(MemoryTree({"train.py": MODEL.encode()})))
    found = {name: taint.atom(name[1], _frame(name[0])) for name in order}
    assert found == dict.fromkeys(order, Bits.VALUE)


def _frame(method: str) -> Frame:
    return Frame(f"train.py::Net.{method}", "train.py::Net")
