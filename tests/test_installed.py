"""Runs whose program is an installed library: only configurations and commands are in the tree."""

import json

import pytest

from mmcodemod.model.context import Entry, Origin, Strategy
from mmcodemod.model.given import Given
from mmcodemod.model.option import AUTO, UNKNOWN
from mmcodemod.pipeline import Settings, build_project, check
from mmcodemod.project.contexts import configured_contexts, launch_contexts
from mmcodemod.report import contexts as listed
from mmcodemod.report.json import render
from mmcodemod.source.tree import text_tree

STAGE = "deepspeed.zero_optimization.stage"
SFT = "stage: sft\ndo_train: true\nmodel_name_or_path: m\ndeepspeed: ds.json\nlearning_rate: 1.0e-4\n"
AXOLOTL = "base_model: m\ndatasets:\n  - path: d\nmicro_batch_size: 2\ndeepspeed: ds.json\nbf16: auto\n"
DPO = "model_name_or_path: m\ndataset_name: d\nlearning_rate: 1.0e-6\nenv:\n  NCCL_DEBUG: INFO\n"
FILES = {
    "sft.yaml": SFT,
    "ax.yml": AXOLOTL,
    "dpo.yaml": DPO,
    "ds.json": '{"zero_optimization": {"stage": 2}}\n',
}


def launched(command, problems=None, **more):
    files = {**FILES, "run.sh": f"{command}\n", **more}
    return launch_contexts(text_tree(files), [] if problems is None else problems)


@pytest.mark.parametrize(
    "command, library, kind",
    [
        ("llamafactory-cli train sft.yaml", "llamafactory", "console"),
        ("lmf train sft.yaml", "llamafactory", "console"),
        ("python -m llamafactory.cli train sft.yaml", "llamafactory", "python"),
        ("torchrun --nproc_per_node 8 -m llamafactory.launcher sft.yaml", "llamafactory", "torch"),
        ("axolotl train ax.yml", "axolotl", "accelerate"),
        ("axolotl train ax.yml --launcher torchrun", "axolotl", "torch"),
        ("accelerate launch -m axolotl.cli.train ax.yml", "axolotl", "accelerate"),
        ("python3 -m axolotl.cli.train ax.yml", "axolotl", "python"),
        ("trl sft --config dpo.yaml", "trl", "accelerate"),
        ("uv run trl dpo --config dpo.yaml", "trl", "accelerate"),
        ("accelerate launch -m trl.scripts.grpo --config dpo.yaml", "trl", "accelerate"),
        ("swift sft --model m --deepspeed zero3", "ms-swift", "console"),
        ("srun swift rlhf --rlhf_type dpo --model m", "ms-swift", "console"),
        ("swift pt sft.yaml", "ms-swift", "console"),
        ("xtuner train internlm_qlora --deepspeed deepspeed_zero2", "xtuner", "console"),
    ],
)
def test_a_command_of_a_library_trains(command, library, kind):
    (context,) = launched(command)
    assert (context.entry.library, context.launched_by) == (library, kind)
    assert f"runs the installed {library}" in context.notes
    assert build_project(text_tree({**FILES, "run.sh": command})).trains(context.entry)


@pytest.mark.parametrize(
    "command",
    [
        "llamafactory-cli chat sft.yaml",
        "llamafactory-cli export sft.yaml",
        "llamafactory-cli train -h",
        "llamafactory-cli",
        "llamafactory-cli $1 sft.yaml",
        "axolotl preprocess ax.yml",
        "axolotl merge-lora ax.yml",
        "accelerate launch -m axolotl.cli.inference ax.yml",
        "trl env",
        "trl vllm-serve --model m",
        "swift build -c release",
        "swift infer --model m",
        "swift deploy --model m",
        "xtuner convert pth_to_hf a b c",
        "echo axolotl train ax.yml",
        "python -m axolotl.cli.merge_lora ax.yml",
    ],
)
def test_a_command_that_does_not_train_is_no_context(command):
    assert not launched(command)


def test_prediction_is_no_training():
    assert not launched(
        "lmf train p.yaml", **{"p.yaml": "stage: sft\ndo_predict: true\nfinetuning_type: lora\n"}
    )


def test_the_commands_of_the_tree_win():
    own = {"setup.py": "E = ['axolotl = ax.cli:main']\n", "ax/cli.py": "def main():\n    loss.backward()\n"}
    (context,) = launched("axolotl train ax.yml", **own)
    assert (context.entry.path, context.entry.library) == ("ax/cli.py", "")


def test_a_library_whose_package_is_in_the_tree_is_not_the_installed_one():
    own = {"src/axolotl/__init__.py": "", "src/axolotl/train.py": "loss.backward()\n"}
    assert not launched("axolotl train ax.yml", **own)
    (context,) = configured_contexts(text_tree({"src/axolotl/__init__.py": "", "ax.yml": AXOLOTL}), [])
    assert context.entry is None


def test_a_launcher_does_not_start_a_word_that_names_a_library():
    files = {"train.py": "loss.backward()\n"}
    (context,) = launched("torchrun --rdzv_id swift train.py", **files)
    assert context.entry.path == "train.py"


def test_prose_starts_nothing():
    assert not launched(
        "true", **{"README.md": "Run axolotl train ax.yml or trl sft --config dpo.yaml now.\n"}
    )
    block = "```bash\naxolotl train ax.yml\n```\n"
    assert len(launched("true", **{"README.md": block})) == 1
    assert len(launched("true", Makefile="go:\n\taxolotl train ax.yml\n")) == 1


def test_llamafactory_reads_its_file_and_what_overrides_it():
    (context,) = launched("FORCE_TORCHRUN=1 llamafactory-cli train sft.yaml learning_rate=2e-5 bf16=true")
    assert (context.strategy, context.configs) == (Strategy.ZERO2, ("sft.yaml", "ds.json"))
    assert (context.option("learning_rate").value, context.option("bf16").value) == (2e-5, True)
    assert str(context.option("learning_rate").at).startswith("run.sh:1")


@pytest.mark.parametrize(
    "environment, strategy",
    [
        ("", Strategy.UNKNOWN),
        ("CUDA_VISIBLE_DEVICES=0", Strategy.SINGLE),
        ("CUDA_VISIBLE_DEVICES=0,1", Strategy.DDP),
        ("CUDA_VISIBLE_DEVICES=$GPUS", Strategy.UNKNOWN),
        ("FORCE_TORCHRUN=1", Strategy.DDP),
    ],
)
def test_llamafactory_starts_a_process_for_each_device(environment, strategy):
    yaml = {"a.yaml": "stage: sft\ndo_train: true\n"}
    (context,) = launched(f"{environment} llamafactory-cli train a.yaml", **yaml)
    assert context.strategy is strategy


def test_axolotl_names_arguments_in_its_own_way():
    (context,) = launched("axolotl train ax.yml --num-processes 4")
    assert context.option("per_device_train_batch_size").value == 2
    assert context.option("bf16").value is UNKNOWN
    assert context.option("launcher.num_processes").value == 4
    (context,) = launched("axolotl train b.yml", **{"b.yml": "base_model: m\nbf16: true\nfp16: true\n"})
    assert (context.option("bf16").value, context.option("fp16").value) == (True, False)


def test_words_behind_two_dashes_are_those_of_the_launcher():
    (context,) = launched("axolotl train ax.yml --launcher torchrun -- --nproc_per_node=2 --nnodes 1")
    assert (context.launched_by, context.option("launcher.nproc_per_node").value) == ("torch", 2)
    assert context.option("launcher").value == "torchrun"


@pytest.mark.parametrize("given, reentrant", [("", False), ("--deepspeed zero2", True)])
def test_how_swift_checkpoints(given, reentrant):
    (context,) = launched(f"swift sft --model m --gradient_checkpointing true {given}")
    assert context.option("gradient_checkpointing_kwargs.use_reentrant").value is reentrant


def test_how_axolotl_checkpoints():
    on = "base_model: m\ngradient_checkpointing: true\n"
    (context,) = launched("axolotl train b.yml", **{"b.yml": on})
    assert context.option("gradient_checkpointing_kwargs.use_reentrant").value is False
    told = f"{on}gradient_checkpointing_kwargs:\n  use_reentrant: true\n"
    (context,) = launched("axolotl train b.yml", **{"b.yml": told})
    assert context.option("gradient_checkpointing_kwargs.use_reentrant").value is True


def test_axolotl_shards_with_fsdp():
    text = "base_model: m\nfsdp_version: 2\nfsdp_config:\n  offload_params: false\n"
    (context,) = launched("axolotl train f.yml", **{"f.yml": text})
    assert context.strategy is Strategy.FSDP2
    (context,) = launched("axolotl train f.yml", **{"f.yml": "base_model: m\nfsdp:\n  - full_shard\n"})
    assert context.strategy is Strategy.FSDP1


def test_without_a_configuration_the_strategy_of_accelerate_is_not_known():
    (context,) = launched("axolotl train b.yml", **{"b.yml": "base_model: m\n"})
    assert context.strategy is Strategy.UNKNOWN


@pytest.mark.parametrize(
    "words, strategy",
    [
        ("--deepspeed zero3", Strategy.ZERO3),
        ("--deepspeed zero2_offload", Strategy.ZERO2),
        ("--deepspeed zero0", Strategy.DDP),
        ("", Strategy.SINGLE),
    ],
)
def test_what_swift_brings_is_not_missed(words, strategy):
    problems = []
    (context,) = launched(f"swift sft --model m {words}", problems)
    assert (context.strategy, problems) == (strategy, [])
    if "zero2" in words:
        assert context.option("deepspeed.zero_optimization.offload_optimizer.device").value == "cpu"
    if words:
        assert context.option("deepspeed.gradient_clipping").value is AUTO
        assert any("that ms-swift brings" in note for note in context.notes)


def test_a_file_of_the_tree_wins_over_what_the_library_brings():
    (context,) = launched(
        "swift sft --model m --deepspeed zero3", zero3='{"zero_optimization": {"stage": 1}}'
    )
    assert not any("brings" in note for note in context.notes)


def test_what_nobody_brings_is_missed():
    problems = []
    (context,) = launched("swift sft --model m --deepspeed my_zero3.json", problems)
    assert (context.strategy, len(problems)) == (Strategy.ZERO3, 1)


@pytest.mark.parametrize(
    "command", ["llamafactory-cli train gone.yaml", "FORCE_TORCHRUN=1 lmf train $C", "swift sft gone.yaml"]
)
def test_the_strategy_of_a_configuration_that_cannot_be_read_is_not_known(command):
    (context,) = launched(command)
    assert context.strategy is Strategy.UNKNOWN
    assert any(note.startswith("the configuration ") for note in context.notes)


def test_flags_count_when_the_configuration_cannot_be_read():
    (context,) = launched("lmf train gone.yaml deepspeed=ds.json")
    assert context.strategy is Strategy.ZERO2


def test_swift_starts_several_processes_where_the_environment_says_so():
    (context,) = launched("NPROC_PER_NODE=4 swift sft --model m")
    assert context.strategy is Strategy.DDP
    (context,) = launched("swift sft a.yaml", **{"a.yaml": "model: m\nENV:\n  NPROC_PER_NODE: 4\n"})
    assert context.strategy is Strategy.DDP


@pytest.mark.parametrize(
    "name, strategy",
    [
        ("zero3", Strategy.ZERO3),
        ("fsdp2", Strategy.FSDP2),
        ("multi_gpu", Strategy.DDP),
        ("single_gpu", Strategy.SINGLE),
    ],
)
def test_accelerate_configurations_that_trl_brings(name, strategy):
    problems = []
    (context,) = launched(f"trl dpo --config dpo.yaml --accelerate_config {name}", problems)
    assert (context.strategy, problems) == (strategy, [])
    (context,) = launched("trl dpo --config c.yaml", **{"c.yaml": f"{DPO}accelerate_config: {name}\n"})
    assert context.strategy is strategy
    assert context.option("env.NCCL_DEBUG").value == "INFO"


def test_an_accelerate_configuration_of_the_tree_for_trl():
    more = {"acc.yaml": "distributed_type: DEEPSPEED\ndeepspeed_config:\n  zero_stage: 2\n"}
    (context,) = launched("trl sft --config dpo.yaml --accelerate_config acc.yaml --num_processes 2", **more)
    assert (context.strategy, context.configs) == (Strategy.ZERO2, ("dpo.yaml", "acc.yaml"))
    assert context.option("launcher.num_processes").value == 2


def test_configurations_that_nothing_launches():
    found = {c.id: c for c in configured_contexts(text_tree(FILES), [])}
    assert {i: c.entry.library for i, c in found.items()} == {
        "ax.yml": "axolotl", "dpo.yaml": "trl", "sft.yaml": "llamafactory",
    }  # fmt: skip
    assert all(c.origin is Origin.CONFIGURED for c in found.values())
    assert found["ax.yml"].strategy is Strategy.ZERO2


def test_keys_of_trl_that_code_of_the_tree_reads():
    own = "from trl import TrlParser\nparser = TrlParser((A,))\n"
    assert not configured_contexts(text_tree({"dpo.yaml": DPO, "train.py": own}), [])


def test_a_configuration_in_python_for_the_installed_xtuner():
    config = "from mmengine.config import read_base\nfrom xtuner.model import Net\nmodel = dict(type=Net)\n"
    (context,) = launched(
        "NPROC_PER_NODE=2 xtuner train my_sft.py --deepspeed deepspeed_zero3", **{"my_sft.py": config}
    )
    assert (context.entry.config, context.strategy) == ("my_sft.py", Strategy.ZERO3)
    project = build_project(text_tree({"run.sh": "xtuner train my_sft.py\n", "my_sft.py": config}))
    assert project.contexts[0].entry.library == "xtuner"


@pytest.mark.parametrize(
    "text",
    [
        "base_model: m\nmodels:\n  - model: a\nmerge_method: slerp\n",
        "dataset_name: d\n",
        "model_name_or_path: m\n",
        "model:\n  base_model: m\n  datasets: d\n",
        "- base_model: m\n- datasets: d\n",
    ],
)
def test_other_yaml_is_no_training_configuration(text):
    assert not configured_contexts(text_tree({"a.yaml": text}), [])


def test_code_of_the_tree_is_still_judged_as_a_library():
    code = "from torch import nn\nclass Net(nn.Module):\n    def forward(self, x):\n        return x\n"
    project = build_project(text_tree({**FILES, "run.sh": "axolotl train ax.yml\n", "net.py": code}))
    assert [c.origin for c in project.contexts] == [Origin.LAUNCHED, Origin.LIBRARY]
    assert "net.py::Net.forward" in project.trained
    assert [
        c.origin for c in build_project(text_tree({**FILES, "run.sh": "axolotl train ax.yml"})).contexts
    ] == [Origin.LAUNCHED]


def test_no_framework_model_is_shown():
    texts = {**FILES, "requirements.txt": "deepspeed==0.12.6\ntransformers==4.44.0\n"}
    for more in ({}, {"run.sh": "axolotl train ax.yml\nllamafactory-cli train sft.yaml\n"}):
        report = check(text_tree({**texts, **more}))
        assert [f.rule for f in report.findings if f.at.path == "ds.json"] == ["MM303"]
        assert "<models>" not in render(report, {}) + listed.render_json(report) + listed.render(report)
    entries = {
        c["entry"]["symbol"]: c["entry"]["path"] for c in json.loads(listed.render_json(report))["contexts"]
    }
    assert entries == {"axolotl": "", "llamafactory": ""}


def test_a_given_command_runs_the_installed_program_alone():
    texts = {**FILES, "net.py": "def train():\n    pass\n"}
    given = Given(("axolotl", "train", "ax.yml"))
    (context,) = build_project(text_tree(texts), Settings(given=given)).contexts
    assert (context.entry.library, context.strategy) == ("axolotl", Strategy.ZERO2)


def test_a_program_of_the_tree_itself_starts_a_process_for_each_device_too():
    own = {"setup.py": "S = ['llamafactory-cli = pkg.cli:main']\n", "pkg/cli.py": "def main(): ...\n"}
    yaml = {"a.yaml": "stage: sft\ndo_train: true\n"}

    def strategy(command):
        (context,) = launch_contexts(text_tree({**own, **yaml, "run.sh": command}), [])
        assert context.entry == Entry("pkg/cli.py", "main")
        return context.strategy

    assert strategy("llamafactory-cli train a.yaml") is Strategy.UNKNOWN
    assert strategy("CUDA_VISIBLE_DEVICES=0 llamafactory-cli train a.yaml") is Strategy.SINGLE
    assert strategy("CUDA_VISIBLE_DEVICES=0,1 llamafactory-cli train a.yaml") is Strategy.DDP
    assert strategy("FORCE_TORCHRUN=1 llamafactory-cli train a.yaml") is Strategy.DDP
