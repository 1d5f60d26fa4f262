"""Wrappers that may hold one another are gone through once for each call, not in every order."""

from __future__ import annotations

from mmcodemod.model.grade import How
from mmcodemod.pipeline import build_project
from mmcodemod.project.calls import Builder
from mmcodemod.source.tree import text_tree

HEAD = """
import torch
from torch.nn.parallel import DistributedDataParallel

class Net(torch.nn.Module):
    def forward(self, batch):
        return batch

def ready(model):
    return model

def train(model):
    model(torch.zeros(4)).sum().backward()
"""
MAIN = """
def main{0}():
    model = ready(Net())
    model = ready(DistributedDataParallel(model))
    train(model)
"""


def built(wrappers):
    mains = "".join(MAIN.format(n) for n in range(wrappers)) + "".join(
        f"\nmain{n}()" for n in range(wrappers)
    )
    return build_project(text_tree({"train.py": HEAD + mains, "run.sh": "torchrun train.py\n"})).graph


def test_each_wrapper_is_entered_once_for_a_call(monkeypatch):
    entered = []
    enter = Builder._enter
    monkeypatch.setattr(Builder, "_enter", lambda self, *given: entered.append(given) or enter(self, *given))
    few = len(built(4).edges), len(entered)
    entered.clear()
    many = len(built(8).edges), len(entered)
    assert many[0] > few[0]
    assert many[1] < 8 * few[1]


def test_the_wrapped_model_runs():
    assert "train.py::Net.forward" in {frame.function for frame in built(8).frames}


CAST = """
def cast(forward):
    def inner(batch):
        return forward(batch)
    return inner
"""
PATCHING = """
def main{0}():
    model = DistributedDataParallel(Net())
    model.forward = cast(model.forward)
    train(model)
"""


def test_of_many_functions_made_in_one_place_a_call_keeps_one():
    mains = "".join(PATCHING.format(n) for n in range(20)) + "".join(f"\nmain{n}()" for n in range(20))
    graph = build_project(text_tree({"train.py": HEAD + CAST + mains})).graph
    (train,) = [frame for frame in graph.edges if frame.function == "train.py::train"]
    inside = [
        e
        for e in graph.edges[train]
        if e.callee.function in ("train.py::cast.inner", "train.py::Net.forward")
    ]
    assert sorted({e.callee.function for e in inside}) == ["train.py::Net.forward", "train.py::cast.inner"]
    assert len(inside) == 2
    assert {e.how for e in inside} == {How.NAME_ONLY}
