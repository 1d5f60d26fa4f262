"""What is found in a launch whose program opens a configuration that lies in another folder."""

import pytest

from mmcodemod.pipeline import Settings, check
from mmcodemod.source.tree import text_tree

TRAIN = """\
import torch
import yaml
from omegaconf import OmegaConf
from transformers import AutoModelForCausalLM


def main(config):
    model = AutoModelForCausalLM.from_pretrained(config.base)
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-4)
    for batch in list("rows"):
        model(**batch).loss.backward()
        optimizer.step()


if __name__ == "__main__":
    {opens}
    main(config)
"""
LOADS = 'config = OmegaConf.load("./configs/stage2.yaml")'
OPENS = 'config = yaml.safe_load(open("kite/paths.yaml"))'
CONFIG = {"configs/training/stage2.yaml": "base: gpt2\n"}


def found(opens=LOADS, files=(), run="torchrun --nproc_per_node 8 train.py\n", train="train.py"):
    """Severity and message where nothing clips."""
    tree = {train: TRAIN.format(opens=opens), "run.sh": run, **(dict(files) or CONFIG)}
    (one,) = [f for f in check(text_tree(tree), Settings()).findings if f.rule == "MM301"]
    return one.severity.value, one.message


@pytest.mark.parametrize(
    ("opens", "files", "lies"),
    [
        (LOADS, CONFIG, "configs/training/stage2.yaml"),
        (OPENS, {"paths.yaml": "base: gpt2\n"}, "paths.yaml"),
        (OPENS.replace('l")', 'l", "r")'), {"paths.yaml": "base: gpt2\n"}, "paths.yaml"),
    ],
)
def test_such_a_run_is_a_note(opens, files, lies):
    severity, message = found(opens, files)
    assert severity == "info"
    assert f"is no file there: {lies} is the only one of that name" in message


@pytest.mark.parametrize(
    ("opens", "files"),
    [
        (LOADS, {**CONFIG, "configs/stage2.yaml": "base: gpt2\n"}),
        (LOADS, {**CONFIG, "other/stage2.yaml": "base: gpt2\n"}),  # which of them, nobody knows
        (LOADS, {"readme.txt": "nothing\n"}),  # perhaps the user's own
        (LOADS, {**CONFIG, "README.md": "Copy it: `cp configs/training/stage2.yaml configs/`\n"}),
        (LOADS.replace("./configs", "/data"), CONFIG),
        (LOADS.replace("./configs", "../configs"), CONFIG),
        (f"import os\n    os.chdir('configs/training')\n    {LOADS}", CONFIG),
        (f"config = read(lambda: {LOADS.partition('= ')[2]})", CONFIG),
        (f"try:\n        {LOADS}\n    except OSError:\n        config = None", CONFIG),
        ('config = open("configs/stage2.yaml", "w")', CONFIG),
        ('import shelve\n    config = shelve.open("configs/stage2.yaml")', CONFIG),
    ],
)
def test_what_may_be_there_leaves_it_loud(opens, files):
    assert found(opens, files)[0] == "warning"


def test_so_is_one_that_nothing_launches():
    assert "is no file there: configs/training/stage2.yaml" in found(run="ls\n")[1]


def test_a_path_holds_from_the_folder_of_the_launch():
    files = {"code/configs/stage2.yaml": "base: gpt2\n"}
    assert found(files=files, run="cd code && torchrun train.py\n", train="code/train.py")[0] == "warning"
