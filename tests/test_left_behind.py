"""What is found in a launch whose program imports a package of its own that the tree does not have."""

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
ASKS = "from src.misc import make_loader"
RUN = "torchrun --nproc_per_node 8 train.py\n"
RENAMED = {"tokens/misc.py": "def make_loader():\n    return []\n"}


def found(files, imports=ASKS, run=RUN):
    """Severity and message where nothing clips."""
    tree = {"run.sh": run, "train.py": TRAINS.format(imports=imports), **RENAMED, **files}
    (one,) = [f for f in check(text_tree(tree), Settings()).findings if f.rule == "MM301"]
    return one.severity.value, one.message


@pytest.mark.parametrize(
    ("files", "imports"),
    [
        ({}, ASKS),
        ({}, "import src.misc"),
        ({"near.py": "from src import make_loader\n"}, "import near"),
        ({"run.sh": "ls\n"}, ASKS),  # nothing launches it
    ],
)
def test_such_a_run_is_a_note(files, imports):
    severity, message = found(files, imports)
    assert severity == "info"
    assert "the tree has no package `src`" in message


@pytest.mark.parametrize(
    ("files", "imports", "run"),
    [
        ({"src/misc.py": RENAMED["tokens/misc.py"]}, ASKS, RUN),
        ({"code/src/misc.py": ""}, ASKS, RUN),  # somebody puts `code` on the path
        ({"src.py": "make_loader = list\n"}, "from src import make_loader", RUN),
        ({".gitignore": "src/\n"}, ASKS, RUN),
        ({}, ASKS, f"PYTHONPATH=../shared {RUN}"),
        ({}, f"import sys\nsys.path.append('../shared')\n{ASKS}", RUN),
        ({}, "from tokenmix import make_loader", RUN),  # that may be a library
        ({}, f"try:\n    {ASKS}\nexcept ImportError:\n    from tokens.misc import make_loader", RUN),
    ],
)
def test_other_runs_are_told_as_loudly_as_before(files, imports, run):
    assert found(files, imports, run)[0] == "warning"
