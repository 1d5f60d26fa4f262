"""`check --profile`: where the seconds go, by stage and by rule."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cached_property

import pytest
from click.testing import CliRunner

from mmcodemod import pipeline
from mmcodemod.cli.main import commands
from mmcodemod.engine import profile, registry
from mmcodemod.model.report import Stats
from mmcodemod.pipeline import Settings
from mmcodemod.project.model import Project
from mmcodemod.report.profile import lines
from mmcodemod.source.tree import text_tree

FILES = {
    "ds.json": '{"zero_optimization": {"stage": 2}}\n',
    "run.sh": "deepspeed train.py --deepspeed ds.json\n",
    "train.py": "from transformers import Trainer\nTrainer(model=None).train()\n",
    "requirements.txt": "deepspeed==0.14.4\n",
}
NAMES = {
    "MM101": "a-slow-rule",
    "MM102": "a-quick-rule",
    "MM103": "an-idle-rule",
    "MM104": "another-idle-rule",
}


class Clock:
    """Stands still but for what a test lets pass."""

    now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(profile, "perf_counter", clock)
    return clock


def _with(monkeypatch, code, **changes):
    """Every rule as it is, but for one."""
    every = tuple(replace(rule, **changes) if rule.code == code else rule for rule in registry.rules())
    monkeypatch.setattr(registry, "rules", lambda extra_dirs=(): every)


def _spent(stats):
    """The rules that took any time."""
    assert set(stats.rule_seconds) == {rule.code for rule in registry.rules()}
    return {code: seconds for code, seconds in stats.rule_seconds.items() if seconds}


def _sites(clock, crash):
    clock.now += 2
    yield from ()
    clock.now += 3
    if crash:
        raise ZeroDivisionError("on purpose")


@pytest.mark.parametrize("crash", [False, True])
def test_a_rule_is_charged_with_its_seconds(monkeypatch, clock, crash):
    """A trigger may be a generator, whose seconds pass while sites are taken."""
    _with(monkeypatch, "MM201", trigger=lambda project: _sites(clock, crash))
    stats = pipeline.check(text_tree(FILES), Settings(profile=True)).stats
    assert _spent(stats) == {"MM201": 5}
    assert stats.seconds["rules"] == 5


def test_what_a_fix_takes_counts_for_its_rule(monkeypatch, clock):
    (clipping,) = (rule for rule in registry.rules() if rule.code == "MM303")

    def fix(project, site, finding):
        clock.now += 7
        return clipping.fix(project, site, finding)

    _with(monkeypatch, "MM303", fix=fix)
    assert _spent(pipeline.check(text_tree(FILES), Settings(profile=True)).stats) == {"MM303": 7}


def test_two_checks_with_the_same_settings_do_not_add_up(monkeypatch, clock):
    _with(monkeypatch, "MM201", trigger=lambda project: _sites(clock, False))
    settings = Settings(profile=True)
    first, second = (pipeline.check(text_tree(FILES), settings).stats for _ in range(2))
    assert first == second and first.rule_seconds["MM201"] == 5


def test_the_call_graph_is_no_rule_s(monkeypatch, clock):
    """Some rule would be the first to ask for it."""
    built = Project.graph.func

    def graph(project):
        clock.now += 11
        return built(project)

    slow = cached_property(graph)
    slow.__set_name__(Project, "graph")
    monkeypatch.setattr(Project, "graph", slow)
    stats = pipeline.check(text_tree(FILES), Settings(profile=True)).stats
    assert (_spent(stats), stats.seconds["call graph"]) == ({}, 11)


def test_the_stages_stand_in_the_order_in_which_they_run():
    stats = pipeline.check(text_tree(FILES), Settings(profile=True)).stats
    assert list(stats.seconds) == [
        "launch scripts and configurations",
        "reading the code",
        "call graph",
        "training contexts",
        "rules",
        "suppressions and order",
    ]
    assert all(seconds > 0 for seconds in stats.seconds.values())
    assert 0 < sum(stats.rule_seconds.values()) <= stats.seconds["rules"]


def test_rules_that_are_off_have_no_seconds():
    stats = pipeline.check(text_tree(FILES), Settings(select=("MM303",), profile=True)).stats
    assert set(stats.rule_seconds) == {"MM303"}


def test_without_it_nobody_looks_at_the_clock(monkeypatch):
    with_it = pipeline.check(text_tree(FILES), Settings(profile=True))

    def refuse():
        raise AssertionError("a clock was read")

    monkeypatch.setattr(profile, "perf_counter", refuse)
    without = pipeline.check(text_tree(FILES))
    assert without == replace(with_it, stats=replace(with_it.stats, seconds={}, rule_seconds={}))
    assert (without.stats.seconds, without.stats.rule_seconds) == ({}, {})
    with pytest.raises(AssertionError, match="a clock was read"):
        pipeline.check(text_tree(FILES), Settings(profile=True))


def test_the_slowest_rules_come_first_and_small_ones_are_one_line():
    rules = {"MM103": 0.004, "MM102": 0.4, "MM101": 1.6, "MM104": 0.005}
    assert lines(Stats(seconds={"reading": 0.25, "judging": 2.0}, rule_seconds=rules), NAMES) == [
        "   0.250 s  reading",
        "   2.000 s  judging",
        "by rule (what several of them share counts for the first):",
        "   1.600 s  MM101 a-slow-rule",
        "   0.400 s  MM102 a-quick-rule",
        "   0.009 s  2 more, each below 1 %",
    ]


def test_rules_that_are_equally_slow_stand_in_the_order_of_their_codes():
    told = lines(Stats(rule_seconds={"MM102": 0.5, "MM101": 0.5}), NAMES)
    assert [line.split()[2] for line in told[1:]] == ["MM101", "MM102"]


def test_nothing_measured_is_nothing_told():
    assert lines(Stats(), NAMES) == []


def _run(tmp_path, *arguments):
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    return CliRunner().invoke(commands, ["check", str(tmp_path), *arguments], standalone_mode=False)


def test_text_goes_to_standard_error_and_leaves_the_report_alone(tmp_path):
    with_it, without = _run(tmp_path, "--profile", "-q"), _run(tmp_path, "-q")
    assert with_it.stdout == without.stdout
    assert "by rule" in with_it.stderr and "reading the code" in with_it.stderr
    assert without.stderr == ""


def test_json_has_every_rule_by_its_code(tmp_path):
    result = _run(tmp_path, "--profile", "--format", "json")
    stats = json.loads(result.stdout)["stats"]
    assert list(stats["rule_seconds"]) == sorted(rule.code for rule in registry.rules())
    assert "reading the code" in stats["seconds"]
    assert "by rule" not in result.stderr
    assert set(json.loads(_run(tmp_path, "--format", "json").stdout)["stats"]) == {
        "files",
        "lines",
        "scanned",
    }


def test_other_formats_leave_it_to_standard_error(tmp_path):
    result = _run(tmp_path, "--profile", "--format", "github")
    assert "by rule" in result.stderr and "by rule" not in result.stdout
