"""Shell completion, through the function that bash itself calls."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from trained import planted, run

import mmcodemod
from mmcodemod.engine.registry import names, shipped_names

SOURCE = Path(mmcodemod.__file__).parents[1]


@pytest.fixture
def shell(tmp_path, monkeypatch):
    """`shell("mmcodemod", "check", "--sel")` -> what bash would offer."""
    folder = planted(tmp_path / "repo")
    monkeypatch.chdir(folder)
    program = tmp_path / "bin" / "mmcodemod"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m mmcodemod "$@"\n')
    program.chmod(0o755)
    env = {**os.environ, "PYTHONPATH": str(SOURCE), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    env["PATH"] = f"{program.parent}{os.pathsep}{env['PATH']}"

    def offered(*words):
        quoted = " ".join(f"'{word}'" for word in words)
        script = (
            'eval "$(mmcodemod completion bash)"\n'
            "[[ $(complete -p mmcodemod) == *_mmcodemod_completion* ]] || exit 9\n"
            f"COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}\n"
            '_mmcodemod_completion mmcodemod "${COMP_WORDS[COMP_CWORD]}" ""\n'
            'printf "%s\\n" "${COMPREPLY[@]}"\n'
        )
        bash = ["bash", "--norc", "-c", script]
        done = subprocess.run(bash, env=env, capture_output=True, text=True, check=True, cwd=folder)
        assert done.stderr == ""
        return done.stdout.split()

    offered.env = env
    return offered


needs_bash = pytest.mark.skipif(shutil.which("bash") is None, reason="no bash here")


@needs_bash
def test_bash_completes(shell):
    assert {"check", "fix", "baseline"} <= set(shell("mmcodemod", ""))
    assert shell("mmcodemod", "check", "--sel") == ["--select"]
    assert shell("mmcodemod", "explain", "MM30") == [c for c in names() if c.startswith("MM30")]
    assert shell("mmcodemod", "check", "--select", "ds-grad") == ["ds-gradient-clipping-absent"]
    assert shell("mmcodemod", "fix", "--ignore", "MM201,MM90") == ["MM201,MM901", "MM201,MM902"]


@needs_bash
def test_contexts_are_offered_when_the_cache_knows_them(shell):
    assert shell("mmcodemod", "fix", "--context", "one") == []
    subprocess.run(["mmcodemod", "check", "-q"], env=shell.env, capture_output=True, check=False)
    assert shell("mmcodemod", "fix", "--context", "one") == ["one.sh:1"]


@pytest.mark.parametrize(
    ("shell_name", "part"),
    [("bash", "COMP_WORDS"), ("zsh", "#compdef mmcodemod"), ("fish", "--no-files --command mmcodemod")],
)
def test_every_script_is_printed(shell_name, part):
    done = run("completion", shell_name)
    assert (done.return_value, part in done.stdout) == (0, True)
    assert "_MMCODEMOD_COMPLETE" in done.stdout


def test_rules_are_known_without_importing_them():
    assert shipped_names() == dict(sorted(names().items()))
