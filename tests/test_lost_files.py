"""What is found in a program that imports several variants of a file, none of which is anywhere."""

import pytest

from mmcodemod.pipeline import Settings, check
from mmcodemod.source.tree import text_tree

LOOP = """\
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
CONES = """\
from discs import Disc
from cones import Cone
from cones_flat import Cone as Flat
from cones_flat_long import Cone as Long
"""
BESIDE = {"tools/discs.py": "class Disc:\n    pass\n"}
FACT = "past tools/train.py:4: no folder around it has `cones`, `cones_flat`, `cones_flat_long`"


def found(imports=CONES, files=(), launch=""):
    """Severity and message of MM301."""
    tree = {"tools/train.py": LOOP.format(imports=imports), **BESIDE, **dict(files)}
    tree |= {"run.sh": launch} if launch else {}
    report = check(text_tree(tree), Settings(preview=True))
    assert not [f for f in report.findings if f.rule == "MM515"]  # somebody may bring them
    (one,) = [f for f in report.findings if f.rule == "MM301"]
    return one.severity.value, one.message


@pytest.mark.parametrize(
    "launch", ["", "torchrun --nproc_per_node 8 tools/train.py\n", "python tools/train.py\n"]
)
def test_variants_of_a_file_that_are_nowhere_make_it_a_note(launch):
    severity, message = found(launch=launch)
    assert severity == "info"
    assert FACT in message


@pytest.mark.parametrize(
    "files",
    [
        {"other/cones.py": "class Cone:\n    pass\n"},  # two others are nowhere
        {"tools/requirements.txt": "torch\ntransformers\n"},
        {"README.md": "The cones are ours.\n"},
    ],
)
def test_it_stays_a_note(files):
    assert found(files=files)[0] == "info"


@pytest.mark.parametrize(
    "imports",
    [
        CONES.replace("from cones_flat_long import Cone as Long\n", ""),  # two may be libraries
        CONES.replace("import Cone as Flat", "import Flat"),  # no variants: other names
        "from discs import Disc\nfrom cones import *\nfrom cones_flat import *\nfrom cones_long import *\n",
        CONES.replace("cones_flat_long", "tubes_long"),  # another family
        CONES.replace("from discs import Disc\n", ""),  # it takes nothing from beside it
        CONES.replace("from cones_flat import", "from cones_flat.inner import"),
        CONES.replace(
            "from cones_flat import Cone as Flat",
            "try:\n    from cones_flat import Cone as Flat\nexcept ImportError:\n    pass",
        ),
        CONES.replace(
            "from cones_flat import Cone as Flat",
            "if torch.cuda.is_available():\n    from cones_flat import Cone as Flat",
        ),
        f"import sys\nsys.path.append('../../shapes')\n{CONES}",
        CONES.replace("cones", "peft"),
    ],
)
def test_what_does_not_show_to_be_files_of_the_tree_leaves_it_loud(imports):
    assert found(imports)[0] == "warning"


@pytest.mark.parametrize(
    "files",
    [
        {"tools/cones_flat.py": "class Cone:\n    pass\n"},
        {"cones_flat/__init__.py": "class Cone:\n    pass\n"},  # above the program
        {"other/cones.py": "", "other/cones_flat.py": ""},  # a folder that has them, which somebody may name
        {"requirements.txt": "cones-flat==1.0\n"},
        {"requirements.txt": "Cones\n"},
        {"README.md": "```sh\npip install cones-models\n```\n"},
        {"README.md": "```sh\ngit clone https://github.com/org/Cones\n```\n"},
        {"env.sh": "export PYTHONPATH=$HOME/shapes:$PYTHONPATH\n"},
        {"setup.py": "Extension('cones_flat')\n"},
    ],
)
def test_what_may_be_there_leaves_it_loud(files):
    assert found(files=files)[0] == "warning"
