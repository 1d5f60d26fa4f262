"""Training arguments that code makes of the file which the launch names."""

from __future__ import annotations

import pytest

from mmcodemod.model.context import Strategy
from mmcodemod.model.option import UNKNOWN
from mmcodemod.pipeline import Settings, build_project, check
from mmcodemod.source.tree import text_tree

TRAIN = """
import sys
import yaml
from omegaconf import OmegaConf
from transformers import HfArgumentParser, Trainer, TrainingArguments

def load(path):
    with open(path) as file:
        return yaml.safe_load(file)

def main(model):
    cfg = load(sys.argv[1])
{body}
    Trainer(model=model, args=args).train()

if __name__ == "__main__":
    main(None)
"""
NESTED = """
model: llama
trainer:
  output_dir: out
  bf16: true
  deepspeed: ds.json
"""
FLAT = "output_dir: out\nbf16: true\nfp16: true\ndeepspeed: ds.json\n"
ZERO3 = '{"zero_optimization": {"stage": 3}}'


def context_of(body, config=NESTED, launch="torchrun --nproc_per_node 8 train.py run.yaml\n"):
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    files = {"train.py": TRAIN.format(body=lines), "ds.json": ZERO3, "run.yaml": config}
    project = build_project(text_tree({**files, "more.yaml": "bf16: false\n", "run.sh": launch}))
    (context,) = project.contexts
    assert not project.problems
    return context


@pytest.mark.parametrize(
    "body",
    (
        'args = TrainingArguments(**cfg["trainer"])',
        "args = TrainingArguments(**cfg.trainer)",
        'section = dict(cfg["trainer"])\nargs = TrainingArguments(**section)',
        'args = TrainingArguments(**cfg.get("trainer", {}))',
        '(args,) = HfArgumentParser(TrainingArguments).parse_dict(cfg["trainer"])',
        "cfg = OmegaConf.load(sys.argv[1])\nargs = TrainingArguments(**OmegaConf.to_container(cfg.trainer))",
        'args = TrainingArguments(**cfg["trainer"])\nprint(cfg["model"], len(cfg))',
    ),
)
def test_a_section_holds_the_arguments(body):
    context = context_of(body)
    assert (context.strategy, context.configs) == (Strategy.ZERO3, ("run.yaml", "ds.json"))
    assert (context.option("bf16").value, str(context.option("bf16").at)) == (True, "run.yaml:5")


def test_flags_win_and_other_sections_do_not():
    both = "bf16: false\n" + NESTED
    assert context_of('args = TrainingArguments(**cfg["trainer"])', both).option("bf16").value is True
    launch = "torchrun --nproc_per_node 8 train.py run.yaml --bf16 no\n"
    flag = context_of('args = TrainingArguments(**cfg["trainer"])', both, launch).option("bf16")
    assert (flag.value, flag.at.path) == (False, "run.sh")


def test_another_section_holds_none():
    context = context_of('cfg["other"] = {}\nargs = TrainingArguments(**cfg["model"])')
    assert context.strategy is Strategy.DDP
    assert context.option("bf16").at is None


def test_a_section_of_a_keyword():
    body = 'args = TrainingArguments("out", deepspeed=cfg["trainer"]["deepspeed"])'
    assert context_of(body).strategy is Strategy.ZERO3


def test_what_the_code_sets_is_open():
    parse = "\n(args,) = HfArgumentParser(TrainingArguments).parse_dict(cfg)"
    for change in (
        'cfg["fp16"] = False',
        'cfg.update({"fp16": False})',
        'cfg.pop("fp16")',
        'del cfg["fp16"]',
    ):
        context = context_of(change + parse, FLAT)
        assert (context.option("fp16").known, context.option("bf16").value) == (False, True), change
        assert context.strategy is Strategy.ZERO3
    context = context_of('cfg["lr"] = 1' + parse, FLAT)
    assert context.option("lr").at is not None and not context.option("lr").known
    assert context.option("fp16").value is True


@pytest.mark.parametrize(
    "body",
    (
        'base = load("more.yaml")\ncfg = {**base, **cfg}\nargs = TrainingArguments(**cfg)',
        'cfg = cfg | load("more.yaml")\nargs = TrainingArguments(**cfg)',
        'base = load("more.yaml")\nbase.update(cfg)\nargs = TrainingArguments(**base)',
        "all = {}\nfor path in sys.argv[1:]:\n    all.update(load(path))\nargs = TrainingArguments(**all)",
        "for word in sys.argv[2:]:\n    cfg[word[0]] = word[1]\nargs = TrainingArguments(**cfg)",
    ),
)
def test_a_merged_file_is_open(body):
    context = context_of(body, FLAT)
    assert not context.option("fp16").known and context.option("fp16").at is not None
    both = context_of(body, FLAT, "torchrun --nproc_per_node 8 train.py run.yaml more.yaml\n")
    assert not both.option("fp16").known and not both.option("bf16").known


def test_a_configuration_that_the_code_takes_out():
    context = context_of('cfg.pop("deepspeed")\nargs = TrainingArguments(**cfg)', FLAT)
    assert (context.strategy, context.configs) == (Strategy.UNKNOWN, ("run.yaml",))
    assert context.option("deepspeed.zero_optimization.stage").at is None


def test_what_is_read_alone_changes_nothing():
    body = 'print(cfg["bf16"], cfg.get("fp16"), list(cfg.items()))\nargs = TrainingArguments(**cfg)'
    context = context_of(body, FLAT)
    assert (context.option("fp16").value, context.strategy) == (True, Strategy.ZERO3)


HYDRA = """
import sys
import hydra
from omegaconf import OmegaConf
from transformers import Trainer, TrainingArguments

@hydra.main(version_base=None, config_path="conf", config_name="base")
def main(cfg):
{body}
    args = TrainingArguments(**OmegaConf.to_container(cfg.trainer))
    Trainer(model=None, args=args).train()

if __name__ == "__main__":
    main()
"""
BASE = "defaults:\n  - common\n  - trainer: small\n  - _self_\ntrainer:\n  deepspeed: ds.json\n"
CONF = {
    "conf/base.yaml": BASE,
    "conf/common.yaml": "trainer:\n  bf16: true\n  fp16: false\n",
    "conf/trainer/small.yaml": "lr: 1.0\ndeepspeed: none.json\nname: ${seed}\n",
    "conf/trainer/large.yaml": "lr: 2.0\n",
    "conf/other.yaml": "trainer:\n  bf16: true\n",
}


def hydra_context(words="", body="    print(sys.argv)", **more):
    launch = f"torchrun --nproc_per_node 8 train.py {words}\n"
    files = {"train.py": HYDRA.format(body=body), "ds.json": ZERO3, "run.sh": launch, **CONF, **more}
    project = build_project(text_tree(files))
    (context,) = project.contexts
    assert not project.problems
    return context


def test_what_hydra_composes():
    context = hydra_context()
    assert (context.strategy, context.configs) == (Strategy.ZERO3, ("conf/base.yaml", "ds.json"))
    assert (context.option("bf16").value, str(context.option("bf16").at)) == (True, "conf/common.yaml:2")
    assert context.option("lr").value == 1.0
    assert not context.option("name").known
    assert context.option("trainer.bf16").at is None


def test_hydra_without_a_section():
    flat = {
        "conf/base.yaml": "defaults:\n  - common\ndeepspeed: ds.json\n",
        "conf/common.yaml": "bf16: true\n",
    }
    train = HYDRA.format(body="    print(cfg)").replace("cfg.trainer", "cfg")
    context = hydra_context(**flat, **{"train.py": train})
    assert (context.strategy, context.option("bf16").value) == (Strategy.ZERO3, True)


def test_what_the_launch_chooses():
    assert hydra_context("trainer=large").option("lr").value == 2.0
    assert hydra_context("trainer.lr=3").option("lr").value == 3
    other = hydra_context("--config-name other")
    assert (other.strategy, other.option("bf16").value, other.option("lr").at) == (Strategy.DDP, True, None)


def test_own_values_that_come_first():
    first = "defaults:\n  - _self_\n  - trainer: small\ntrainer:\n  lr: 9.0\n"
    assert hydra_context(**{"conf/base.yaml": first}).option("lr").value == 1.0
    last = "defaults:\n  - trainer: small\ntrainer:\n  lr: 9.0\n"
    assert hydra_context(**{"conf/base.yaml": last}).option("lr").value == 9.0


@pytest.mark.parametrize(
    "more",
    (
        {"conf/base.yaml": BASE.replace("small", "absent")},
        {"conf/base.yaml": BASE.replace("trainer: small", "trainer@x: small")},
        {"conf/base.yaml": BASE.replace("small", "${size}")},
        {"conf/common.yaml": "# @package other\nbf16: true\n"},
        {"register.py": "from hydra.core.config_store import ConfigStore\n"},
    ),
)
def test_what_hydra_composes_does_not_show(more):
    context = hydra_context(**more)
    assert (context.strategy, context.option("bf16").at) == (Strategy.DDP, None)


def test_words_that_the_code_changes():
    assert hydra_context(body='    sys.argv.append("trainer.bf16=false")').option("bf16").at is None
    for change in ("cfg.trainer.bf16 = False", 'cfg["trainer"]["bf16"] = False', "cfg.trainer.update(a=1)"):
        changed = hydra_context(body=f"    {change}").option("bf16")
        assert changed.at is not None and not changed.known


@pytest.mark.parametrize("flag", ("--config", "-c", "--cfg", "--config_file", "--config-path"))
def test_flags_that_name_the_file(flag):
    launch = f"torchrun --nproc_per_node 8 train.py {flag} run.yaml\n"
    assert context_of("args = TrainingArguments(**cfg)", FLAT, launch).option("fp16").value is True


PARSED = """
import argparse
import yaml
from transformers import Trainer, TrainingArguments

parser = argparse.ArgumentParser()
parser.add_argument("--config", default="conf/base.yaml")
given = parser.parse_args()
with open({path}) as file:
    cfg = yaml.safe_load(file)
Trainer(model=None, args=TrainingArguments(**cfg["trainer"])).train()
"""


@pytest.mark.parametrize(
    ("path", "words", "strategy"),
    [
        ("given.config", "--config path/to/your.yaml", Strategy.UNKNOWN),
        ("given.config", "--config path/to/base.yaml", Strategy.UNKNOWN),
        ("given.config", "--config $CONFIG", Strategy.UNKNOWN),
        ("given.config", "", Strategy.DDP),  # the default, which is there and names no file of DeepSpeed
        ('"conf/base.yaml"', "", Strategy.DDP),
        ('"../conf/base.yaml"', "", Strategy.DDP),
        ('"conf/gone.yaml"', "", Strategy.UNKNOWN),
    ],
)
def test_a_file_that_is_not_there_leaves_the_run_open(path, words, strategy):
    files = {"train.py": PARSED.format(path=path), "conf/base.yaml": "trainer:\n  bf16: true\n"}
    launch = f"torchrun --nproc_per_node 8 train.py {words}\n"
    (context,) = build_project(text_tree({**files, "run.sh": launch})).contexts
    assert context.strategy is strategy
    told = "the file that brings the training arguments is not in the tree"
    assert (context.strategy_from.note == told) == (strategy is Strategy.UNKNOWN)
    assert (context.option("$@").value is UNKNOWN) == (strategy is Strategy.UNKNOWN)


def test_a_launch_that_shards_keeps_its_strategy():
    files = {"train.py": PARSED.format(path="given.config"), "acc.yaml": "distributed_type: FSDP\n"}
    launch = "accelerate launch --config_file acc.yaml train.py --config path/to/your.yaml\n"
    (context,) = build_project(text_tree({**files, "run.sh": launch})).contexts
    assert context.strategy is Strategy.FSDP1


def test_a_rule_names_the_file_that_is_not_there():
    made = "(args,) = HfArgumentParser(TrainingArguments).parse_dict(cfg)"
    body = "\n".join(f"    {line}" for line in (made, "loss = 0"))
    settings = '{"zero_optimization": {"stage": 3}, "gradient_clipping": 0.5}'
    files = {"train.py": TRAIN.format(body=body), "ds.json": settings}
    launch = "deepspeed train.py gone.yaml --deepspeed ds.json\n"
    report = check(text_tree({**files, "run.sh": launch}), Settings())
    told = [f.message for f in report.findings if f.rule == "MM502"]
    assert told and all("the file that brings the training arguments is not in the tree" in m for m in told)
    assert not any("passed on" in message for message in told)
