"""Training contexts: which launches are found, and what is known of each."""

import pytest

from mmcodemod.model.context import Entry, Origin, Strategy
from mmcodemod.model.finding import Problem
from mmcodemod.model.option import AUTO, MISSING, UNKNOWN
from mmcodemod.project.contexts import (
    configured_contexts,
    deepspeed_configs,
    launch_contexts,
    training_default,
)
from mmcodemod.project.ranks import ranks
from mmcodemod.source.tree import MemoryTree, text_tree

ZERO3 = '{\n  "train_micro_batch_size_per_gpu": "auto",\n  "zero_optimization": {\n    "stage": 3\n  }\n}\n'
CLI = {
    "setup.py": 'S = ["factory-cli = factory.cli:main"]\n',
    "src/factory/cli.py": "def main(): ...\n",
}
SFT = "stage: sft\ndo_train: true\nlearning_rate: 1e-4\ndeepspeed: ds/z3.json\n"


def launched(files, problems=None):
    return launch_contexts(text_tree(files), [] if problems is None else problems)


def only(files):
    (context,) = launched(files)
    return context


def run(command, **more):
    return only({"train.py": "", "run.sh": command, **more})


@pytest.mark.parametrize(
    "command",
    [
        "deepspeed --num_gpus 2 --module pkg.train --lr 1",
        "deepspeed --module --no_local_rank --num_gpus 2 pkg.train --lr 1",
        "python -m deepspeed.launcher.runner --module --num_gpus=2 pkg.train --lr 1",
        "torchrun --nproc_per_node 2 -m pkg.train --lr 1",
        "torchrun --module --standalone --rdzv_backend c10d --nproc_per_node 2 pkg.train --lr 1",
        "python -m torch.distributed.run -m --nproc-per-node 2 pkg.train --lr 1",
        "accelerate launch -m --num_processes 2 pkg.train --lr 1",
        "accelerate launch --module --multi_gpu --num_processes 2 pkg.train --lr 1",
    ],
)
def test_launchers_run_modules(command):
    """`-m` and `--module` are switches of the launchers: the module may stand anywhere behind them."""
    context = only({"src/pkg/__init__.py": "", "src/pkg/train.py": "", "run.sh": command})
    assert context.entry == Entry("src/pkg/train.py")
    assert (context.option("lr").value, ranks(context).value) == (1, 2)


def test_deepspeed_with_zero3():
    files = {
        "pkg/train.py": "",
        "scripts/ft.sh": "#!\n\ndeepspeed pkg/train.py \\\n --deepspeed ./scripts/z3.json \\\n --bf16 True",
        "scripts/z3.json": ZERO3,
        "requirements.txt": "deepspeed==0.12.6\n",
    }
    context = only(files)
    assert (context.id, context.entry, context.strategy) == (
        "scripts/ft.sh:3",
        Entry("pkg/train.py"),
        Strategy.ZERO3,
    )
    assert (context.configs, context.origin) == (("scripts/z3.json",), Origin.LAUNCHED)
    assert (context.strategy_from.value, str(context.strategy_from.at)) == (3, "scripts/z3.json:4")
    assert (context.option("bf16").value, str(context.option("bf16").at)) == (True, "scripts/ft.sh:5")
    assert context.option("deepspeed.train_micro_batch_size_per_gpu").value is AUTO
    assert context.option("deepspeed.gradient_clipping").value is MISSING
    assert context.dependencies["deepspeed"].spec == "==0.12.6"


NAMED = "--deepspeed_config_file z3.json"  # turns nothing on by itself


@pytest.mark.parametrize(
    ("command", "strategy"),
    [
        ("python train.py", Strategy.SINGLE),
        ("CUDA_VISIBLE_DEVICES=0 nohup python3 -u -m train --x 1 &", Strategy.SINGLE),
        ("ssh node1 torchrun --nproc_per_node 8 train.py", Strategy.DDP),
        (
            "xargs -a hosts -I {} ssh {} tmux new -d $(which python) -m torch.distributed.run train.py",
            Strategy.DDP,
        ),
        ("torchrun --nproc_per_node 8 train.py", Strategy.DDP),
        ("python -m torch.distributed.launch --nproc_per_node=8 train.py", Strategy.DDP),
        ("srun torchrun train.py --fsdp 'full_shard auto_wrap'", Strategy.FSDP1),
        ("deepspeed --num_gpus 8 train.py", Strategy.UNKNOWN),
        ("deepspeed train.py --deepspeed z0.json", Strategy.DDP),
        ("torchrun train.py --deepspeed $DS", Strategy.UNKNOWN),
        ("torchrun train.py --fsdp full_shard --fsdp_config f.json", Strategy.FSDP2),
        ("accelerate launch train.py", Strategy.UNKNOWN),
        ("accelerate launch --multi_gpu train.py", Strategy.DDP),
        ("accelerate launch --use_deepspeed --zero_stage 2 train.py", Strategy.ZERO2),
        ("accelerate launch --config_file multi.yaml train.py", Strategy.DDP),
        ("accelerate launch --config_file no.yaml train.py", Strategy.SINGLE),
        ("accelerate launch --config_file fsdp2.yaml train.py", Strategy.FSDP2),
        ("accelerate launch --config_file inline.yaml train.py", Strategy.ZERO3),
        ("accelerate launch --config_file inline.yaml --multi_gpu train.py", Strategy.DDP),
        ("accelerate launch --config_file inline.yaml --use_fsdp train.py", Strategy.FSDP1),
        ("accelerate launch --config_file both.yaml train.py", Strategy.DDP),
        ("accelerate launch --config_file multi.yaml --use_fsdp train.py", Strategy.FSDP1),
        (f"accelerate launch --config_file multi.yaml {NAMED} train.py", Strategy.DDP),
        (f"accelerate launch --config_file fsdp2.yaml {NAMED} train.py", Strategy.FSDP2),
        (f"accelerate launch --config_file none.yaml {NAMED} train.py", Strategy.UNKNOWN),
        (f"accelerate launch {NAMED} train.py", Strategy.UNKNOWN),
        (f"accelerate launch --multi_gpu {NAMED} train.py", Strategy.DDP),
        (f"accelerate launch --use_deepspeed {NAMED} train.py", Strategy.ZERO3),
        (f"accelerate launch --config_file multi.yaml --use_deepspeed {NAMED} train.py", Strategy.ZERO3),
        ("accelerate launch --multi_gpu train.py --deepspeed z3.json", Strategy.ZERO3),
    ],
)
def test_strategies(command, strategy):
    files = {
        "f.json": '{"fsdp_version": 2}',
        "z0.json": '{"zero_optimization": {"stage": 0}}',
        "multi.yaml": "distributed_type: MULTI_GPU\n",
        "no.yaml": "distributed_type: NO\n",
        "both.yaml": "distributed_type: MULTI_GPU\ndeepspeed_config:\n  zero_stage: 3\n",
        "z3.json": '{"zero_optimization": {"stage": 3}}',
        "fsdp2.yaml": "distributed_type: FSDP\nfsdp_config:\n  fsdp_version: 2\n",
        "inline.yaml": "distributed_type: DEEPSPEED\ndeepspeed_config:\n  zero_stage: 3\n",
    }
    assert run(command, **files).strategy is strategy


@pytest.mark.parametrize(
    ("kind", "strategy"),
    [
        ("MULTI_XPU", Strategy.DDP),
        ("MULTI_CPU", Strategy.DDP),
        ("MULTI_HPU", Strategy.DDP),
        ("XLA", Strategy.UNKNOWN),
        ("MEGATRON_LM", Strategy.UNKNOWN),
    ],
)
def test_accelerate_wraps_by_ddp_on_every_kind_of_device(kind, strategy):
    files = {"own.yaml": f"distributed_type: {kind}\n"}
    assert run("accelerate launch --config_file own.yaml train.py", **files).strategy is strategy


@pytest.mark.parametrize(
    "command",
    [
        "python other.py",
        "python /abs/train.py",
        "python ../../train.py",
        "echo python train.py",
        "python -c 'x'",
    ],
)
def test_commands_that_start_nothing_in_the_tree(command):
    assert launched({"train.py": "", "run.sh": command}) == ()


def test_plain_python_that_does_not_train_is_no_context():
    files = {
        "convert.py": "print(1)",
        "fit.py": "loss.backward()",
        "run.sh": "python convert.py\npython fit.py\n",
    }
    assert only(files).entry == Entry("fit.py")


def test_folders_of_a_script():
    files = {"a/b/train.py": "", "a/b/z3.json": ZERO3, "train.py": ""}
    command = "torchrun train.py --deepspeed z3.json"
    assert only({**files, "a/run.sh": f"cd b\n{command}"}).entry == Entry("a/b/train.py")
    assert only({**files, "a/run.sh": f'cd "$(dirname "$0")/b"\n{command}'}).configs == ("a/b/z3.json",)


def test_after_a_path_of_the_machine_all_files_stand_in_one_folder():
    files = {"own/src/train.py": "", "conf/z3.json": ZERO3}
    command = "torchrun src/train.py --deepspeed conf/z3.json"
    there = {"own/run.sh": f"cd /home/someone/checkout\n{command}"}
    assert only({**files, "own/run.sh": command}).configs == ("conf/z3.json",)
    assert only({**files, **there}).entry == Entry("own/src/train.py")
    assert only({**files, **there}).configs == ()
    assert only({**files, **there, "own/conf/z3.json": ZERO3}).configs == ("own/conf/z3.json",)


def test_after_a_path_of_the_machine_the_nearest_folder_with_all_files_is_the_project():
    files = {f"{f}train/fit.py": "" for f in ("", "all/", "all/new/")}
    files |= {f"{f}conf/z3.json": ZERO3 for f in ("all/", "all/new/")}
    script = "cd /path/to/New\ntorchrun train/fit.py --deepspeed ./conf/z3.json --data data.json"
    new, old = only({**files, "all/new/run.sh": script}), only({**files, "all/old/run.sh": script})
    assert (new.entry, new.configs) == (Entry("all/new/train/fit.py"), ("all/new/conf/z3.json",))
    assert (old.entry, old.configs) == (Entry("all/train/fit.py"), ("all/conf/z3.json",))


def test_a_folder_beside_the_tree_is_another_project():
    script = {"scripts/run.sh": "cd ../other\ntorchrun train.py"}
    assert only({**script, "other/train.py": ""}).entry == Entry("other/train.py")
    assert launched({**script, "train.py": ""}) == ()
    assert only({"scripts/run.sh": "cd ..\ntorchrun train.py", "train.py": ""}).entry == Entry("train.py")


def test_an_unknown_folder_in_a_path_is_noted():
    context = run("python $ROOT/train.py")
    assert context.notes == ("$ROOT is taken for a folder here",)


PROGRAM = {"src/talk/train/train.py": "", "src/talk/serve/train.py": "", "src/tools/zero/z3.json": ZERO3}


@pytest.mark.parametrize(
    "command",
    [
        "torchrun /talk/train/train.py",
        "torchrun /workspace/src/talk/train/train.py",
        "torchrun ~/code/train/train.py",
        "torchrun $HOME/talk/train/train.py",
    ],
)
def test_a_path_outside_the_tree_means_the_file_that_ends_alike(command):
    context = only({**PROGRAM, "run.sh": command})
    assert context.entry == Entry("src/talk/train/train.py")
    written = command.split()[1]
    assert context.notes == (f"{written} is taken for src/talk/train/train.py",)


@pytest.mark.parametrize(
    "path",
    ["/train.py", "/other/train.py", "/elsewhere/talk/train.py", "$HOME/train.py", "/talk/train/run.py"],
)
def test_a_path_outside_the_tree_that_shares_too_little_is_no_file_of_it(path):
    assert launched({**PROGRAM, "run.sh": f"torchrun {path}"}) == ()


def test_a_path_outside_the_tree_that_two_files_end_like_is_neither():
    files = {"one/train/train.py": "", "two/train/train.py": "", "run.sh": "torchrun /talk/train/train.py"}
    assert launched(files) == ()
    files["three/talk/train/train.py"] = ""
    assert only(files).entry == Entry("three/talk/train/train.py")


def test_a_configuration_outside_the_tree_is_the_one_that_ends_alike():
    context = only({**PROGRAM, "run.sh": "deepspeed /talk/train/train.py --deepspeed /data/zero/z3.json"})
    assert context.configs == ("src/tools/zero/z3.json",)


def test_options_keep_what_is_unknown():
    context = run('python train.py --lr $1 --seed 1 --wd 0. --name=a --flag --names a b "$@"')
    values = {k: o.value for k, o in context.options.items()}
    assert values == {
        "lr": UNKNOWN,
        "seed": 1,
        "wd": 0.0,
        "name": "a",
        "flag": True,
        "names": "a b",
        "$@": UNKNOWN,
    }
    assert context.notes == ('arguments of the script are passed on by "$@" at run.sh:1',)


def test_a_value_points_to_the_variable_it_comes_from():
    context = run("BF=True\ntorchrun train.py --bf16 $BF")
    assert str(context.option("bf16").at) == "run.sh:1"


def test_a_missing_deepspeed_file_is_one_problem_and_a_noted_guess():
    problems = []
    files = {"train.py": "", "a.sh": "deepspeed train.py --deepspeed x/ds_z2.json\n" * 2, "b.sh": ""}
    files["b.sh"] = "deepspeed train.py --lr 1 --deepspeed x/ds_z2.json"
    contexts = launched(files, problems)
    assert [c.strategy for c in contexts] == [Strategy.ZERO2, Strategy.ZERO2]
    assert contexts[0].option("deepspeed").value is UNKNOWN
    assert "stage inferred from the file name" in contexts[0].notes
    assert [(p.path, p.kind, p.line) for p in problems] == [("a.sh", "missing", 1)]


def test_console_script_with_yaml():
    files = {
        **CLI,
        "run.sh": "FORCE_TORCHRUN=1 factory-cli train sft.yaml --seed 2",
        "sft.yaml": SFT + "seed: 1\n",
    }
    context = only({**files, "ds/z3.json": ZERO3})
    assert context.entry == Entry("src/factory/cli.py", "main")
    assert (context.strategy, context.configs) == (Strategy.ZERO3, ("sft.yaml", "ds/z3.json"))
    assert context.option("learning_rate").value == "1e-4"
    assert (context.option("seed").value, str(context.option("stage").at)) == (2, "sft.yaml:1")


def test_console_script_without_deepspeed():
    plain = {**CLI, "sft.yaml": "stage: sft\n"}
    assert only({**plain, "run.sh": "factory-cli train sft.yaml"}).strategy is Strategy.SINGLE
    assert only({**plain, "run.sh": "FORCE_TORCHRUN=1 factory-cli train sft.yaml"}).strategy is Strategy.DDP
    assert launched({**plain, "run.sh": "factory-cli chat sft.yaml"}) == ()


def test_prediction_is_not_training():
    files = {**CLI, "p.yaml": "stage: sft\nfinetuning_type: lora\ndo_predict: true\n"}
    assert configured_contexts(text_tree(files), []) == ()
    assert launched({**files, "run.sh": "factory-cli train p.yaml"}) == ()


def test_readme_and_makefile():
    readme = "# How\n\n```bash\n$ torchrun train.py --lr 1\n```\n```python\ntorchrun train.py --no 1\n```\n"
    make = "N ?= 4\ntrain:\n\t@torchrun --nproc_per_node $(N) \\\n\t  train.py\n"
    first, second = launched(
        {"train.py": "", "README.md": readme, "docs/README_zh.md": readme, "Makefile": make}
    )
    assert (first.id, first.option("launcher.nproc_per_node").value) == ("Makefile:3", 4)
    assert (second.id, second.notes) == ("README.md:4", ("from README code block",))


def test_a_launch_of_a_page_that_is_no_readme_says_so():
    page = "```bash\ntorchrun train.py\n```\n"
    notes = {
        c.id: c.notes
        for path in ("docs/use.md", "README_zh.md")
        for c in launched({"train.py": "", path: page})
    }
    assert notes == {
        "docs/use.md:2": ("from a code block of a page",),
        "README_zh.md:2": ("from README code block",),
    }
    assert [c.id for c in launched({"train.py": "", "docs/use.md": page, "docs/zh.md": page})] == [
        "docs/use.md:2"
    ]


def test_ids_are_unique_and_equal_commands_count_once():
    contexts = launched({"train.py": "", "run.sh": "python train.py; python train.py --a 1\npython train.py"})
    assert [c.id for c in contexts] == ["run.sh:1", "run.sh:1#2"]


def test_the_nearest_requirement_wins():
    files = {"a/train.py": "", "a/run.sh": "cd a; torchrun train.py"}
    files |= {
        "a/requirements.txt": "torch==2\n",
        "requirements.txt": "torch==1\n",
        "b/requirements.txt": "peft\n",
    }
    assert {n: d.spec for n, d in only(files).dependencies.items()} == {"torch": "==2"}


def test_configurations_that_nothing_launches():
    files = {**CLI, "train.py": "", "run.sh": "deepspeed train.py --deepspeed used.json", "used.json": ZERO3}
    files |= {
        "free.json": ZERO3,
        "data.json": '{"x": "zero_optimization"}',
        "sft.yaml": SFT,
        "ds/z3.json": ZERO3,
    }
    found = configured_contexts(text_tree(files), [])
    assert [(c.id, c.strategy, c.origin) for c in found] == [
        ("sft.yaml", Strategy.ZERO3, Origin.CONFIGURED),
        ("free.json", Strategy.ZERO3, Origin.CONFIGURED),
    ]
    assert found[0].entry == Entry("src/factory/cli.py", "main")


def test_deepspeed_configs_of_a_tree():
    hjson = "{ # comment\n  zero_optimization: {stage: 2}\n}"
    files = {"a.json": hjson, "b.json": "[1]", "c.json": '{"zero_optimization": ', "d.json": "{}"}
    assert list(deepspeed_configs(text_tree(files))) == ["a.json"]


def test_a_huge_file_is_not_parsed():
    problems = []
    data = b'{"zero_optimization": {"stage": 3}, "x": "' + b"x" * 2_000_001 + b'"}'
    tree = MemoryTree(
        {"train.py": b"", "big.json": data, "run.sh": b"deepspeed train.py --deepspeed big.json"}
    )
    assert launch_contexts(tree, problems)[0].strategy is Strategy.UNKNOWN
    assert ("big.json", "too-large") in [(p.path, p.kind) for p in problems]


def test_broken_files_are_problems_not_errors():
    problems = []
    files = {"train.py": "", "run.sh": "deepspeed train.py --deepspeed ds.json", "ds.json": '{\n"a": '}
    (context,) = launched(files, problems)
    assert ("ds.json", "config", 2) in [(p.path, p.kind, p.line) for p in problems]
    told = next(p.message for p in problems if p.path == "run.sh")
    assert told == "the DeepSpeed configuration ds.json holds no object that can be read"
    assert context.configs == ("ds.json",) and context.strategy is Strategy.UNKNOWN


def test_training_defaults():
    assert training_default("max_grad_norm").value == 1.0
    assert training_default("bf16").note == "TrainingArguments default"
    assert training_default("no_such").value is MISSING


def test_a_deepspeed_configuration_that_cannot_be_read_is_told():
    problems: list[Problem] = []
    configured_contexts(text_tree({"ds.json": '{"zero_optimization": {'}), problems)
    assert [(p.path, p.kind) for p in problems] == [("ds.json", "config")]


def test_a_configuration_that_says_how_to_distribute():
    head = "model: a/b\nmodel_class: llm\ntrain_dataset: d.yaml\noutput_dir: out\n"
    files = {
        "ds.yaml": f"{head}dist_config:\n  name: deepspeed\n  config_file: z3.json\n",
        "fsdp.yaml": f"{head}dist_config:\n  name: fsdp2\n",
        "other.yaml": "train_dataset: d.yaml\n",
        "z3.json": ZERO3,
    }
    found = {c.id: c for c in configured_contexts(text_tree(files), [])}
    assert {i: c.strategy for i, c in found.items()} == {
        "ds.yaml": Strategy.ZERO3,
        "fsdp.yaml": Strategy.FSDP2,
    }
    assert found["ds.yaml"].configs == ("ds.yaml", "z3.json")
    assert str(found["fsdp.yaml"].strategy_from.at) == "fsdp.yaml:6"


def test_options_that_come_from_a_sourced_file():
    files = {"scripts/env.sh": "export N=4\nDS=z3.json\n", "z3.json": ZERO3, "train.py": ""}
    files["scripts/run.sh"] = (
        'source "$(dirname "$0")/env.sh"\ntorchrun --nproc_per_node $N train.py --deepspeed $DS'
    )
    context = only(files)
    assert (context.id, context.strategy) == ("scripts/run.sh:2", Strategy.ZERO3)
    at = [str(context.option(n).at) for n in ("launcher.nproc_per_node", "deepspeed", "env.N")]
    assert at == ["scripts/env.sh:1", "scripts/env.sh:2", "scripts/env.sh:1"]


def test_a_script_that_another_one_calls_with_arguments():
    files = {
        "train.py": "",
        "one.sh": 'torchrun --nproc_per_node $1 train.py "${@:2}"\ntorchrun train.py --b 1',
    }
    files["all.sh"] = "bash one.sh 8\nsh ./one.sh 4 --lr 1\nbash one.sh $N\nbash missing.sh 1\n"
    found = launched(files)
    counts = [(c.id, c.option("launcher.nproc_per_node").value, c.notes) for c in found]
    assert counts[2:] == [
        ("one.sh:1#2", 8, ("called by all.sh:1 with 8",)),
        ("one.sh:1#3", 4, ("called by all.sh:2 with 4 --lr 1",)),
    ]
    assert [c[:2] for c in counts[:2]] == [("one.sh:1", UNKNOWN), ("one.sh:2", MISSING)]
    assert str(found[2].option("launcher.nproc_per_node").at) == "all.sh:1"


def exported(caller: str, more: dict[str, str] | None = None) -> list[object]:
    """The `version` and `lr` of a script that another one calls."""
    files = {"train.py": "", "one.sh": "torchrun train.py --version $V --lr ${R:-1}", "all.sh": caller}
    found = launched(files | (more or {}))
    return [context.option(name).value for context in found for name in ("version", "lr")]


def test_what_a_script_exports_to_one_that_it_calls():
    assert exported("export V=${V:-plain}\nbash one.sh") == ["plain", 1]
    assert exported("export R=2\nV=v1 sh ./one.sh") == ["v1", 2]
    assert exported("V=plain\nbash one.sh") == [UNKNOWN, 1]  # not exported
    assert exported("bash one.sh\nexport V=v1") == [UNKNOWN, 1]  # too late


def test_callers_that_export_something_else():
    assert exported("export V=a R=2\nbash one.sh\nexport V=b\nbash one.sh") == [UNKNOWN, 2]
    assert exported("export R=2\nbash one.sh", {"other.sh": "bash one.sh"}) == [UNKNOWN, UNKNOWN]
    assert exported("export V=$1\nbash one.sh") == [UNKNOWN, 1]


def test_exports_go_through_a_script_between():
    outer = "export V=a R=2\nbash all.sh"
    assert exported("bash one.sh", {"top.sh": outer}) == ["a", 2]
    assert exported("export V=${V:-b}\nbash one.sh", {"top.sh": outer}) == ["a", 2]
    assert exported("V=b\nbash one.sh", {"top.sh": outer}) == ["b", 2]
    other = {"top.sh": outer, "up.sh": "export R=3\nbash all.sh"}
    assert exported("export V=${V:-b}\nbash one.sh", other) == [UNKNOWN, UNKNOWN]


def test_an_exported_value_is_told_where_it_stands():
    files = {"train.py": "", "one.sh": "torchrun train.py --version $V"}
    context = launched(files | {"all.sh": "export V=plain\nbash one.sh"})[0]
    assert str(context.option("version").at) == "all.sh:1"
    assert "env.V" not in context.options


def test_scripts_that_call_each_other_end():
    files = {"train.py": "", "a.sh": "bash b.sh $1 x", "b.sh": "bash a.sh $1 y\ntorchrun train.py --n $1"}
    files["c.sh"] = "bash a.sh 1\n"
    assert {c.option("n").value for c in launched(files)} == {UNKNOWN, 1}


@pytest.mark.parametrize(
    ("flags", "count"),
    [
        ("", 12),
        ("--include one:0,2@two", 6),
        ("--exclude two", 8),
        ("--exclude one:7", 11),
        ("--num_nodes 1", 8),
        ("--num_gpus 2", 4),
        ("--num_nodes 1 --num_gpus 3", 3),
        ("--num_gpus $N", UNKNOWN),
        ("--include three", UNKNOWN),
        ("--include one:9", UNKNOWN),
        ("--include one --num_gpus 1", UNKNOWN),
    ],
)
def test_ranks_on_the_hosts_of_a_hostfile(flags, count):
    hosts = "# all\none slots=8\n\ntwo slots=4 # x\n"
    context = run(f"deepspeed --hostfile hosts.txt {flags} train.py", **{"hosts.txt": hosts})
    assert ranks(context).value == count


def test_ranks_on_unknown_hosts():
    for hosts in ("one\n", "one slots=1\none slots=1\n", ""):
        context = run("deepspeed --hostfile hosts.txt train.py", **{"hosts.txt": hosts})
        assert ranks(context).value is UNKNOWN
    assert ranks(run("deepspeed --hostfile other.txt --num_gpus 2 train.py")).value is UNKNOWN


@pytest.mark.parametrize(
    ("command", "count"),
    [("srun python train.py", 8), ("srun -n 3 python train.py", 3), ("srun --nodes=1 python -m train", 4)],
)
def test_ranks_of_a_batch_script(command, count):
    context = run(f"#!/bin/sh\n#SBATCH -N 2\n#SBATCH --ntasks-per-node=4\n{command}")
    assert (context.launched_by, ranks(context).value) == ("tasks", count)


def test_a_command_given_to_a_shell_as_text():
    context = run("export LR=1\nsrun -n 4 bash -c 'cd x && python train.py --lr $LR'")
    assert (context.id, context.launched_by, context.option("lr").value) == ("run.sh:2", "tasks", 1)
    assert ranks(context).value == 4


def test_placeholders_are_no_values():
    readme = (
        "```\ntorchrun train.py --data <path> --deepspeed z3.json \\\n  ... \\\n  --lr 1 [OPTIONS]\n```\n"
    )
    context = only({"train.py": "", "z3.json": ZERO3, "README.md": readme})
    values = {k: o.value for k, o in context.options.items() if "." not in k}
    assert values == {"data": UNKNOWN, "deepspeed": "z3.json", "lr": 1, "$@": UNKNOWN}
    assert "further arguments are left out by '[OPTIONS]' at README.md:4" in context.notes


@pytest.mark.parametrize(
    ("script", "entry"),
    [
        ("old/code/scripts/run.sh", "old/code/train.py"),  # run from the project that it belongs to
        ("old/run.sh", "train.py"),  # from the root, or from its own folder: as elsewhere, the root
        ("run.sh", "train.py"),
        ("old/code/run.sh", "train.py"),
    ],
)
def test_the_project_around_a_script_comes_before_the_root_of_the_tree(script, entry):
    context = only({"train.py": "", "old/code/train.py": "", script: "torchrun train.py"})
    assert context.entry == Entry(entry)


def test_a_command_finds_all_its_files_from_one_folder():
    """Where `radchat/train.py` is found, `radchat/scripts/z3.json` is no `scripts/z3.json`."""
    plain = '{"zero_optimization": {"stage": 2}}'
    launch = "deepspeed radchat/train.py --deepspeed ./scripts/z3.json"
    files = {"radchat/train.py": "", "scripts/z3.json": ZERO3, "radchat/scripts/z3.json": plain}
    context = only({**files, "radchat/scripts/run.sh": launch})
    assert (context.entry, context.configs) == (Entry("radchat/train.py"), ("scripts/z3.json",))
    context = only({**files, "radchat/scripts/run.sh": launch, "radchat/radchat/train.py": ""})
    assert context.configs == ("radchat/scripts/z3.json",)


@pytest.mark.parametrize("script", ["radchat/scripts/run.sh", "radchat/run.sh"])
def test_files_that_no_one_folder_holds_are_found_as_before(script):
    files = {"radchat/train.py": "", "radchat/conf/z3.json": ZERO3, script: ""}
    context = only({**files, script: "deepspeed radchat/train.py --deepspeed conf/z3.json"})
    assert context.entry == Entry("radchat/train.py")
    assert context.configs == ("radchat/conf/z3.json",)


@pytest.mark.parametrize(
    ("named", "program"),
    [("--module radchat", "kit/radchat/__main__.py"), ('"$PWD/radchat/go.py"', "kit/radchat/go.py")],
)
def test_no_folder_is_taken_in_which_the_program_is_not(named, program):
    launch = f"deepspeed {named} --deepspeed scripts/z3.json --more more.yaml"
    files = {program: "", "kit/scripts/z3.json": ZERO3, "scripts/z3.json": ZERO3, "more.yaml": "x: 1\n"}
    context = only({**files, "kit/scripts/run.sh": launch})
    assert (context.entry, context.configs) == (Entry(program), ("kit/scripts/z3.json",))


def test_a_short_option_with_a_value_asks_for_no_help():
    assert run("torchrun train.py -h 8").command.endswith("train.py -h 8")


@pytest.mark.parametrize("folder", ['$(dirname "$(realpath "$0")")', '$(cd "$(dirname "$0")" && pwd)'])
def test_configurations_named_from_the_folder_of_the_script(folder):
    accelerate = "distributed_type: DEEPSPEED\ndeepspeed_config:\n  zero_stage: 3\n"
    launch = 'accelerate launch --config_file "$HERE/z3.yaml" "$HERE/train.py" --seed "$SEED"\n'
    context = only(
        {"a/run.sh": f'HERE="{folder}"\n{launch}', "a/z3.yaml": accelerate, "a/train.py": "import torch\n"}
    )
    assert context.configs == ("a/z3.yaml",)
    assert context.strategy is Strategy.ZERO3
    assert context.option("seed").value is UNKNOWN


def test_a_name_below_the_folder_of_the_script_may_be_unknown():
    launch = 'accelerate launch --config_file "$(realpath "$(dirname "$0")/$NAME.yaml")" train.py\n'
    context = only({"run.sh": launch, "train.py": "import torch\n"})
    assert context.option("launcher.config_file").value is UNKNOWN
