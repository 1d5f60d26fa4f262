"""Words of a launch that give single keys of a configuration."""

import pytest

from mmcodemod.model.option import UNKNOWN
from mmcodemod.pipeline import Settings, build_project, check
from mmcodemod.source.tree import text_tree

TRAIN = """
from omegaconf import OmegaConf

if __name__ == "__main__":
    model(1).backward()
"""


def options(words):
    project = build_project(text_tree({"train.py": TRAIN, "run.sh": f"torchrun train.py {words}\n"}))
    found = project.contexts[0].options
    return {name: option.value for name, option in found.items()}


@pytest.mark.parametrize(
    ("word", "value"),
    [
        ("a.b=c", "c"),
        ("+a.b=1", 1),
        ("++a.b=1e-4", 1e-4),
        ("++a.b=false", False),
        ("a.b=null", None),
        ("a.b=", None),
        ("a.b=\"'1'\"", "1"),
        ("a.b='[1, 2]'", UNKNOWN),
        ("a.b=1,2", UNKNOWN),
        ("a.b='${c.d}'", UNKNOWN),
        ("a.b=$(date)", UNKNOWN),
        ("a.b=1 a.b=2", 2),
        ("--options c.d 1 a.b True", True),
        ("--cfg-options a.b 1e-4 --seed 1", 1e-4),
    ],
)
def test_values(word, value):
    found = options(word)["override.a.b"]
    assert (found, type(found)) == (value, type(value))


def test_flags_do_not_take_them():
    found = options("--config-name small.yaml ++a.b=1 hydra.run.dir=out")
    assert found["config_name"] == "small.yaml"
    assert {"override.a.b", "override.hydra.run.dir"} <= set(found)


@pytest.mark.parametrize("word", ["a=b", "++a=b", "--a.b=c", "a/b.c=d", "a.b"])
def test_what_is_no_dotted_key(word):
    assert not [name for name in options(word) if name.startswith("override.")]


def test_runs_alike_but_for_an_override_are_judged_apart():
    text = """
import torch
from omegaconf import OmegaConf
from torch.utils.data import DataLoader, DistributedSampler

if __name__ == "__main__":
    cfg, data = OmegaConf.from_cli(), load()
    model = torch.nn.parallel.DistributedDataParallel(build())
    sampler = None
    if cfg.train.kind == "packed":
        sampler = DistributedSampler(data)
    for epoch in range(3):
        for batch in DataLoader(data, sampler=sampler):
            model(batch).backward()
"""
    launch = "torchrun --nproc_per_node 8 train.py"
    words = ["", " train.kind=packed", " train.kind=padded"]
    scripts = {f"run{n}.sh": f"{launch}{more}\n" for n, more in enumerate(words)}
    report = check(text_tree({"train.py": text, **scripts}), Settings(select=("MM409",)))
    assert [f.contexts for f in report.findings] == [("run0.sh:1", "run1.sh:1")]


SHARDS = """
import torch
from omegaconf import OmegaConf
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP

if __name__ == "__main__":
    cfg = OmegaConf.from_cli()
    model = build()
    if cfg.train.shard:
        model = FSDP(model)
    else:
        model = torch.nn.parallel.DistributedDataParallel(model)
    model(1).backward()
"""


@pytest.mark.parametrize(
    ("word", "strategy"),
    [("", "fsdp1"), ("train.shard=true", "fsdp1"), ("train.shard=false", "ddp"), ("data.shard=no", "fsdp1")],
)
def test_sharding_that_the_launch_turns_off(word, strategy):
    files = {"train.py": SHARDS, "run.sh": f"torchrun --nproc_per_node 8 train.py {word}\n"}
    assert build_project(text_tree(files)).contexts[0].strategy.value == strategy


NO_PAIRS = ["--options a.b 1 c.d", "--options a.b 1 c 2", "--tests a.b 1", "--options"]


@pytest.mark.parametrize("words", NO_PAIRS)
def test_words_that_are_no_pairs(words):
    assert "override.a.b" not in options(words)
