"""Words of a launch that give single keys of a configuration."""

import pytest

from mmcodemod.model.option import UNKNOWN
from mmcodemod.pipeline import build_project
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
