"""What is found in a launch whose program asks a folder without `__init__.py` for a name."""

import pytest

from mmcodemod.pipeline import Settings, check
from mmcodemod.source.tree import text_tree

TRAINS = """\
import torch
from transformers import AutoModelForCausalLM
{imports}


def main():
    model = AutoModelForCausalLM.from_pretrained("gpt2")
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-4)
    for batch in make_loader():
        model(**batch).loss.backward()
        optimizer.step()


if __name__ == "__main__":
    main()
"""
ASKS = "from kite.tails import Tail"
TAIL = {"kite/tails/tail.py": "class Tail:\n    pass\n"}


def found(files, imports=ASKS):
    """Severity and message where nothing clips."""
    launch = {"run.sh": "torchrun --nproc_per_node 8 kite/train.py\n"}
    tree = {**launch, "kite/train.py": TRAINS.format(imports=imports), **files}
    (one,) = [f for f in check(text_tree(tree), Settings()).findings if f.rule == "MM301"]
    return one.severity.value, one.message


@pytest.mark.parametrize(
    ("imports", "files", "at"),
    [
        (ASKS, TAIL, "kite/train.py:3"),
        ("from kite.wings import *", {"kite/wings.py": f"{ASKS}\n", **TAIL}, "kite/wings.py:1"),
        (ASKS, {**TAIL, "kite/__init__.py": ""}, "kite/train.py:3"),
    ],
)
def test_such_a_run_is_a_note(imports, files, at):
    severity, message = found(files, imports)
    assert severity == "info"
    assert f"past {at}: kite/tails/ has no __init__.py, and no module `Tail`" in message


@pytest.mark.parametrize(
    ("imports", "files"),
    [
        ("from kite.tails import tail", TAIL),
        ("from kite.tails import *", TAIL),
        ("import kite.tails", TAIL),
        (ASKS, {**TAIL, "kite/tails/__init__.py": "from .tail import Tail\n"}),
        (ASKS, {**TAIL, "kite/tails.py": "class Tail:\n    pass\n"}),
        (ASKS, {**TAIL, "kite/tails/Tail/a.py": ""}),
        (ASKS, {**TAIL, "other/kite/tails/__init__.py": "class Tail:\n    pass\n"}),
        (ASKS, {**TAIL, "setup.py": "Extension('kite.tails.Tail')\n"}),
        (ASKS, {"kite/a.py": ""}),  # no such folder
        (f"try:\n    {ASKS}\nexcept ImportError:\n    Tail = None", TAIL),
        (f"def late():\n    {ASKS}", TAIL),
        (f"import sys\nsys.modules['kite.tails'] = build()\n{ASKS}", TAIL),
        ("from tails import Tail", {"tails/tail.py": ""}),  # another package, which may be a library's
    ],
)
def test_what_may_have_it_leaves_it_loud(imports, files):
    assert found(files, imports)[0] == "warning"
