"""What is found in a launch whose program loads a file of the tree that no Python can read."""

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
MERGED = "<<<<<<< HEAD\nfrom .cone import Cone\n=======\nfrom .tube import Tube\n>>>>>>> theirs\n"
HEADS = "from heads import Cone"


def found(files, imports=HEADS, rule="MM301"):
    """Severity and message of one finding, "" where there is none."""
    launch = {"run.sh": "torchrun --nproc_per_node 8 train.py\n"}
    report = check(
        text_tree({**launch, "train.py": TRAINS.format(imports=imports), **files}), Settings(preview=True)
    )
    one = [f for f in report.findings if f.rule == rule]
    return (one[0].severity.value, one[0].message) if one else ("", "")


@pytest.mark.parametrize(
    ("imports", "files", "at"),
    [
        (HEADS, {"heads/__init__.py": MERGED}, "heads/__init__.py:1"),
        ("import heads.cone", {"heads/__init__.py": MERGED, "heads/cone.py": ""}, "heads/__init__.py:1"),
        (
            HEADS,
            {"heads/__init__.py": "from .cone import *\n", "heads/cone.py": f"a = 1\n{MERGED}"},
            "heads/cone.py:2",
        ),
        (HEADS, {"heads.py": "class Cone:\ndef __init__(self):\n    pass\n"}, "heads.py:2"),
        (HEADS, {"heads.py": "class Cone:\n    a = 1\n      b = 2\n"}, "heads.py:3"),
        (HEADS, {"heads.py": "class Cone:\n    a = 1\n\tb = 2\n"}, "heads.py:3"),
    ],
)
def test_a_run_that_loads_it_is_a_note_and_a_finding_of_its_own(imports, files, at):
    severity, message = found(files, imports)
    assert severity == "info"
    assert f"past {at}: no Python reads" in message
    severity, message = found(files, imports, "MM515")
    assert severity == "error"
    assert "SyntaxError" in message


@pytest.mark.parametrize(
    ("imports", "files"),
    [
        (HEADS, {"heads/__init__.py": "class Cone:\n    pass\n", "heads/tube.py": MERGED}),  # not loaded
        ("try:\n    from heads import Cone\nexcept SyntaxError:\n    Cone = None", {"heads.py": MERGED}),
        (HEADS, {"heads.py": "type Cone = int\n"}),  # another Python may read it
        (HEADS, {"heads.py": "def Cone[T](a: T) -> T:\n    return a\n"}),
        (HEADS, {"heads.py": "Cone = f'{'a'}'\n"}),
        ("def late():\n    from heads import Cone", {"heads.py": MERGED}),
        (HEADS, {"other/heads.py": MERGED}),
        (HEADS, {"heads.py": 'TEXT = """\n<<<<<<< HEAD\n"""\nCone = int\n'}),
    ],
)
def test_what_is_not_surely_loaded_or_may_be_read_by_another_python_says_nothing(imports, files):
    assert found(files, imports)[0] == "warning"
    assert found(files, imports, "MM515")[0] == ""
