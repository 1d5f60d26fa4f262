"""What is found in a launch whose program asks a library for a name that the required version lacks."""

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
NEW = "from trl import DPOTrainer"
HOME = "https://github.com/huggingface/trl"
OLD = {"requirements.txt": "torch\ntrl==0.4.7\n"}


def found(imports, files):
    """Severity and message where nothing clips."""
    launch = {"run.sh": "torchrun --nproc_per_node 8 train.py\n"}
    tree = {**launch, "train.py": TRAINS.format(imports=imports), **files}
    (one,) = [f for f in check(text_tree(tree), Settings()).findings if f.rule == "MM301"]
    return one.severity.value, one.message


@pytest.mark.parametrize(
    ("imports", "files"),
    [
        (NEW, OLD),
        ("from trl.trainer import DPOTrainer", OLD),
        ("from kite import *", {"kite.py": f"{NEW}\n", **OLD}),
        (NEW, {"requirements.txt": "trl<0.5\n"}),
        (
            NEW,
            {"setup.py": "import setuptools\nsetuptools.setup(install_requires=['trl==0.4.7'])\n"},
        ),
    ],
)
def test_such_a_run_is_a_note(imports, files):
    severity, message = found(imports, files)
    assert severity == "info"
    assert "trl has `DPOTrainer` only since 0.5, and trl" in message


def test_a_package_of_the_tree_may_be_installed_anywhere():
    kite = {"kite/kite/__init__.py": "", "kite/kite/wings.py": f"{NEW}\n", "kite/setup.py": ""}
    severity, message = found("from kite.wings import DPOTrainer", {**kite, **OLD})
    assert severity == "info"
    assert "past kite/kite/wings.py:1: trl has" in message


def test_so_is_one_that_asks_for_what_was_taken_away():
    files = {"requirements.txt": "transformers==4.57.6\n"}
    severity, message = found("from transformers import top_k_top_p_filtering", files)
    assert severity == "info"
    assert "transformers has `top_k_top_p_filtering` no more since 4.39, and transformers" in message


@pytest.mark.parametrize(
    ("imports", "files"),
    [
        (NEW, {}),
        (NEW, {"requirements.txt": "trl\n"}),
        (NEW, {"requirements.txt": "trl>=0.4.7\n"}),
        (NEW, {"requirements.txt": "trl==0.5.0\n"}),
        (NEW, {**OLD, "environment.yml": "dependencies:\n  - pip:\n    - trl==0.7.4\n"}),
        (NEW, {**OLD, "README.md": f"```bash\npip install git+{HOME}\n```\n"}),
        (NEW, {**OLD, "README.md": "```bash\npip install trl==0.7.4\n```\n"}),
        (NEW, {**OLD, "README.md": "```bash\npip install -U trl\n```\n"}),
        (NEW, {**OLD, "trl/__init__.py": "class DPOTrainer:\n    pass\n"}),
        (NEW, {**OLD, "libs/trl/trl/__init__.py": "class DPOTrainer:\n    pass\n"}),
        (f"try:\n    {NEW}\nexcept ImportError:\n    DPOTrainer = None\n", OLD),
        ("def late():\n    from trl import DPOTrainer\n", OLD),
        ("from trl import SFTTrainer", OLD),
        ("from trl import Unheard", OLD),
        ("from transformers import top_k_top_p_filtering", {"requirements.txt": "transformers==4.30.0\n"}),
    ],
)
def test_others_may_run(imports, files):
    assert found(imports, files)[0] == "warning"
