"""Console scripts that start another file, and runs that name a configuration written in Python."""

import pytest

from mmcodemod.model.context import Entry, Origin, Strategy
from mmcodemod.pipeline import Settings, build_project, check
from mmcodemod.project.contexts import launch_contexts
from mmcodemod.source.tree import text_tree

TABLE = """\
from tools.helpers import x

def train():
    from pkg.tools import train
    return train.__file__

def nothing():
    print("help")

modes = {"train": train, "help": nothing, "convert": {"train": nothing}, "serve": "pkg.serve"}

def cli():
    run(modes[sys.argv[1]]())
"""
FILES = {
    "setup.py": "E = ['tool = pkg:cli']\n",
    "pkg/__init__.py": "from .entry import cli\n",
    "pkg/entry.py": TABLE,
    "pkg/tools/train.py": "import torch\nloss = model()\nloss.backward()\n",
    "pkg/serve.py": "",
    "pkg/configs/one/small_sft.py": "from pkg.data import Small\nlr = 1\ndata = dict(type=Small, n=2)\n",
    "pkg/configs/large_sft.py": "from pkg.data import Large\ndata = dict(type=Large)\n",
    "pkg/configs/z3.json": '{"zero_optimization": {"stage": 3}}\n',
    "pkg/data.py": "class Small: ...\nclass Large: ...\n",
}


def launched(command, **more):
    return launch_contexts(text_tree({**FILES, "run.sh": command + "\n", **more}), [])


def test_a_subcommand_is_the_file_that_it_starts():
    (context,) = launched("NPROC_PER_NODE=8 tool train small_sft --deepspeed z3")
    config = "pkg/configs/one/small_sft.py"
    assert context.entry == Entry("pkg/tools/train.py", config=config)
    assert context.strategy is Strategy.ZERO3
    assert context.configs == (config, "pkg/configs/z3.json")
    assert (context.option("config.data.n").value, str(context.option("config.lr").at)) == (2, f"{config}:2")
    assert str(context.option("deepspeed").at) == "run.sh:1"


@pytest.mark.parametrize("command", ["tool serve x", "tool help", "tool $1 small_sft", "tool"])
def test_what_does_not_train(command):
    assert not launched(command)


def test_a_configuration_by_path_and_an_unknown_one():
    (context,) = launched("python pkg/tools/train.py pkg/configs/large_sft.py")
    assert context.entry.config == "pkg/configs/large_sft.py"
    (context,) = launched("tool train ${CONFIG}\ntool train large_sft")
    assert context.entry.config == "pkg/configs/large_sft.py"
    (context,) = launched("tool train ${CONFIG}")  # no launch shows that a configuration is meant
    assert context.entry == Entry("pkg/tools/train.py")


def test_dotted_modules():
    table = 'ROUTE = {"sft": "kit.cli.sft", "serve-it": "kit.cli.serve"}\ndef main():\n    start(ROUTE)\n'
    files = {"setup.cfg": "[options.entry_points]\nconsole_scripts =\n    kit = kit.cli.main:main\n"}
    files |= {
        "kit/cli/main.py": table,
        "kit/cli/sft.py": "",
        "kit/cli/serve.py": "",
        "run.sh": "kit sft --a b\n",
    }
    (context,) = launch_contexts(text_tree(files), [])
    assert (context.entry, context.option("a").value) == (Entry("kit/cli/sft.py"), "b")


def test_deepspeed_strategy_of_a_configuration():
    conf = (
        "strategy = dict(type='DeepSpeedStrategy', zero_optimization=dict(stage=2), gradient_clipping=1.0)\n"
    )
    (context,) = launched("tool train zed", **{"pkg/configs/zed.py": conf})
    assert context.strategy is Strategy.ZERO2
    assert str(context.strategy_from.at) == "pkg/configs/zed.py:1"
    assert context.option("deepspeed.gradient_clipping").value == 1.0


RUNNER = """\
from mmengine.runner import Runner
from mmengine.config import Config

def main():
    cfg = Config.fromfile("x")
    runner = Runner.from_cfg(cfg)
    runner.train()

if __name__ == "__main__":
    main()
"""
DATA = """\
import torch.distributed as dist

class Small:
    def __init__(self, n=1):
        self.n = n

class Large:
    def __init__(self):
        if dist.get_rank() == 0:
            dist.barrier()
"""


def checked(command):
    files = {**FILES, "pkg/tools/train.py": RUNNER, "pkg/data.py": DATA, "run.sh": command + "\n"}
    return text_tree(files)


def test_a_run_builds_what_its_own_configuration_names():
    project = build_project(
        checked("torchrun --nproc_per_node 2 pkg/tools/train.py pkg/configs/large_sft.py")
    )
    run, rest = project.contexts
    assert (run.origin, rest.origin, rest.entry) == (
        Origin.LAUNCHED,
        Origin.ENTRY,
        Entry("pkg/tools/train.py"),
    )
    assert "pkg/data.py::Large.__init__" in project.reach(run.entry)
    assert "pkg/data.py::Small.__init__" not in project.reach(run.entry)
    assert {"pkg/data.py::Large.__init__", "pkg/data.py::Small.__init__"} <= project.reach(
        rest.entry
    ).functions


def test_a_finding_names_the_runs_whose_configuration_leads_to_it():
    start = "torchrun --nproc_per_node 2 pkg/tools/train.py pkg/configs/"
    report = check(checked(f"{start}one/small_sft.py\n{start}large_sft.py"), Settings(select=("MM4",)))
    (finding,) = report.findings
    assert (finding.rule, finding.contexts) == ("MM401", ("run.sh:2",))
    assert "pkg/configs/large_sft.py:2" in [str(step.at) for step in finding.trace]


@pytest.mark.parametrize(
    ("head", "mark"),
    [
        ("import click\n", "@click.command()"),
        ("import typer\napp = typer.Typer()\n", "@app.command(name='a')"),
        ("from cyclopts import App\napp = App()\n", "@app.default"),
    ],
)
def test_a_command_of_an_application_is_run(head, mark):
    code = f"{head}{mark}\ndef main(x):\n    x.backward()\n\nif __name__ == '__main__':\n    main()\n"
    project = build_project(
        text_tree({"train.py": code.replace("    main()", "    run()"), "run.sh": "torchrun train.py"})
    )
    assert [c.id for c in project.contexts] == ["run.sh:1"]
