"""`contexts --explain KEY`: why a run has a value."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from mmcodemod.cli.main import commands

FILES = {
    "train.py": "from transformers import Trainer\n\nif __name__ == '__main__':\n    Trainer().train()\n",
    "run.sh": "torchrun train.py --deepspeed conf/ds.json --bf16 True\ntorchrun train.py --seed 1\n",
    "again.sh": "torchrun train.py --deepspeed ./conf/ds.json --bf16 True\n",
    "conf/ds.json": '{\n  "zero_optimization": {\n    "stage": 3\n  }\n}\n',
    "requirements.txt": "deepspeed==0.14.2\n",
}


@pytest.fixture
def explain(tmp_path):
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)

    def run(key, *more):
        arguments = ["contexts", str(tmp_path), "--no-cache", "--explain", key, *more]
        return CliRunner().invoke(commands, arguments, standalone_mode=False)

    return run


def test_the_chain_from_the_launch_to_the_stage(explain):
    assert explain("strategy").stdout == (
        "strategy = zero3  in again.sh:1 and 1 context more\n"
        "  again.sh:1      torchrun train.py --deepspeed ./conf/ds.json --bf16 True\n"
        '  conf/ds.json:3  "stage": 3\n'
        "\n"
        "strategy = ddp  in run.sh:2  [torchrun without DeepSpeed or FSDP]\n"
        "  run.sh:2  torchrun train.py --seed 1\n"
        "\n"
        "3 training contexts\n"
    )


def test_what_holds_for_the_same_reason_is_said_once(explain):
    shown = explain("version:deepspeed").stdout
    assert shown.count("version:deepspeed = deepspeed==0.14.2  in again.sh:1 and 2 contexts more") == 1
    assert "requirements.txt:1  deepspeed==0.14.2" in shown


def test_what_is_not_set_is_said(explain):
    assert "bf16 = not set  in run.sh:2" in explain("bf16").stdout


def test_machines_get_every_context(explain):
    found = json.loads(explain("strategy", "--format", "json").stdout)
    assert [row["context"] for row in found["because"]] == ["again.sh:1", "run.sh:1", "run.sh:2"]
    assert found["because"][1]["chain"][-1] == {"path": "conf/ds.json", "line": 3}


def test_an_unknown_key_names_similar_ones(explain):
    result = explain("stratgy")
    assert result.exception is not None and "similar: strategy" in str(result.exception)
