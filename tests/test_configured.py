"""Configurations written in Python: what a registry builds from them, and by which line."""

from __future__ import annotations

import pytest

from mmcodemod.model.context import Entry
from mmcodemod.model.grade import How
from mmcodemod.pipeline import build_project
from mmcodemod.project.model import Project
from mmcodemod.project.trace import trace_to
from mmcodemod.source.tree import MemoryTree

TRAIN = """
from mmengine.config import Config
from mmengine.registry import RUNNERS, Registry
from mmengine.runner import Runner

BUILDER = Registry("builder")


def main():
    cfg = Config.fromfile("given")
    {build}
    loss.backward()


if __name__ == "__main__":
    main()
"""
LIB = """
from mmengine.registry import Registry

BUILDER = Registry("builder")


class Images:
    def __init__(self, tokenizer=None):
        self.tokenizer = BUILDER.build(tokenizer)

    def __getitem__(self, index):
        return helper(index)


class Texts(Images):
    pass


@BUILDER.register_module()
class Named:
    def __init__(self):
        helper(1)


def helper(index):
    return index


def make_tokenizer(path):
    return path


def make_loader(dataset, **kwargs):
    return BUILDER.build(dataset)


def unnamed():
    return 1
"""


def project(config: str, build: str = "Runner.from_cfg(cfg).train()", **more: str) -> Project:
    files = {"train.py": TRAIN.format(build=build), "lib.py": LIB, "configs/a.py": config}
    files.update({name.replace("__", "/") + ".py": text for name, text in more.items()})
    return build_project(MemoryTree({path: text.encode() for path, text in files.items()}))


def reached(built: Project) -> set[str]:
    return {f.partition("::")[2] for f in built.reach(Entry("train.py")).functions if f.startswith("lib.py")}


HEAD = "from lib import Images, make_loader, make_tokenizer\nfrom torch.utils.data import Sampler\n"
DATA = "dict(type=Images, tokenizer=dict(type=make_tokenizer))"
CONFIG = f"{HEAD}data = {DATA}\n"
WAYS = {
    "a call of dict": CONFIG,
    "a display": HEAD + 'data = {"type": Images, "tokenizer": {"type": make_tokenizer}}\n',
    "through a name": HEAD + "kind = Images\n" + f"data = {DATA}\n".replace("type=Images", "type=kind"),
    "below a dictionary without a type": f"{HEAD}loader = dict(batch=2, dataset={DATA})\n",
    "in a list": f"{HEAD}hooks = [{DATA}]\n",
    "below a class of a library": f"{HEAD}loader = dict(type=Sampler, of={DATA})\n",
}


@pytest.mark.parametrize("way", WAYS)
def test_a_configuration_is_built(way: str) -> None:
    found = reached(project(WAYS[way]))
    assert {"Images.__init__", "Images.__getitem__", "helper", "make_tokenizer"} <= found
    assert "unnamed" not in found


def test_runner_from_the_registry_takes_a_whole_configuration() -> None:
    assert "Images.__init__" in reached(project(CONFIG, "RUNNERS.build(cfg).train()"))


def test_one_key_builds_what_stands_under_it() -> None:
    config = CONFIG + "\nother = dict(type=make_tokenizer)\n"
    assert "make_tokenizer" in reached(project(config, "BUILDER.build(cfg.other)"))
    assert "Images.__init__" not in reached(project(config, "BUILDER.build(cfg.other)"))


def test_a_registered_name() -> None:
    assert "Named.__init__" in reached(project('data = dict(type="Named")\n'))


def test_keywords_pass_through_a_function_of_the_tree() -> None:
    config = (
        "from lib import Images, make_loader\n\ndata = dict(type=make_loader, dataset=dict(type=Images))\n"
    )
    assert "Images.__init__" in reached(project(config))


def test_an_argument_that_does_not_show_builds_nothing() -> None:
    assert "Images.__init__" not in reached(project(CONFIG, "BUILDER.build(load())"))


def test_a_module_with_functions_is_no_configuration() -> None:
    assert "Images.__init__" not in reached(project(CONFIG + "\ndef f():\n    return 1\n"))


def test_without_a_call_that_builds_nothing_is_reached() -> None:
    assert "Images.__init__" not in reached(project(CONFIG, "print(cfg)"))


def test_the_trace_names_the_configuration_and_its_line() -> None:
    built = project(CONFIG)
    context = next(c for c in built.contexts if c.entry)
    steps, _ = trace_to(built, context, "lib.py::make_tokenizer")
    assert ("configs/a.py", 3, How.REGISTRY) in [(s.at.path, s.at.line, s.how) for s in steps]


def test_the_trace_names_the_line_of_a_key_of_a_configuration() -> None:
    built = project(CONFIG + "\nother = dict(type=make_tokenizer)\n", "BUILDER.build(cfg.other)")
    context = next(c for c in built.contexts if c.entry)
    steps, _ = trace_to(built, context, "lib.py::make_tokenizer")
    assert [(s.at.path, s.at.line) for s in steps][-2:] == [("train.py", 11), ("configs/a.py", 3)]


@pytest.mark.parametrize("call, trains", [("train", True), ("test", False)])
def test_a_runner_trains_only_when_it_is_told_to(call: str, trains: bool) -> None:
    files = {"train.py": TRAIN.format(build=f"Runner.from_cfg(cfg).{call}()").replace("loss.backward()", "")}
    built = build_project(MemoryTree({p: t.encode() for p, t in (files | {"configs/a.py": CONFIG}).items()}))
    assert built.trains(Entry("train.py")) is trains


def test_equal_targets_count_once() -> None:
    many = {f"configs__b{n}": CONFIG for n in range(40)}
    built = project(CONFIG, **many)
    edges = [e for found in built.graph.edges.values() for e in found if e.how is How.REGISTRY]
    assert sum(e.callee.function == "lib.py::Images.__init__" for e in edges) == 1
    assert sum(e.callee.function.endswith("::<module>") for e in edges) == 1


def test_a_configuration_that_a_launch_names_comes_first() -> None:
    files = {"train.py": TRAIN.format(build="Runner.from_cfg(cfg).train()"), "lib.py": LIB}
    files |= {"configs/a.py": CONFIG, "configs/b.py": CONFIG}
    files["run.sh"] = "torchrun --nproc_per_node 8 train.py configs/b.py\n"
    built = build_project(MemoryTree({path: text.encode() for path, text in files.items()}))
    edges = [e for found in built.graph.edges.values() for e in found if e.how is How.REGISTRY]
    assert "configs/b.py::<module>" in {e.callee.function for e in edges}
    assert "configs/a.py::<module>" not in {e.callee.function for e in edges}
