"""What is found in a launch whose program loads a package that lacks one of its modules."""

import pytest

from mmcodemod.pipeline import Settings, check
from mmcodemod.source.tree import MemoryTree, text_tree

WAITS = """\
import torch.distributed as dist
from transformers import AutoModelForCausalLM, HfArgumentParser, Trainer, TrainingArguments
{imports}


def main():
    (args,) = HfArgumentParser(TrainingArguments).parse_args_into_dataclasses()
    model = AutoModelForCausalLM.from_pretrained("org/base")
    if dist.get_rank() == 0:
        dist.barrier()
    Trainer(model=model, args=args).train()


if __name__ == "__main__":
    main()
"""
STAR = "from heads import *"
INIT = "from .shapes.cone import *\n"
MOVES = "import sys\nsys.path.insert(0, 'third_party')\n"
LATE = "import sys\nsys.modules[__name__] = build(__name__)\n"
GIVES = "import sys\nsys.modules['late.tail'] = build()\n"
LACKS = "tools/heads/__init__.py:1: the tree has no tools/heads/shapes.py and no such package"


def found(imports, files, rule="MM401", unread=()):
    """Severity and message where the main rank alone waits, or of another rule, "" where it finds nothing."""
    beside = {f"tools/{path}": text for path, text in files.items() if not path.startswith("/")}
    outside = {path[1:]: text for path, text in files.items() if path.startswith("/")}
    launch = {"run.sh": "torchrun --nproc_per_node 8 tools/train.py\n", "req.txt": "transformers==4.57.6\n"}
    tree = text_tree({**launch, **beside, **outside, "tools/train.py": WAITS.format(imports=imports)})
    report = check(MemoryTree(tree.files, frozenset(unread)), Settings(preview=True))
    one = [f for f in report.findings if f.rule == rule]
    return (one[0].severity.value, one[0].message) if one else ("", "")


@pytest.mark.parametrize(
    ("imports", "files", "fact"),
    [
        (STAR, {"heads/__init__.py": INIT}, LACKS),
        ("import heads", {"heads/__init__.py": INIT}, LACKS),
        (STAR, {"heads/__init__.py": INIT, "/other/heads/__init__.py": ""}, LACKS),  # not the one beside
        (STAR, {"heads/__init__.py": INIT, "__init__.py": ""}, LACKS),
        (f"import late\n{STAR}", {"heads/__init__.py": INIT, "late.py": LATE}, LACKS),
        (f"import late\n{STAR}", {"heads/__init__.py": INIT, "late.py": GIVES}, LACKS),
        (STAR, {"heads/__init__.py": "from .shapes import *\n"}, LACKS),
        (
            STAR,
            {"heads/__init__.py": INIT, "heads/shapes/__init__.py": ""},
            "no tools/heads/shapes/cone.py",
        ),
        (STAR, {"heads/__init__.py": INIT, "heads/shapes/tube.py": ""}, "no tools/heads/shapes/cone.py"),
        (
            "from heads.cone import Cone",
            {"heads/__init__.py": "", "/other/heads/__init__.py": ""},
            "tools/train.py:3: the tree has no tools/heads/cone.py",
        ),
        (STAR, {"heads/__init__.py": INIT, "/old/setup.cfg": "shapes = 1\n"}, LACKS),
        (STAR, {"heads/__init__.py": INIT, "/pyproject.toml": 'keywords = ["grasping shapes"]\n'}, LACKS),
        (
            "import heads.cone",
            {"heads/__init__.py": "", "/other/heads/__init__.py": ""},
            "train.py:3: the tree has no tools/heads/cone.py",
        ),
        (
            "import json, heads.cone",
            {"heads/__init__.py": ""},
            "whether `heads.cone`, which tools/train.py:3",
        ),
        ("import heads.cone as c", {"heads/__init__.py": ""}, "whether `heads.cone`, which tools/train.py:3"),
        (
            "import heads.cone",
            {"heads/__init__.py": "", "heads/cone.py": "import heads.tube\n", "/other/heads/__init__.py": ""},
            "cone.py:1: the tree has no tools/heads/tube.py",
        ),
        (
            "import heads.cone",
            {"/heads/__init__.py": "", "/setup.py": "setup(name='heads')\n"},
            "whether `heads.cone`, which tools/train.py:3",
        ),
        (
            STAR,
            {
                "heads/__init__.py": "from .inner import *\n",
                "heads/inner/__init__.py": "from ..shapes import Cone\n",
            },
            "inner/__init__.py:1: the tree has no tools/heads/shapes.py",
        ),
    ],
)
def test_a_run_that_loads_a_package_without_its_module_is_a_note(imports, files, fact):
    severity, message = found(imports, files)
    assert severity == "info"
    assert fact in message
    assert found(imports, files, "MM515")[0] == "error"


@pytest.mark.parametrize(
    ("imports", "files"),
    [
        (STAR, {"heads/__init__.py": INIT, "heads/shapes/cone.py": ""}),
        (STAR, {"heads/__init__.py": INIT, "heads/shapes.pyi": ""}),  # something of that name is there
        (STAR, {"heads/__init__.py": "from ._shapes import *\n"}),  # built
        (STAR, {"heads/__init__.py": "from .shapes_pb2 import *\n"}),  # generated
        (STAR, {"heads/__init__.py": INIT, "setup.py": "Extension('heads.shapes')\n"}),
        (STAR, {"heads/__init__.py": INIT, "/ops/setup.py": "CUDAExtension('tools.heads.shapes')\n"}),
        (STAR, {"heads/__init__.py": INIT, "pyproject.toml": 'ext-modules = [{name = "heads.shapes"}]\n'}),
        (STAR, {"heads/__init__.py": f"__path__ = paths()\n{INIT}"}),
        (STAR, {"heads/__init__.py": f"try:\n    {INIT}except ImportError:\n    pass\n"}),
        (STAR, {"heads/__init__.py": f"if FAST:\n    {INIT}"}),
        (f"import sys\nsys.path.insert(0, 'third_party')\n{STAR}", {"heads/__init__.py": INIT}),
        (f"import sys\nsys.modules['heads.shapes'] = build()\n{STAR}", {"heads/__init__.py": INIT}),
        ("from heads.cone import Cone", {"heads/other.py": ""}),  # a mere folder: another may be found before
        ("import heads", {"heads/__init__.py": ""}),
        ("import heads.shapes.cone", {"heads/__init__.py": "", "heads/shapes/cone.py": ""}),
        ("try:\n    import heads.cone\nexcept ImportError:\n    pass", {"heads/__init__.py": ""}),
        ("if FAST:\n    import heads.cone", {"heads/__init__.py": ""}),
        ("def cone():\n    import heads.cone", {"heads/__init__.py": ""}),
        ("import heads.cone", {"heads/other.py": ""}),  # a mere folder
        ("import heads._cone", {"heads/__init__.py": ""}),  # built
        ("import heads.cone", {"heads/__init__.py": "", "setup.py": "Extension('heads.cone')\n"}),
        (
            "import boot.paths\nimport heads.cone",
            {
                "heads/__init__.py": "",
                "/other/heads/__init__.py": "",
                "boot/__init__.py": "",
                "boot/paths.py": MOVES,
            },
        ),
        ("import logging.cone", {"logging/__init__.py": ""}),
        ("from logging.cone import Cone", {"logging/__init__.py": ""}),
        ("from peft.cone import Cone", {"peft/other.py": ""}),
        (STAR, {"/heads/__init__.py": INIT}),  # not where Python looks first
    ],
)
def test_what_may_be_there_or_is_not_surely_asked_for_leaves_it_loud(imports, files):
    assert found(imports, files)[0] == "error"


def test_a_link_or_a_submodule_may_be_the_module():
    assert found(STAR, {"heads/__init__.py": INIT}, unread=["tools/heads/shapes"])[0] == "error"


@pytest.mark.parametrize(
    "told",
    [
        {"/README.md": "Download the shapes into `tools/heads/shapes`.\n"},
        {"/get.sh": "cp -r $DATA/shapes tools/heads/shapes\n"},
        {"/README.md": "Write a file shapes.py with yours.\n"},
        {"/README.md": "cd tools/heads\ngit clone https://example.org/cones/shapes.git\n"},
    ],
)
def test_where_a_page_speaks_of_it_nothing_is_surely_dead(told):
    files = {"heads/__init__.py": INIT, **told}
    assert LACKS in found(STAR, files)[1]
    assert found(STAR, files, "MM515")[0] == ""


def test_a_page_that_clones_another_repository_says_nothing_of_it():
    page = {"/README.md": "git clone https://example.org/cones/shapes-data\n"}
    assert found(STAR, {"heads/__init__.py": INIT, **page}, "MM515")[0] == "error"


LOOP = """\
import torch
from transformers import AutoModelForCausalLM
from heads.shapes import Cone


def main():
    model = AutoModelForCausalLM.from_pretrained("gpt2")
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-4)
    for batch in make_loader():
        model(**batch).loss.backward()
        optimizer.step()


if __name__ == "__main__":
    main()
"""
SHAPES = "from heads.shapes import Cone"
NOWHERE = "past tools/train.py:3: no package `heads` of the tree has `heads.shapes`"


def started(files, imports=SHAPES):
    """Severity and message of MM301 in a program that nothing launches."""
    report = check(text_tree({"tools/train.py": LOOP.replace(SHAPES, imports), **files}), Settings())
    (found,) = [f for f in report.findings if f.rule == "MM301"]
    return found.severity.value, found.message


@pytest.mark.parametrize(
    "files",
    [
        {"heads/__init__.py": ""},
        {"tools/heads/__init__.py": ""},
        {"heads/__init__.py": "", "other/heads/__init__.py": ""},
        {"heads/__init__.py": "", "heads/cone.py": ""},
    ],
)
def test_a_program_that_nothing_launches_may_need_what_no_package_of_the_tree_has(files):
    severity, message = started(files)
    assert severity == "info"
    assert NOWHERE in message


@pytest.mark.parametrize(
    "files",
    [
        {"heads/__init__.py": "", "heads/shapes.py": ""},
        {"heads/__init__.py": "", "heads/shapes/cone.py": ""},
        {"heads/__init__.py": "", "other/heads/__init__.py": "", "other/heads/shapes.py": ""},
        {"other/heads/__init__.py": ""},  # not around the program: the name may be a library's
        {"heads/__init__.py": "", "setup.py": "Extension('heads.shapes')\n"},
        {},
    ],
)
def test_one_that_may_find_it_stays_loud(files):
    assert started(files)[0] == "warning"


@pytest.mark.parametrize(
    "imports", ["import heads.shapes", "import heads.shapes as shapes", "import json, heads.shapes"]
)
def test_however_it_is_imported(imports):
    severity, message = started({"heads/__init__.py": ""}, imports)
    assert severity == "info"
    assert NOWHERE in message
    assert started({"heads/__init__.py": "", "heads/shapes.py": ""}, imports)[0] == "warning"


@pytest.mark.parametrize("imports", ["from heads import shapes", "from heads import cone, shapes as forms"])
@pytest.mark.parametrize("init", ["", "def tube():\n    shapes = 1\n", "from .cone import *\n"])
def test_a_name_that_no_such_package_has(imports, init):
    cone = {"heads/cone.py": "class Cone:\n    pass\n"}
    severity, message = started({"heads/__init__.py": init, **cone}, imports)
    assert severity == "info"
    assert "past tools/train.py:3: no package `heads` of the tree has `heads.shapes`" in message


@pytest.mark.parametrize(
    "files",
    [
        {"heads/__init__.py": "shapes = 1\n"},
        {"heads/__init__.py": "from .cone import *\n", "heads/cone.py": "shapes = 1\n"},
        {"heads/__init__.py": "from forms import *\n"},
        {"heads/__init__.py": "def __getattr__(name):\n    return load(name)\n"},
        {"heads/__init__.py": "", "heads/shapes.py": ""},
        {"heads/__init__.py": "", "heads/shapes/cone.py": ""},
        {"heads/__init__.py": "", "other/heads/__init__.py": "shapes = 1\n"},
        {"other/heads/__init__.py": ""},
    ],
)
def test_a_name_that_one_of_them_may_have(files):
    assert started(files, "from heads import shapes")[0] == "warning"
