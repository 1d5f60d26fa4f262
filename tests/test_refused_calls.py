"""What is found in a launch that dies at a call which the signature of the tree's own function refuses."""

import pytest

from mmcodemod.pipeline import Settings, build_project, check
from mmcodemod.project.refused_calls import dies_calling
from mmcodemod.source.tree import text_tree

TRAIN = """\
import sys
import torch
import torch.distributed as dist
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments
{imports}

def main(args):
    model = AutoModelForCausalLM.from_pretrained("org/base")
    {call}
    if dist.get_rank() == 0:
        dist.barrier()
    Trainer(model=model, args=args).train()
    {after}

if __name__ == "__main__":
    main(TrainingArguments("out"))
"""
PARTS = """\
import torch
import torch.nn as nn
from dataclasses import dataclass

class Neck(nn.Module):
    def __init__(self, width, depth=2, *, heads=8):
        super().__init__()
        self.width = width

class Loose(nn.Module):
    def __init__(self, width, **others):
        super().__init__()

class Child(Neck):
    pass

class Made(type):
    def __call__(cls, *args, **kwargs):
        return super().__call__(1)

class Odd(metaclass=Made):
    def __init__(self, width):
        self.width = width

class New(nn.Module):
    def __new__(cls, **others):
        return Neck(1)

    def __init__(self, width):
        super().__init__()

@dataclass
class Shape:
    width: int

def build(width, depth=2):
    return Neck(width, depth)

@torch.no_grad()
def frozen(width):
    return Neck(width)

def lenient(function):
    return lambda *args, **kwargs: function(1)

@lenient
def wrapped(width):
    return Neck(width)

def deep(width):
    return Neck(width, size=3)

def early(width):
    if width > 3:
        return None
    return Neck(width, size=3)

def lazily(width):
    yield Neck(width, size=3)
"""
ALL = "from parts import Child, Loose, Neck, New, Odd, Shape, build, deep, early, frozen, lazily, wrapped"


def barrier(call, imports=ALL, after="", files=(), parts=PARTS):
    """Severity and message of MM401 where the main rank alone waits."""
    call = "\n    ".join(call.splitlines())
    train = TRAIN.format(call=call, imports=imports, after=after)
    tree = {"train.py": train, "parts.py": parts, "run.sh": "torchrun --nproc_per_node 8 train.py\n"}
    report = check(
        text_tree({**tree, "requirements.txt": "transformers==4.57.6\n", **dict(files)}),
        Settings(preview=True),
    )
    (found,) = [f for f in report.findings if f.rule == "MM401"]
    return found.severity.value, found.message


@pytest.mark.parametrize(
    ("call", "told"),
    [
        ("Neck(8, size=3)", "train.py:9: `Neck`, which parts.py:5 defines, takes no `size`"),
        ("neck = Neck(depth=3)", "train.py:9: `Neck`, which parts.py:5 defines, needs `width`"),
        ("Neck(8, 2, 3)", "train.py:9: `Neck`, which parts.py:5 defines, takes no more than 2 arguments by"),
        ("Neck(8, width=3)", "train.py:9: `Neck`, which parts.py:5 defines, is given `width` twice"),
        ("Child(size=8, **vars(args))", "`Child`, which parts.py:14 defines, takes no `size`"),
        ("build(8, size=3)", "`build`, which parts.py:36 defines, takes no `size`"),
        ("frozen()", "`frozen`, which parts.py:40 defines, needs `width`"),
        ("with torch.no_grad():\n    model.neck = Neck(size=3)", "train.py:10: `Neck`"),
        ("deep(8)", "whether the run gets past parts.py:51: `Neck`"),
        ("if args.resume:\n    return\nneck = Neck()", "train.py:11: `Neck`"),
        ("neck = Neck() or early(8)", "train.py:9: `Neck`"),
    ],
)
def test_a_run_that_dies_at_a_call_is_a_note(call, told):
    severity, message = barrier(call)
    assert severity == "info"
    assert "whether the run gets past" in message
    assert told in message


@pytest.mark.parametrize(
    ("imports", "call"),
    [
        ("import parts", "parts.Neck()"),
        ("import parts as p", "p.Neck()"),
        ("from models.neck import Neck", "Neck()"),
        ("from models import Neck", "Neck()"),
        ("from models import neck", "neck.Neck()"),
        ("", "from models.neck import Neck\nNeck()"),
        ("def build(width):\n    return width\n", "build()"),
    ],
)
def test_it_is_found_by_whatever_name(imports, call):
    files = {"models/__init__.py": "from .neck import Neck\n", "models/neck.py": PARTS}
    assert barrier(call, imports, files=files)[0] == "info"


@pytest.mark.parametrize(
    "call",
    [
        "Neck(8, heads=3)",
        "Neck(8, 2)",
        "Neck(**vars(args))",
        "Neck(*sys.argv)",
        "Child(8)",
        "Loose(8, size=3)",
        "Odd()",
        "New(size=3)",
        "Shape(8, 9)",
        "wrapped()",
        "lazily(8)",
        "early(8)",
        "build",
        "if args.neck:\n    Neck()",
        "try:\n    Neck()\nexcept TypeError:\n    pass",
        "for width in args.widths:\n    Neck()",
        "make = lambda: Neck()",
        "necks = [Neck() for width in args.widths]",
        "neck = Neck() if args.neck else None",
        "neck = args.neck or Neck()",
        "def make():\n    return Neck()",
        "Neck = args.kind\nNeck()",
        "model.Neck()",
    ],
)
def test_what_may_go_well_or_not_be_called_leaves_it_loud(call):
    assert barrier(call)[0] == "error"


def test_a_call_after_the_training_leaves_it_loud():
    assert barrier("", after="Neck()")[0] == "error"


ROUND = """\
from transformers import Trainer
{imports}

def neck(width):
    return width

def fit(model, args):
    Trainer(model=model, args=args).train()

def main(args):
    fit(neck(), args)

if __name__ == "__main__":
    {start}
"""


def where(imports, start, path="train.py", files=()):
    """The fact about the launch that is open, "" where none is."""
    tree = {path: ROUND.format(imports=imports, start=start), "parts.py": PARTS, **dict(files)}
    project = build_project(text_tree({**tree, "run.sh": f"torchrun --nproc_per_node 8 {path}\n"}))
    (found,) = {dies_calling(project, context) for context in project.contexts}
    return found.fact if found else ""


@pytest.mark.parametrize(
    ("imports", "start"),
    [
        ("", "main(1)"),
        ("import fire", "fire.Fire(main)"),
        ("from absl import app", "app.run(main)"),
        ("import torch.multiprocessing as mp", "mp.spawn(main, nprocs=8)"),
        ("import parts", "parts.Neck()\n    main(1)"),
        ("from parts import early", "early(1)\n    main(1)"),
    ],
)
def test_it_is_found_however_the_run_begins(imports, start):
    assert where(imports, start).startswith("whether the run gets past train.py:")


@pytest.mark.parametrize(
    "files",
    [
        {"models/neck.py": PARTS},
        {"neckline/neck.py": PARTS, "setup.py": "from setuptools import setup\nsetup(name='neckline')\n"},
        {"scripts/neck.py": PARTS},
        {"code/scripts/parts/neck.py": PARTS},
    ],
)
def test_what_a_script_in_a_folder_imports_may_be_it(files):
    module = next(iter(files)).removesuffix(".py").removeprefix("code/").removeprefix("scripts/")
    path = "code/scripts/parts/train.py" if "code/scripts/parts/neck.py" in files else "scripts/train.py"
    found = where(f"from {module.replace('/', '.')} import Neck", "Neck()\n    main(1)", path, files)
    assert "`Neck`" in found


@pytest.mark.parametrize(
    ("imports", "files"),
    [
        ("from clip.neck import Neck", {"clip/neck.py": PARTS}),
        ("from vendored.neck import Neck", {"third/vendored/neck.py": PARTS}),
        ("from torch.neck import Neck", {"torch/neck.py": PARTS}),
    ],
)
def test_what_python_may_find_elsewhere_is_not(imports, files):
    assert "`Neck`" not in where(imports, "Neck()\n    main(1)", "scripts/train.py", files)


def test_one_before_which_a_helper_may_train_leaves_it_loud():
    helper = "def fit(model, args):\n    Trainer(model=model, args=args).train()\n"
    assert barrier("fit(model, args)\nNeck()", f"{ALL}\n{helper}")[0] == "error"


@pytest.mark.parametrize(
    "imports",
    [
        "try:\n    from parts import Neck\nexcept ImportError:\n    Neck = print",
        "from parts import Neck\nNeck = print",
        "from parts import Neck\nfrom others import *",
        "import parts\nfrom parts import Neck\nparts.Neck.__init__ = print",
        "import parts\nfrom parts import Neck\nsetattr(parts.Neck, '__init__', print)",
        "from elsewhere import Neck",
        "from torch.parts import Neck",
    ],
)
def test_a_name_that_may_be_something_else_leaves_it_loud(imports):
    assert barrier("Neck()", imports)[0] == "error"


@pytest.mark.parametrize(
    "files",
    [
        {"parts.py": "import other\nNeck = other.Neck\n", "first/parts.py": PARTS, "second/parts.py": PARTS},
        {"parts.py": PARTS.replace("class Child", "def Neck(*any):\n    pass\n\nclass Child")},
        {
            "parts.py": PARTS.replace(
                "    def __init__(self, width, depth", "    @lenient\n    def __init__(self, width, depth"
            )
        },
        {"parts.py": f"from anything import nn\n{PARTS.replace('import torch.nn as nn', '')}"},
        {"requirements.txt": "transformers==4.57.6\nparts\n"},
        {"tools.py": "import parts\nparts.Neck = print\n"},
    ],
)
def test_so_does_one_that_is_not_the_only_definition(files):
    assert barrier("Neck()", "from parts import Neck", files=files)[0] == "error"


@pytest.mark.parametrize(
    ("binds", "severity"),
    [
        ("import torch.nn as nn", "info"),
        ("from torch import nn", "info"),  # the same
        ("import torch.nn.functional as nn", "error"),
        ("from torch import nn\nnn = print", "error"),
    ],
)
def test_a_file_of_which_everything_is_imported_may_bind_the_same_library(binds, severity):
    parts = PARTS.replace("import torch.nn as nn", "import torch.nn as nn\nfrom layers import *")
    assert barrier("Neck()", files={"parts.py": parts, "layers.py": f"{binds}\n"})[0] == severity


def test_a_script_that_another_one_runs_as_a_module_is_judged_likewise():
    assert barrier("Neck()", files={"run.sh": "torchrun --nproc_per_node 8 -m train\n"})[0] == "info"


FLAGS = """\
import argparse
import torch.distributed as dist
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments
from parts import Neck

def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--widen", action="store_true")
    parser.add_argument("--form", default="none")
    args = parser.parse_args()
    model = AutoModelForCausalLM.from_pretrained("org/base")
    if args.widen:
        model.neck = Neck(size=3)
    elif args.form == "deep":
        for _ in range(3):
            model.head = Neck(size=3)
    if dist.get_rank() == 0:
        dist.barrier()
    Trainer(model=model, args=TrainingArguments("out")).train()

if __name__ == "__main__":
    main()
"""


@pytest.mark.parametrize(
    ("words", "severity"),
    [("--widen", "info"), ("", "error"), ("$WIDEN", "error"), ("--form deep", "error")],
)
def test_a_call_under_a_test_that_the_launch_decides(words, severity):
    launch = f"torchrun --nproc_per_node 8 train.py {words}\n"
    tree = {"train.py": FLAGS, "parts.py": PARTS, "run.sh": launch, "req.txt": "transformers==4.57.6\n"}
    report = check(text_tree(tree), Settings(preview=True))
    (found,) = [f for f in report.findings if f.rule == "MM401"]
    assert found.severity.value == severity
    assert ("train.py:13: `Neck`, which parts.py:5 defines, takes no `size`" in found.message) is (
        severity == "info"
    )


BODY = """\
import torch.nn as nn

class Neck(nn.Module):
    def __init__(self, width, scale=None, depth=2):
        {first}
        super().__init__()
        self.scale = scale
        self.shape = tuple(range(width))
        {then}
"""
ONE = "assert self.scale is not None, 'say it'"


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("pass", ONE),
        ("assert scale is not None", "pass"),
        ("assert width and scale is not None", "pass"),
        ("if scale is None: raise ValueError('say it')", "pass"),
        ("if depth == 0: raise ValueError(depth)", ONE),
        ("pass", f"self.shape = Shape(scale=self.scale); {ONE}"),
    ],
)
def test_an_argument_that_the_body_asks_for_is_left_out(first, then):
    severity, message = barrier(
        "Neck(8)", "from parts import Neck", parts=BODY.format(first=first, then=then)
    )
    assert severity == "info"
    assert "train.py:9: `Neck`, which parts.py:3 defines, stops where `scale` is None" in message


@pytest.mark.parametrize(
    ("call", "first", "then"),
    [
        ("Neck(8, 2)", "pass", ONE),
        ("Neck(8, scale=2)", "pass", ONE),
        ("Neck(8, **vars(args))", "pass", ONE),
        ("Neck(*args.necks)", "pass", ONE),
        ("Neck(8)", "scale = scale or 1", ONE),
        ("Neck(8)", "pass", f"self.scale = 3; {ONE}"),
        ("Neck(8)", "pass", f"self.fill(); {ONE}"),
        ("Neck(8)", "pass", f"fill(self); {ONE}"),
        ("Neck(8)", "if width > 3: return", ONE),
        ("Neck(8)", "pass", f"if width > 3: {ONE}"),
        ("Neck(8)", "assert width or scale is not None", "pass"),
        ("Neck(8)", "if scale is None: print('no scale')", "pass"),
        ("Neck(8)", "assert depth is not None", "pass"),
        ("try:\n    Neck(8)\nexcept AssertionError:\n    pass", "pass", ONE),
    ],
)
def test_where_it_may_have_one_the_run_goes_on(call, first, then):
    parts = BODY.format(first=first, then=then)
    assert barrier(call, "from parts import Neck", parts=parts)[0] == "error"
