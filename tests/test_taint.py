"""Why values differ between ranks, whatever was asked before."""

from __future__ import annotations

from itertools import permutations

import pytest

from mmcodemod.pipeline import build_project
from mmcodemod.project.bits import Bits
from mmcodemod.project.infer import Frame
from mmcodemod.project.taint import Taint
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


def test_each_call_is_asked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Functions that ask the next one twice: without memory every step doubles the work."""
    chain = "".join(
        f"def f{n}(x):\n    return f{n + 1}(x) if f{n + 1}(x) else f{n + 1}(x)\n" for n in range(30)
    )
    text = f"{chain}def f30(x):\n    return x\nif __name__ == '__main__':\n    f0(1).backward()\n"
    taint = Taint(build_project(MemoryTree({"train.py": text.encode()})))
    asked: list[int] = []
    inner = Taint._call
    monkeypatch.setattr(Taint, "_call", lambda self, *call: asked.append(1) or inner(self, *call))
    assert taint.returned(Frame("train.py::f0")) is Bits.NONE
    assert 0 < len(asked) < 500


def test_what_rests_on_each_other_is_asked_again_only_where_something_grew(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A ring of functions, one of which says its rank: to ask all of them until none grows would be five
    questions for each."""
    ring = "".join(
        f"def f{n}(x):\n    y = f{(n + 1) % 80}(x)\n    z = f{(n + 7) % 80}(y)\n"
        f"    return {'dist.get_rank()' if n == 40 else 'y + z'}\n"
        for n in range(80)
    )
    main = "def main():\n    loss = f0(1)\n    loss.backward()\nif __name__ == '__main__':\n    main()\n"
    text = f"import torch.distributed as dist\n{ring}{main}"
    asked: list[object] = []
    inner = Taint._asked
    monkeypatch.setattr(Taint, "_asked", lambda self, key: asked.append(key) or inner(self, key))
    taint = Taint(build_project(MemoryTree({"train.py": text.encode()})))
    assert taint.atom("loss", Frame("train.py::main")) is Bits.RANK
    assert len(set(asked)) > 80 and len(asked) < 3 * len(set(asked))


def _frame(method: str) -> Frame:
    return Frame(f"train.py::Net.{method}", "train.py::Net")


HELPED = """
from torch import nn


class Net(nn.Module):
    def forward(self, images, step):
        if self.begun(step):
            images = images * 2
        return images, self.scaled(images)

    def begun(self, step):
        return step >= self.start

    def scaled(self, images):
        return images * 2


def main(loader):
    net = Net()
    for step, batch in enumerate(loader):
        early = net.begun(3)
        late = net.begun(later(3))
        loss = net.scaled(net(batch, step)).mean()
        loss.backward()


def later(step):
    return step + 1


if __name__ == "__main__":
    main(None)
"""


@pytest.mark.parametrize("name", ["early", "late"])
def test_what_a_call_returns_depends_on_what_it_is_given(name: str) -> None:
    """`forward` gives the same helpers what is in the batch."""
    taint = Taint(build_project(MemoryTree({"train.py": HELPED.encode()})))
    assert taint.atom("loss", Frame("train.py::main")) is Bits.VALUE
    assert taint.atom(name, Frame("train.py::main")) is Bits.NONE
    assert taint.returned(_frame("begun")) is Bits.VALUE
