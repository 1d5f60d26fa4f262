"""What is found in a launch whose program imports a module of the tree that lies where Python looks not."""

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
ASKS = "from fit.batches import Batch"
BATCHES = {"code/fit/batches.py": "class Batch:\n    pass\n"}
RUN = "torchrun --nproc_per_node 8 code/fit/sft.py\n"


def found(files, imports=ASKS, run=RUN):
    """Severity and message where nothing clips."""
    tree = {"run.sh": run, "code/fit/sft.py": TRAINS.format(imports=imports), **BATCHES, **files}
    (one,) = [f for f in check(text_tree(tree), Settings()).findings if f.rule == "MM301"]
    return one.severity.value, one.message


@pytest.mark.parametrize(
    ("files", "imports", "run"),
    [
        ({}, ASKS, RUN),
        ({"code/fit/__init__.py": ""}, ASKS, RUN),
        ({}, ASKS, "cd code\npython fit/sft.py\n"),
        ({"code/fit/near.py": "a = 1\n"}, f"from near import a\n{ASKS}", RUN),
        ({"other.sh": f"export PYTHONPATH=code\n{RUN.replace('sft', 'dpo')}"}, ASKS, RUN),
        ({"code/fit/__init__.py": ""}, "import fit.batches", RUN),
    ],
)
def test_such_a_run_is_a_note(files, imports, run):
    severity, message = found(files, imports, run)
    assert severity == "info"
    assert "`fit.batches` lies below code/, and nothing puts that on the path" in message


@pytest.mark.parametrize(
    ("files", "imports", "run"),
    [
        ({}, ASKS, f"export PYTHONPATH=code:$PYTHONPATH\n{RUN}"),
        ({}, ASKS, f"PYTHONPATH=code {RUN}"),
        ({}, ASKS, "cd code\ntorchrun --nproc_per_node 8 -m fit.sft\n"),
        ({"README.md": "Set PYTHONPATH to `code` first.\n"}, ASKS, RUN),
        ({"Dockerfile": "ENV PYTHONPATH=/app/code\n"}, ASKS, RUN),
        ({"code/pyproject.toml": "[project]\nname = 'fit'\n"}, ASKS, RUN),
        ({"code/fit/fit/batches.py": "Batch = int\n"}, ASKS, RUN),  # beside the program
        ({"more/fit/batches.py": ""}, ASKS, RUN),  # which of them is meant is open
        ({}, f"import sys\nsys.path.append('code')\n{ASKS}", RUN),
        ({"code/fit/near.py": "import sys\nsys.path.append('code')\n"}, f"import near\n{ASKS}", RUN),
        ({}, f"try:\n    {ASKS}\nexcept ImportError:\n    Batch = None", RUN),
        ({}, "from batches import Batch", RUN),
        ({}, "from fit.others import Other", RUN),  # no module of the tree
    ],
)
def test_where_the_path_may_be_set_it_stays_loud(files, imports, run):
    assert found(files, imports, run)[0] == "warning"


def test_a_module_below_the_root_is_left_alone():
    tree = {"run.sh": "torchrun --nproc_per_node 8 fit/sft.py\n", "fit/batches.py": "Batch = int\n"}
    tree["fit/sft.py"] = TRAINS.format(imports=ASKS)
    (one,) = [f for f in check(text_tree(tree), Settings()).findings if f.rule == "MM301"]
    assert one.severity.value == "warning"
