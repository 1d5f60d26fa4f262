"""`contexts --all` and the table: what made a training context, and what did not and why."""

import json
import os
import subprocess
import sys
from contextlib import suppress

import pytest
from click.testing import CliRunner

from mmcodemod.cli.contexts import HINT
from mmcodemod.cli.main import commands
from mmcodemod.pipeline import overview
from mmcodemod.report.overview import table
from mmcodemod.source.tree import text_tree

TRAIN = "from transformers import Trainer\n\nif __name__ == '__main__':\n    Trainer().train()\n"
FILES = {
    "train.py": TRAIN,
    "evaluate.py": "print(1)\n",
    "idle_train.py": "print(2)\n",
    "run.sh": "torchrun train.py --deepspeed ds.json\ntorchrun train.py --deepspeed ds.json --seed 2\n",
    "eval.sh": "python evaluate.py\npython none.py\ntorchrun idle_train.py\n",
    "predict.sh": "torchrun train.py --do_train False --do_predict True\n",
    "help.sh": "torchrun train.py --seed 2 --help\npython train.py -h\n",
    "clean.sh": "rm -rf out\n",
    "Makefile": "all:\n\techo\n",
    "ds.json": '{"zero_optimization": {"stage": 3}}\n',
    "spare.json": '{"zero_optimization": {"stage": 2}}\n',
    "conf/acc.yaml": "distributed_type: FSDP\nnum_processes: 8\n",
    "conf/ask.yaml": "model_name_or_path: a/b\ntemplate: c\n",
    "conf/broken.yaml": "a: [\n",
    "conf/list.yaml": "- a\n",
    ".github/ci.yml": "on: push\n",
    "requirements.txt": "deepspeed==0.16.9\n",
    "conf/small.py": "lr = 1\nmodel = dict(type='A', lr=lr)\n",
}
REASONS = {
    "eval.sh:1": "evaluate.py does not train",
    "eval.sh:2": "none.py is not in the tree",
    "eval.sh:3": "no training step was found in what idle_train.py reaches",
    "predict.sh:1": "it asks for evaluation or prediction alone",
    "help.sh:1": "it asks for the options of the program alone",
    "help.sh:2": "it asks for the options of the program alone",
    "clean.sh:0": "it starts no Python program",
    "Makefile:0": "it starts no Python program",
    "conf/acc.yaml:0": "an accelerate configuration that no launch names",
    "conf/ask.yaml:0": "no launch names it, and it does not ask for training",
    "conf/broken.yaml:0": "it cannot be read as YAML",
    "conf/list.yaml:0": "it is no mapping at the top level",
    ".github/ci.yml:0": "no launch names it, and its keys are of no training configuration that is known",
}


def test_every_launch_file_and_configuration_is_told():
    found, _ = overview(text_tree(FILES))
    assert [c.id for c in found.contexts] == ["run.sh:1", "run.sh:2"]
    assert [c.id for c in found.configured] == ["spare.json", "conf/small.py"]
    assert [c.dependencies["deepspeed"].spec for c in found.configured] == ["==0.16.9"] * 2
    assert {f"{p.path}:{p.line}": p.reason for p in found.passed_over} == REASONS


def test_a_launch_whose_configuration_is_unknown_is_told():
    table = "def train():\n    from pkg import train\n    return train.__file__\nmodes = {'train': train}\n"
    files = {
        "setup.py": "E = ['tool = pkg.entry:cli']\n",
        "pkg/entry.py": f"{table}def cli(): ...\n",
        "pkg/train.py": TRAIN,
        "pkg/small.py": "model = dict(type='A')\n",
        "pkg/other.py": "model = dict(type='B')\n",
        "run.sh": "tool train small\ntool train $CONFIG\n",
    }
    found, _ = overview(text_tree(files))
    assert [c.id for c in found.contexts if c.launcher] == ["run.sh:1"]
    assert [(c.id, c.entry.config) for c in found.configured] == [("pkg/other.py", "pkg/other.py")]
    assert [(p.path, p.line) for p in found.passed_over] == [("run.sh", 2)]


@pytest.fixture
def shown(tmp_path):
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)

    def run(*arguments):
        result = CliRunner().invoke(commands, ["contexts", str(tmp_path), "--no-cache", *arguments])
        assert result.exit_code == 0, result.output
        return result.stdout

    return run


def test_the_table_has_a_row_for_contexts_that_are_alike(shown):
    assert shown("--format", "table") == (
        "strategy  entry         configuration  runs\n"
        "zero3     train.py      ds.json        run.sh:1, run.sh:2\n"
        "\n2 training contexts\n"
    )


def on_a_terminal(*arguments):
    """What `contexts` writes to a terminal."""
    master, slave = os.openpty()
    command = [sys.executable, "-m", "mmcodemod", "contexts", *arguments, "--no-cache"]
    with subprocess.Popen(command, stdout=slave, stderr=subprocess.DEVNULL):
        os.close(slave)
        parts = []
        with suppress(OSError):  # Linux: the end of a terminal is an error
            while part := os.read(master, 1 << 16):
                parts.append(part)
    os.close(master)
    return b"".join(parts).decode().replace("\r\n", "\n")


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="there are no terminals of this kind")
def test_a_terminal_is_shown_a_table_where_there_are_many(shown, tmp_path):
    assert "  command   " in on_a_terminal(str(tmp_path))
    (tmp_path / "many.sh").write_text("".join(f"python train.py --lr {n}\n" for n in range(5)))
    told = on_a_terminal(str(tmp_path))
    assert told.startswith("strategy  entry") and "(--format text shows each" in told
    assert told.removesuffix(HINT) == shown("--format", "table")
    assert "  command   " in on_a_terminal(str(tmp_path), "--format", "text")
    assert "  command   " in shown()


def test_all_as_a_table_and_as_json(shown):
    text = shown("--all")
    assert "configurations that nothing launches\n" in text
    assert "   2  it starts no Python program: Makefile, clean.sh\n" in text
    told = json.loads(shown("--all", "--format", "json"))
    assert [c["id"] for c in told["configured"]] == ["conf/small.py", "spare.json"]
    assert {f"{p['path']}:{p['line'] or 0}": p["reason"] for p in told["passed_over"]} == REASONS


def test_an_installed_program_is_named_as_such():
    found, _ = overview(text_tree({"run.sh": "swift sft --deepspeed zero3\n"}))
    assert "installed ms-swift" in table(found.contexts).splitlines()[1]
    assert "<models>" not in table(found.contexts)
