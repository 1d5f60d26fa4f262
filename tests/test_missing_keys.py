"""What is found in a launch whose configuration lacks a key that the program asks for before it trains."""

import pytest

from mmcodemod.pipeline import Settings, check
from mmcodemod.source.tree import text_tree

TRAIN = """\
import argparse

import torch
import yaml
from torch.optim import SGD
from transformers import AutoModelForCausalLM


def loaders(config):
    return torch.utils.data.DataLoader({asks})


def main(config, steps):
    loader = loaders(config)
    model = AutoModelForCausalLM.from_pretrained("org/base")
    optimizer = SGD(model.parameters(), lr=config["lr"])
    for batch in loader:
        model(**batch).loss.backward()
        optimizer.step()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--config", default="small.yaml")
    parser.add_argument("--steps", type=int, default=9)
    args = parser.parse_args()
    config = yaml.safe_load(open(args.config, "r"))
{more}    main(config, args.steps)
"""
ASKS = 'config["data"]["root"]'
SMALL = {"small.yaml": "lr: 0.1\ndata:\n  size: 4\n"}
FACT = "whether small.yaml, which the launch reads, has a `data.root`"


def clip(asks=ASKS, more="", launch="torchrun train.py\n", files=()):
    """Severity and message of MM301."""
    train = {"train.py": TRAIN.format(asks=asks, more=more), "run.sh": launch}
    report = check(text_tree({**SMALL, **train, **dict(files)}), Settings())
    assert not report.problems
    (found,) = [f for f in report.findings if f.rule == "MM301"]
    return found.severity.value, found.message


@pytest.mark.parametrize(
    "more",
    [
        "",
        '    config["data"]["scale"] = 2\n',
        '    if args.steps > 3:\n        config["lr"] = 0.2\n',
        "    print(config)\n",
        '    if "seed" in config:\n        torch.manual_seed(config["seed"])\n',
        '    root = config.get("name", "none")\n',
    ],
)
def test_a_run_that_asks_for_a_key_which_is_not_there_is_a_note(more):
    severity, message = clip(more=more)
    assert severity == "info"
    assert f"{FACT}: in the tree it has none, and train.py:10 asks for it" in message


@pytest.mark.parametrize(
    "opened",
    [
        "    with open(args.config) as stream:\n        config = yaml.load(stream, Loader=yaml.SafeLoader)\n",
        '    config = yaml.safe_load(open("small.yaml"))\n',
    ],
)
def test_the_file_may_be_opened_in_other_ways(opened):
    text = TRAIN.format(asks=ASKS, more="").replace(
        '    config = yaml.safe_load(open(args.config, "r"))\n', opened
    )
    assert clip(files={"train.py": text})[0] == "info"


@pytest.mark.parametrize(
    "more",
    [
        '    config["data"]["root"] = "x"\n',
        '    config["data"] = read()\n',
        '    config["data"].update(read())\n',
        "    config.update(vars(args))\n",
        "    for key in read():\n        config[key] = 1\n",
        "    config = complete(config)\n",
        "    complete(config)\n",
        "    other = [config]\n",
        "    args.config = config\n",
        "    if torch.cuda.device_count() > 64:\n        exit()\n",
        "    try:\n        config = read()\n    except OSError:\n        pass\n",
        '    name = "root"\n',
    ],
)
def test_a_configuration_that_may_get_the_key_or_a_run_that_may_end_before_stays_loud(more):
    assert clip(more=more)[0] == "warning"


@pytest.mark.parametrize(
    "asks",
    [
        'config["data"]["size"]',
        'config["data"].get("root")',
        '[] if config["lr"] else config["data"]["root"]',
        'config["lr"] and config["data"]["root"]',
        '[config["data"]["root"] for _ in range(0)]',
    ],
)
def test_so_does_a_key_that_is_there_or_not_surely_asked_for(asks):
    assert clip(asks)[0] == "warning"


@pytest.mark.parametrize(
    ("launch", "files"),
    [
        ("torchrun train.py --config other.yaml\n", {}),
        ("torchrun train.py --config $CONFIG\n", {}),
        ("torchrun train.py $@\n", {}),
        ("torchrun train.py -c large.yaml\n", {}),
        ("cp /data/small.yaml small.yaml\ntorchrun train.py\n", {}),
        ("torchrun train.py\n", {"README.md": "Set `root` to the folder of the data.\n"}),
        ("torchrun train.py\n", {"small.yaml": "lr: 0.1\ndata: !include data.yaml\n"}),
        ("torchrun train.py\n", {"small.yaml": "base: &b\n  root: x\nlr: 0.1\ndata:\n  <<: *b\n"}),
    ],
)
def test_so_does_a_launch_that_may_read_something_else(launch, files):
    assert clip(launch=launch, files=files)[0] == "warning"


def test_a_launch_that_names_the_file_is_a_note():
    launch = "torchrun train.py --config small.yaml\n"
    assert clip(launch=launch)[0] == "info"
