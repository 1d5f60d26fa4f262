"""What is found in a launch that imports a module which the tree's own package no longer has."""

import pytest

from mmcodemod.pipeline import Settings, check
from mmcodemod.source.tree import MemoryTree, text_tree

WAITS = """\
import torch.distributed as dist
from transformers import AutoModelForCausalLM, HfArgumentParser, Trainer, TrainingArguments
{imports}

if __name__ == "__main__":
    (args,) = HfArgumentParser(TrainingArguments).parse_args_into_dataclasses()
    model = AutoModelForCausalLM.from_pretrained("org/base")
    if dist.get_rank() == 0:
        dist.barrier()
    Trainer(model=model, args=args).train()
"""
PACKAGE = {
    "setup.py": "from setuptools import setup\nsetup(name='tower')\n",
    "tower/__init__.py": "",
    "tower/model/__init__.py": "",
    "tower/model/arch.py": "class Arch:\n    pass\n",
    "run.sh": "torchrun --nproc_per_node 8 examples/train.py\n",
    "requirements.txt": "transformers==4.57.6\n",
}


def barrier(imports, files=()):
    """Severity and message of MM401 where the main rank alone waits."""
    train = {"examples/train.py": WAITS.format(imports=imports)}
    report = check(text_tree({**PACKAGE, **dict(files), **train}), Settings(preview=True))
    (found,) = [f for f in report.findings if f.rule == "MM401"]
    return found.severity.value, found.message


def test_a_run_that_dies_while_it_imports_is_a_note():
    severity, message = barrier("from tower.encoder.text import Text")
    assert severity == "info"
    assert "whether `tower.encoder.text`, which examples/train.py:3 imports, is anywhere" in message


STEPS = """\
import torch
from parts import rows
from transformers import AutoModelForCausalLM

if __name__ == "__main__":
    model = AutoModelForCausalLM.from_pretrained("gpt2")
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-4)
    for batch in rows():
        model(**batch).loss.backward()
        optimizer.step()
"""


def test_so_is_one_that_nothing_launches():
    parts = {"tower/__init__.py": "", "parts.py": "from tower.encoder.text import rows\n"}
    report = check(text_tree({**parts, "train.py": STEPS}), Settings())
    (found,) = [f for f in report.findings if f.rule == "MM301"]
    assert found.severity.value == "info"
    assert "whether `tower.encoder.text`, which parts.py:1 imports, is anywhere" in found.message


def test_so_is_one_that_imports_it_through_a_file_of_its_own():
    severity, message = barrier("import parts", {"examples/parts.py": "from tower.model.text import Text\n"})
    assert severity == "info"
    assert "whether `tower.model.text`, which examples/parts.py:1 imports, is anywhere" in message


@pytest.mark.parametrize(
    "imports",
    [
        "from tower.model.arch import Arch",
        "from tower._ext.ops import fused",  # built
        "from tower.build.ops import fused",  # folders of that name are not read
        "from towers.encoder.text import Text",  # another package
        "try:\n    from tower.encoder.text import Text\nexcept ImportError:\n    Text = None",
        "if False:\n    from tower.encoder.text import Text",
        "def text():\n    from tower.encoder.text import Text\n    return Text",
    ],
)
def test_what_may_be_there_or_is_not_asked_for_leaves_it_loud(imports):
    assert barrier(imports)[0] == "error"


def test_so_does_a_package_that_names_its_modules_itself():
    init = "import sys\n\nfrom .model import arch\n\nsys.modules['tower.encoder'] = arch\n"
    assert barrier("from tower.encoder.text import Text", {"tower/__init__.py": init})[0] == "error"


def test_two_packages_of_that_name_leave_it_loud():
    assert barrier("import tower.gone", {"vendored/tower/__init__.py": ""})[0] == "error"


def test_what_lies_beside_the_program_is_found_in_its_packages_too():
    inner = {"examples/__init__.py": "", "examples/parts/__init__.py": ""}
    loads = {"examples/parts/text.py": "from tower.encoder import Text\n"}
    there = {"examples/tower/__init__.py": "", "examples/tower/encoder.py": "class Text:\n    pass\n"}
    assert barrier("from parts.text import Text", {**inner, **loads})[0] == "info"
    assert barrier("from parts.text import Text", {**inner, **loads, **there})[0] == "error"


def test_a_library_of_that_name_leaves_it_loud():
    assert barrier("import trl.gone", {"trl/__init__.py": ""})[0] == "error"


def test_a_program_that_requires_another_release_of_the_package_is_loud():
    pin = "git+https://example.org/Tow-er.git@0123abc\n"
    gone = "from tow_er.encoder.text import Text"
    own = {"tow_er/__init__.py": "", "tow_er/encoder/__init__.py": ""}
    assert barrier(gone, own)[0] == "info"
    assert barrier(gone, {**own, "examples/requirements.txt": "numpy\n"})[0] == "info"
    assert barrier(gone, {**own, "examples/requirements.txt": pin})[0] == "error"


SCRIPT = {"examples/parts.py": "class Text:\n    pass\n", "examples/__init__.py": ""}


def test_a_relative_import_of_a_file_that_is_started_as_a_script_is_a_note():
    severity, message = barrier("from .parts import Text", SCRIPT)
    assert severity == "info"
    assert "whether the run gets past examples/train.py:3: a file started as a script has no" in message


@pytest.mark.parametrize(
    ("imports", "launch"),
    [
        ("from .parts import Text", "torchrun --nproc_per_node 8 -m examples.train"),
        ("try:\n    from .parts import Text\nexcept ImportError:\n    from parts import Text", ""),
        ("__package__ = 'examples'\nfrom .parts import Text", ""),
        ("from parts import Text", ""),
    ],
)
def test_one_that_python_can_follow_leaves_it_loud(imports, launch):
    files = {**SCRIPT, **({"run.sh": f"{launch}\n"} if launch else {})}
    assert barrier(imports, files)[0] == "error"


def test_what_is_there_and_not_looked_into_may_be_the_module():
    files = {**PACKAGE, "examples/train.py": WAITS.format(imports="from tower.encoder.text import Text")}
    for there in ("tower/encoder", "tower/encoder/text.pyx", "third/encoder.cpython-311.so", "tower"):
        tree = MemoryTree({path: text.encode() for path, text in files.items()}, frozenset((there,)))
        (found,) = [f for f in check(tree, Settings(preview=True)).findings if f.rule == "MM401"]
        assert found.severity.value == "error"


def test_a_file_that_is_called_like_a_folder_without_init_is_not_what_python_loads():
    """`model` is a folder beside the program; a deep file of that name is nothing that it imports."""
    files = {
        "train.py": WAITS.format(imports="from model.arch import Arch"),
        "model/arch.py": "class Arch:\n    pass\n",
        "tower/__init__.py": "",
        "apps/models/model.py": "from tower.registry import MODELS\n",
        "run.sh": "torchrun --nproc_per_node 8 train.py\n",
        "requirements.txt": "transformers==4.57.6\n",
    }
    (found,) = [f for f in check(text_tree(files), Settings(preview=True)).findings if f.rule == "MM401"]
    assert found.severity.value == "error"
