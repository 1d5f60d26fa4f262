"""Patterns for paths: what users of ruff and of .gitignore expect of them."""

from __future__ import annotations

import time

import pytest

from mmcodemod.pipeline import Settings
from mmcodemod.source.glob import matches


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("train.py", "train.py"),
        ("train.py", "pkg/train.py"),
        ("legacy", "legacy/a/b.py"),
        ("legacy/", "legacy/a/b.py"),
        ("legacy/", "pkg/legacy/b.py"),
        ("legacy/*", "legacy/a/b.py"),
        ("legacy/**", "legacy/a/b.py"),
        ("legacy/*.py", "legacy/a/b.py"),
        ("legacy/**/b.py", "legacy/b.py"),
        ("legacy/**/b.py", "legacy/x/y/b.py"),
        ("**/b.py", "b.py"),
        ("**/b.py", "a/b.py"),
        ("**/legacy/**", "legacy/a.py"),
        ("*.json", "configs/zero3.json"),
        ("pkg/legacy", "pkg/legacy/a.py"),
        ("/setup.py", "setup.py"),
        ("./pkg/a.py", "pkg/a.py"),
        ("zero[23].json", "ds/zero3.json"),
        ("zero?.json", "zero3.json"),
        ("{old,older}/*", "older/a.py"),
        ("*.{sh,json}", "run.sh"),
        ("!src/", "tests/a.py"),
        ("!*.py", "a.json"),
        ("**", "a/b"),
    ],
)
def test_matches(pattern, path):
    assert matches(pattern, path)


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("train.py", "pkg/train.pyi"),
        ("legacy/", "legacy"),
        ("legacy", "not_legacy/a.py"),
        ("pkg/legacy", "x/pkg/legacy/a.py"),
        ("/setup.py", "pkg/setup.py"),
        ("a/*.py", "b/a/x.py"),
        ("**/b.py", "ab.py"),
        ("*.PY", "a.py"),
        ("{a,b}.py", "c.py"),
        ("!src/", "src/a.py"),
        ("!", "a.py"),
        ("", "a.py"),
        ("/", "a.py"),
    ],
)
def test_does_not_match(pattern, path):
    assert not matches(pattern, path)


@pytest.mark.parametrize("pattern", ["*a" * 60 + "b", "**/" * 60 + "b", "{a,b}" * 60, "[" * 60, "{" * 60])
def test_a_hostile_pattern_costs_no_time(pattern):
    begun = time.monotonic()
    assert not matches(pattern, "a" * 300 + "/" + "a" * 300)
    assert time.monotonic() - begun < 2


def test_patterns_are_relative_to_the_base():
    settings = Settings(per_file_ignores={"pkg/legacy/*": ("MM2",)}, base="pkg")
    assert not settings.keeps("MM201", "legacy/a.py")
    assert settings.keeps("MM303", "legacy/a.py") and settings.keeps("MM201", "a.py")
