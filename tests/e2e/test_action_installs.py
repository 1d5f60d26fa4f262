"""The Action as its YAML says, nothing replaced: it installs itself in a workspace that wants to be run."""

import subprocess

import pytest
from action_steps import Runner

EVIL = "import pathlib\npathlib.Path(__file__).with_name('owned').touch()\nraise SystemExit('owned')\n"
NAMES = (
    "mmcodemod",
    "yaml",
    "click",
    "libcst",
    "networkx",
    "pip",
    "venv",
    "ensurepip",
    "sitecustomize",
    "json",
)
FILES = {
    "ds.json": '{\n  "zero_optimization": {"stage": 2}\n}\n',
    "train.py": "from transformers import Trainer\n\nTrainer(model=build(), args=args).train()\n",
    "run.sh": "deepspeed train.py --deepspeed ds.json\n",
    "requirements.txt": "deepspeed==0.12.6\n",
    "setup.cfg": "[options]\n",
    "setup.py": EVIL,
    "pip.conf": "[global]\nindex-url = http://127.0.0.1:1/\n",
}


@pytest.fixture
def runner(tmp_path):
    workspace, temporary = tmp_path / "workspace", tmp_path / "temp"
    workspace.mkdir()
    temporary.mkdir()
    for name, text in FILES.items():
        (workspace / name).write_text(text)
    for name in NAMES:
        (workspace / f"{name}.py").write_text(EVIL)
    (workspace / "mmcodemod.py").unlink()
    (workspace / "mmcodemod").mkdir()
    (workspace / "mmcodemod" / "__init__.py").write_text(EVIL)
    (workspace / "mmcodemod" / "__main__.py").write_text(EVIL)
    subprocess.run(["git", "init", "-q"], cwd=workspace, check=True)
    return Runner(workspace, temporary, {"sarif": str(temporary / "out.sarif")})


def test_all_steps_in_a_workspace_that_is_out_to_be_run(runner):
    before = sorted(runner.workspace.rglob("*"))
    assert runner.run() == 1, runner.log
    assert runner.steps["check"] == {"exit-code": "1"}
    annotations = [line for line in runner.log.splitlines() if line.startswith("::warning ")]
    assert any("MM303" in line for line in annotations)
    assert "<br>MM303 " in runner.summary
    assert (runner.temporary / "out.sarif").stat().st_size > 50_000
    assert sorted(runner.workspace.rglob("*")) == before, "the workspace is left as it was"
