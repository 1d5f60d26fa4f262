"""What is found in a launch whose package asks for the module beside a file by its bare name."""

import pytest

from mmcodemod.pipeline import Settings, check
from mmcodemod.source.tree import text_tree

TRAINS = """\
import torch
from transformers import AutoModelForCausalLM
{imports}

make_loader = list


def main():
    model = AutoModelForCausalLM.from_pretrained("gpt2")
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-4)
    for batch in make_loader():
        model(**batch).loss.backward()
        optimizer.step()


if __name__ == "__main__":
    main()
"""
RUN = {"run.sh": "torchrun --nproc_per_node 8 train.py\n"}
KITE = {
    "kite/__init__.py": "from .wings import Wing\n",
    "kite/wings.py": "from feather import Feather\n\n\nclass Wing:\n    pass\n",
    "kite/feather.py": "class Feather:\n    pass\n",
}
ASKS = "from kite import Wing"
TRIES = "try:\n    from feather import Feather as Wing\nexcept ImportError:\n    Wing = 1\n"


def found(files, imports=ASKS):
    """Severity and message where nothing clips."""
    tree = {**RUN, **KITE, "train.py": TRAINS.format(imports=imports), **files}
    tree = {path: text for path, text in tree.items() if text is not None}
    (one,) = [f for f in check(text_tree(tree), Settings()).findings if f.rule == "MM301"]
    return one.severity.value, one.message


@pytest.mark.parametrize(
    "files",
    [
        {},
        {"kite/wings.py": "import feather\n\nWing = feather.Feather\n"},
        {"run.sh": None},  # nothing launches it
    ],
)
def test_such_a_run_is_a_note(files):
    severity, message = found(files)
    assert severity == "info"
    assert "past kite/wings.py:1: `feather` lies in kite/, where Python looks for no" in message


@pytest.mark.parametrize(
    ("files", "imports"),
    [
        ({"kite/wings.py": "from .feather import Feather as Wing\n"}, ASKS),
        ({"kite/wings.py": TRIES}, ASKS),
        ({"kite/wings.py": "def Wing():\n    from feather import Feather\n"}, ASKS),
        ({"kite/wings.py": "import json as Wing\n", "kite/json.py": ""}, ASKS),
        ({"kite/wings.py": "import accelerate as Wing\n", "kite/accelerate.py": ""}, ASKS),
        ({"feather.py": "class Feather:\n    pass\n"}, ASKS),
        ({"other/feather.py": "class Feather:\n    pass\n"}, ASKS),  # somebody may put that on the path
        ({"kite/setup.py": "from setuptools import setup\nsetup(py_modules=['feather'])\n"}, ASKS),
        ({"run.sh": "PYTHONPATH=kite torchrun --nproc_per_node 8 train.py\n"}, ASKS),
        ({"README.md": "Put `kite` on your PYTHONPATH.\n"}, ASKS),
        ({}, f"import sys\nsys.path.append('kite')\n{ASKS}"),
        ({}, "import os"),  # the package is not loaded
    ],
)
def test_what_may_find_it_leaves_it_loud(files, imports):
    assert found(files, imports)[0] == "warning"
