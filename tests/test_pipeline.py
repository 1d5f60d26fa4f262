"""The composition root: what no single stage can promise."""

from __future__ import annotations

import pytest

from mmcodemod import pipeline
from mmcodemod.engine import registry
from mmcodemod.engine.registry import RegistryError
from mmcodemod.project.calls import Builder
from mmcodemod.source.tree import text_tree


def test_without_any_rule_nothing_is_called_clean(monkeypatch):
    monkeypatch.setattr(registry, "rules", lambda extra_dirs=(): ())
    with pytest.raises(RegistryError, match="no rules are installed"):
        pipeline.check(text_tree({"train.py": "pass\n"}))


def test_a_crashing_rule_is_one_problem_and_the_rest_goes_on(monkeypatch):
    first, *rest = registry.rules()

    def crash(project):
        raise ZeroDivisionError("on purpose")

    broken = type(first)(**{**vars(first), "trigger": crash})
    monkeypatch.setattr(registry, "rules", lambda extra_dirs=(): (broken, *rest))
    files = {
        "ds.json": '{"zero_optimization": {"stage": 2}}\n',
        "run.sh": "deepspeed train.py --deepspeed ds.json\n",
        "train.py": "from transformers import Trainer\nTrainer(model=None).train()\n",
        "requirements.txt": "deepspeed==0.14.4\n",
    }
    report = pipeline.check(text_tree(files))
    assert [p.kind for p in report.problems] == ["rule"]
    assert first.code in report.problems[0].message
    assert [f.rule for f in report.findings] == ["MM303"]


def test_a_key_of_a_later_release_is_not_said_to_be_like_itself():
    files = {
        "train.py": "from transformers import Trainer\nTrainer(model=build(), args=parse()).train()\n",
        "ds.json": '{"zero_optimization": {"stage": 3, "zero_hpz_partition_size": 8}}\n',
        "run.sh": "deepspeed train.py --deepspeed ds.json\n",
        "requirements.txt": "deepspeed==0.9.5\n",
    }
    report = pipeline.check(text_tree(files))
    (finding,) = [f for f in report.findings if f.rule == "MM506"]
    assert "which is like" not in finding.message


LAUNCHED = {
    "ds.json": '{"zero_optimization": {"stage": 2}}\n',
    "run.sh": "deepspeed train.py --deepspeed ds.json\n",
    "train.py": "import os\nfrom transformers import Trainer\nimport made\n"
    "made.f0(int(os.environ['RANK']))\nTrainer(model=None).train()\n",
    "requirements.txt": "deepspeed==0.14.4\n",
}
CALLS = 5000
CHAIN = (
    "".join(f"def f{n}(x):\n    return f{n + 1}(x)\n" for n in range(3000)) + "def f3000(x):\n    return x\n"
)
BRANCHES = "import torch.distributed as dist\ndef f0(x):\n    if x == 0:\n        dist.barrier()\n" + "".join(
    f"    elif x == {n}:\n        print(x)\n" for n in range(1, 900)
)


@pytest.mark.parametrize(
    ("made", "problems"),
    [
        (f"def f0(x):\n    return {'f0(' * CALLS}x{')' * CALLS}\n", ["made.py:2 syntax"]),
        ("def d(f):\n    return f\n" + "@d\n" * 900 + "def f0(x):\n    return x\n", ["made.py:1 analysis"]),
        (CHAIN, []),
        (BRANCHES, ["made.py:2 analysis"]),
    ],
)
def test_a_generated_file_is_one_problem_at_most_and_the_rest_goes_on(made, problems):
    report = pipeline.check(text_tree({**LAUNCHED, "made.py": made}))
    assert [f"{p.path}:{p.line} {p.kind}" for p in report.problems] == problems
    assert [f.rule for f in report.findings] == ["MM303"]


def test_a_function_whose_calls_crash_is_one_problem_and_the_rest_goes_on(monkeypatch):
    call = Builder._call

    def crashing(self, at, frame):
        if frame.function == "made.py::f0":
            raise ZeroDivisionError("on purpose")
        return call(self, at, frame)

    monkeypatch.setattr(Builder, "_call", crashing)
    report = pipeline.check(text_tree({**LAUNCHED, "made.py": "def f0(x):\n    return g(x)\n"}))
    (problem,) = report.problems
    assert str(problem.message) == "what `f0` does is not known: ZeroDivisionError: on purpose"
    assert (problem.path, problem.line, problem.kind) == ("made.py", 1, "analysis")
    assert [f.rule for f in report.findings] == ["MM303"]


def test_a_finding_whose_code_is_too_deep_to_be_rewritten_stays_without_a_fix():
    branches = "".join(f"    elif step == {n}:\n        print({n})\n" for n in range(1, 400))
    waits = "    if dist.get_rank() == 0:\n        dist.barrier()\n"
    files = {
        "run.sh": "torchrun --nproc_per_node 8 train.py\n",
        "train.py": "import torch, torch.distributed as dist\n"
        "dist.init_process_group('nccl')\nmodel = torch.nn.Linear(1, 1)\n"
        "for step, batch in enumerate(torch.load('data')):\n    model(batch).sum().backward()\n"
        f"    if step == 0:\n        print(0)\n{branches}{waits}",
    }
    report = pipeline.check(text_tree(files))
    (finding,) = [f for f in report.findings if f.rule == "MM401"]
    (problem,) = report.problems
    assert finding.fix is None and (problem.path, problem.kind) == ("train.py", "fix")
    assert problem.line == finding.at.line and "nested too deeply" in problem.message
