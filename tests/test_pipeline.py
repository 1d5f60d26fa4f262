"""The composition root: what no single stage can promise."""

from __future__ import annotations

import pytest

from mmcodemod import pipeline
from mmcodemod.engine import registry
from mmcodemod.engine.registry import RegistryError
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
