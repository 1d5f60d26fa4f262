"""What may be several things is asked for each in an order that no hash seed decides: cycles are cut where
they are met first, so another order would give other answers."""

import ast

from mmcodemod.pipeline import build_project
from mmcodemod.project.infer import Resolver
from mmcodemod.project.settings import Settings
from mmcodemod.project.step_counts import StepCounts
from mmcodemod.project.values import ordered
from mmcodemod.source.tree import text_tree

NAMES = "PQRSTUVW"
CLASSES = "".join(f"class {n}:\n    def step(self):\n        return self\n\n" for n in NAMES)
USE = f"def use():\n    one = {' or '.join(f'{n}()' for n in NAMES)}\n    return one.step()\n\nuse()\n"


def asked(monkeypatch, method, node):
    """The values that a method of the resolver is asked for, in turn, while the node is worked out."""
    project = build_project(text_tree({"a.py": CLASSES + USE}))
    (frame,) = project.frames("a.py::use")
    returned = project.index.function("a.py::use").node.body[1].value
    found = []
    real = getattr(Resolver, method)

    def noted(self, value, *more):
        found.append(value)
        return real(self, value, *more)

    monkeypatch.setattr(Resolver, method, noted)
    project.resolver.infer(node(returned), frame)
    return found


def test_attributes(monkeypatch):
    found = asked(monkeypatch, "member", lambda call: call.func)
    assert len(found) == len(NAMES)
    assert found == ordered(frozenset(found))


def test_calls(monkeypatch):
    found = asked(monkeypatch, "called", lambda call: ast.Call(call.func, [], [], lineno=1, col_offset=0))
    assert found[-len(NAMES) :] == ordered(frozenset(found[-len(NAMES) :]))
    assert len(set(found)) >= len(NAMES)


WAYS = """\
import torch

def count(loader, kind):
    if kind == "ranks":
        steps = torch.distributed.get_world_size() * 3
    elif kind == "loader":
        steps = len(loader)
    elif kind == "none":
        steps = 0
    else:
        steps = 100
    return steps

count([], input())
"""


def test_ways_to_count_steps():
    project = build_project(text_tree({"a.py": WAYS}))
    returned = project.index.function("a.py::count").node.body[-1].value
    ways = StepCounts(project, Settings(project)).of(returned, "a.py::count")
    assert [sorted(part.value for part in way) for way in ways] == [["none"], ["plain"], ["ranks"], ["whole"]]
