"""A small tree with two findings, and the command line run in it."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from mmcodemod.cli.main import commands
from mmcodemod.cli.main import main as real_main

DS = '{"zero_optimization": {"stage": 2}}\n'
TREE = {
    "a.json": DS,
    "b.json": DS,
    "one.sh": "deepspeed train.py --deepspeed a.json\n",
    "two.sh": "deepspeed train.py --deepspeed b.json --bf16 True\n",
    "train.py": (
        "from transformers import HfArgumentParser, Trainer, TrainingArguments\n\n"
        "(args,) = HfArgumentParser(TrainingArguments).parse_args_into_dataclasses()\n"
        "Trainer(model=None, args=args).train()\n"
    ),
    "requirements.txt": "deepspeed==0.14.4\ntransformers==4.44.0\n",
}


def planted(folder):
    """The tree, written below a new folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in TREE.items():
        (folder / name).write_text(text)
    return folder


def run(*arguments, answers="", env=None):
    return CliRunner().invoke(
        commands, arguments, input=answers, env={"NO_COLOR": "1", **(env or {})}, standalone_mode=False
    )


def refused(*arguments):
    """The usage error of the whole command."""
    runner = CliRunner()
    with runner.isolation() as streams, pytest.raises(SystemExit) as caught:
        real_main(list(arguments))
    assert caught.value.code == 2
    return streams[1].getvalue().decode()
