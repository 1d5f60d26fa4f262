"""docs/integrations.md: its snippets are read as the programs that they are for read them."""

import re
from pathlib import Path

import pytest
import yaml
from action_steps import ROOT, action
from test_formats import FILES, check
from test_formats import repository as repository  # a fixture

from mmcodemod.report.formats import FORMATS

PAGE = (ROOT / "docs" / "integrations.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", PAGE, re.M | re.S)
YAML = [yaml.safe_load(text) for language, text in BLOCKS if language == "yaml"]


def steps():
    return [step for one in YAML if "jobs" in one for job in one["jobs"].values() for step in job["steps"]]


def test_the_action_is_used_with_inputs_that_it_has():
    ours = [step for step in steps() if step["uses"].startswith("OWNER/mmcodemod@")]
    assert len(ours) == 2
    assert {name for step in ours for name in step["with"]} <= set(action()["inputs"])


def test_actions_of_others_are_pinned():
    others = [step["uses"] for step in steps() if not step["uses"].startswith("OWNER/")]
    assert len(others) == 3
    assert all(re.fullmatch(r"[\w-]+/[\w/-]+@[0-9a-f]{40}", name) for name in others)


def test_the_table_of_inputs_is_that_of_the_action():
    table = PAGE.partition("| input | |")[2].partition("\n\n")[0]
    assert set(re.findall(r"^\| `([\w-]+)` ", table, re.M)) == set(action()["inputs"])


def test_the_hooks_are_those_of_the_manifest():
    ids = {hook["id"] for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())}
    (used,) = [hook for one in YAML if "repos" in one for repo in one["repos"] for hook in repo["hooks"]]
    assert used["id"] in ids and "`mmcodemod-fix`" in PAGE and "mmcodemod-fix" in ids


def test_every_format_is_told():
    for name in FORMATS:
        assert f"`{name}`" in PAGE
    assert set(FILES) | {"text", "json"} <= set(FORMATS)


def commands():
    scripts = [line for one in YAML if "mmcodemod" in one for line in one["mmcodemod"]["script"]]
    lines = scripts + [line for language, text in BLOCKS if language == "sh" for line in text.splitlines()]
    return [line.split("|")[0].split(">>")[0] for line in lines if line.startswith("mmcodemod")]


@pytest.mark.parametrize("command", commands())
def test_the_commands_run(repository, command):
    done = check(repository, *command.split()[2:])
    assert done.returncode == (0 if "--exit-zero" in command else 1), done.stderr
    written = re.search(r"--output (\S+)", command)
    assert "MM303" in (Path(repository, written[1]).read_text() if written else done.stdout)


def test_no_command_is_missed():
    assert len(commands()) == 4
