"""What is found in a launch that loads a file which reads, at its top, a name that nothing binds there."""

import pytest

from mmcodemod.pipeline import Settings, check
from mmcodemod.source.tree import text_tree

TRAIN = """\
import torch.distributed as dist
from shapes import Cone
from transformers import AutoModelForCausalLM, HfArgumentParser, Trainer, TrainingArguments


def main():
    (args,) = HfArgumentParser(TrainingArguments).parse_args_into_dataclasses()
    model = AutoModelForCausalLM.from_pretrained("org/base")
    if dist.get_rank() == 0:
        dist.barrier()
    Trainer(model=model, args=args).train()


if __name__ == "__main__":
    main()
"""
KNOWS = {"other.py": "import nn, torch, transformers\nfrom units import Metres, WIDTH, register\n"}
CONE = "class Cone:\n    pass\n\n\n"


def barrier(text, more=()):
    """Severity and message of MM401 where the main rank alone waits, and MM515's."""
    files = {"train.py": TRAIN, "shapes.py": text, "run.sh": "torchrun --nproc_per_node 8 train.py\n"}
    pins = {"requirements.txt": "transformers==4.57.6\n"}
    report = check(text_tree({**pins, **files, **dict(more)}), Settings(preview=True))
    return {f.rule: (f.severity.value, f.message) for f in report.findings}


@pytest.mark.parametrize(
    ("text", "line", "name"),
    [
        (f"{CONE}def make(tokenizer: transformers.Tokenizer):\n    pass\n", 5, "transformers"),
        (f"{CONE}def make() -> transformers.Tokenizer:\n    pass\n", 5, "transformers"),
        (f"{CONE}class Tall(Cone):\n    def grow(self, by: Metres = 1):\n        pass\n", 6, "Metres"),
        (f"{CONE}@register('cone')\ndef make():\n    pass\n", 5, "register"),
        (f"{CONE}def make(size=WIDTH):\n    pass\n", 5, "WIDTH"),
        (f"{CONE}class Tall(nn.Module):\n    pass\n", 5, "nn"),
        (f"{CONE}def grow(by=WIDTH, eval=True):\n    return eval\n", 5, "WIDTH"),
        (f"{CONE}device = torch.device('cuda')\n", 5, "torch"),
    ],
)
def test_a_run_that_reads_it_is_a_note(text, line, name):
    found = barrier(text, KNOWS)
    assert found["MM401"][0] == "info"
    assert f"shapes.py:{line}: nothing binds `{name}` in shapes.py" in found["MM401"][1]
    assert "MM515" in found


@pytest.mark.parametrize(
    "text",
    [
        f"from __future__ import annotations\n{CONE}def make(t: transformers.Tokenizer):\n    pass\n",
        f"import transformers\n{CONE}def make(t: transformers.Tokenizer):\n    pass\n",
        f"{CONE}def make(t: 'transformers.Tokenizer'):\n    pass\n",
        f"from helpers import *\n{CONE}def make(t: transformers.Tokenizer):\n    pass\n",
        f"{CONE}def make(t):\n    return transformers.Tokenizer(t)\n",  # read when it is called
        f"{CONE}def make(t=None, by=lambda: WIDTH):\n    pass\n",
        f"if True:\n    WIDTH = 1\n{CONE}def make(size=WIDTH):\n    pass\n",
        f"{CONE}def read(eval=False):\n    return eval\nexec(Cone.__doc__)\ndef make(by=WIDTH):\n    pass\n",
        f"globals()['WIDTH'] = 1\n{CONE}def make(size=WIDTH):\n    pass\n",
        f"try:\n    import nn\nexcept ImportError:\n    pass\n{CONE}class Tall(nn.Module):\n    pass\n",
        f"{CONE}if False:\n    def make(size=WIDTH):\n        pass\n",
        f"{CONE}class Tall(Cone):\n    Metres = int\n    def grow(self, by: Metres = 1):\n        pass\n",
        f"{CONE}def make(size: int = len(__name__), *rest: str, **more: Exception) -> None:\n    pass\n",
        f"{CONE}sizes = [width for width in (1, 2)]\nnames = {{k: v for k, v in dict().items()}}\n",
    ],
)
def test_others_are_loud(text):
    found = barrier(text, {**KNOWS, "helpers.py": "x = 1\n"})
    assert found["MM401"][0] == "error"
    assert "MM515" not in found


@pytest.mark.parametrize("more", [{}, {**KNOWS, "boot.py": "import shapes\nshapes.WIDTH = 1\n"}])
def test_so_are_names_that_nobody_knows_or_that_somebody_may_put_there(more):
    assert barrier(f"{CONE}def make(size=WIDTH):\n    pass\n", more)["MM401"][0] == "error"


def test_what_a_function_imports_is_not_looked_into():
    train = TRAIN.replace("from shapes import Cone\n", "").replace(
        "def main():\n", "def main():\n    import shapes\n"
    )
    found = barrier(f"{CONE}def make(size=WIDTH):\n    pass\n", {**KNOWS, "train.py": train})
    assert found["MM401"][0] == "error"


PACKAGE = {
    **KNOWS,
    "train.py": TRAIN.replace("from shapes import Cone", "from solids import Cone"),
    "solids/cones.py": "class Cone:\n    pass\n",
    "solids/nn/__init__.py": "",
    "solids/kinds.py": "x = 1\n",
}


@pytest.mark.parametrize(
    "text",
    [
        "import solids.nn\nfrom solids.cones import Cone\nlayers = nn\n",
        "from .cones import Cone\nmade = cones.Cone()\n",
        "import solids.kinds as k, solids.nn\nfrom .cones import Cone\n\n\ndef make(size=nn):\n    pass\n",
    ],
)
def test_a_package_reads_the_modules_of_its_own_that_it_loads(text):
    found = barrier("x = 1\n", {**PACKAGE, "solids/__init__.py": text})
    assert found["MM401"][0] == "error"
    assert "MM515" not in found


@pytest.mark.parametrize(
    ("init", "more"),
    [
        ("from .cones import Cone\nmade = WIDTH\n", {}),
        (
            "from .cones import Cone\n",
            {"solids/cones.py": "import solids.nn\nclass Cone:\n    pass\nmade = nn\n"},
        ),
    ],
)
def test_it_reads_no_others_and_its_modules_read_none(init, more):
    found = barrier("x = 1\n", {**PACKAGE, "solids/__init__.py": init, **more})
    assert found["MM401"][0] == "info"
    assert "MM515" in found
