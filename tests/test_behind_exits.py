"""What stands behind a statement that ends the program in its own block is never run."""

import pytest

from mmcodemod.pipeline import Settings, check
from mmcodemod.source.tree import text_tree

TRAIN = """\
import os
import sys
import torch
from transformers import AutoModelForCausalLM
{head}

def train(model, optimizer):
    for batch in make_loader():
        model(**batch).loss.backward()
        optimizer.step()
        optimizer.zero_grad()

def main(debug=False):
    model = AutoModelForCausalLM.from_pretrained("org/base")
    optimizer = torch.optim.AdamW(model.parameters())
    {before}
    train(model, optimizer)

if __name__ == "__main__":
    main()
"""


def steps(before, head=""):
    """What is said of the step without clipping."""
    train = TRAIN.format(before=before.replace("\n", "\n    "), head=head)
    tree = {"train.py": train, "run.sh": "torchrun --nproc_per_node 8 train.py\n"}
    found = check(text_tree(tree), Settings(preview=True))
    loud = [f.severity.value for f in found.findings if f.rule == "MM301"]
    return loud, [d.evidence for d in found.dismissed if d.rule == "MM301"]


@pytest.mark.parametrize(
    "before",
    [
        "exit()",
        "quit(1)",
        "sys.exit()",
        "os._exit(0)",
        "show(model)\nexit(0)\nshow(model)",
        "if debug:\n    exit()\nelse:\n    sys.exit(1)",
    ],
)
def test_no_run_comes_behind_it(before):
    loud, (evidence,) = steps(before)
    assert loud == []
    assert "ends what runs here" in evidence[0].note


@pytest.mark.parametrize(
    ("before", "head"),
    [
        ("pass", ""),
        ("try:\n    load()\nexcept OSError:\n    sys.exit(1)", ""),
        ("try:\n    sys.exit(1)\nexcept SystemExit:\n    pass", ""),
        ("with swallowed():\n    sys.exit(1)", ""),
        ("for one in given():\n    exit()", ""),
        ("def stop():\n    exit()", ""),
        ("stop = lambda: exit()", ""),
        ("exit()", "from shell import exit"),
        ("exit()", "def exit():\n    pass"),
        ("exit = given()\nexit()", ""),
        ("parser.exit()", ""),
        ("exit", ""),
        ("pass", "if __name__ == '__other__':\n    sys.exit()"),
    ],
)
def test_a_run_may_come_by_where_it_is_not_sure(before, head):
    assert steps(before, head)[0] == ["warning"]


def test_what_a_file_does_at_its_top_ends_it_before_its_main_guard():
    assert steps("pass", "sys.exit()")[0] == []
