"""What is found in a launch that imports, from a file of its own, a name which that file does not bind."""

import pytest

from mmcodemod.pipeline import Settings, check
from mmcodemod.source.tree import text_tree

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
PINS = {"requirements.txt": "transformers==4.57.6\n"}
FROM = "from parts import Tower"
PARTS = "tools/parts.py binds no `Tower`"
TOWER = "class Tower:\n    pass\n"
LAUNCH = "torchrun --nproc_per_node 8 tools/train.py\n"


def barrier(imports, files, launch=LAUNCH, more=(), folder="tools"):
    """Severity and message of MM401 where the main rank alone waits; the files lie beside the program."""
    beside = {f"{folder}/{path}": text for path, text in files.items()}
    train = {
        f"{folder}/train.py": WAITS.format(imports=imports),
        "run.sh": launch.replace("tools/", f"{folder}/"),
    }
    report = check(text_tree({**PINS, **dict(more), **beside, **train}), Settings(preview=True))
    (found,) = [f for f in report.findings if f.rule == "MM401"]
    return found.severity.value, found.message


@pytest.mark.parametrize(
    ("imports", "files", "fact"),
    [
        (
            FROM,
            {"parts.py": "class Other:\n    Tower = 1\n"},
            f"tools/train.py:3: {PARTS}",
        ),
        (
            FROM,
            {"parts.py": "def build():\n    Tower = 1\n    return Tower\n"},
            PARTS,
        ),
        (
            FROM,
            {"parts.py": "from other import *\n", "other.py": "x = 1\n"},
            PARTS,
        ),
        (
            FROM,
            {"parts/__init__.py": "", "parts/tower.py": TOWER},
            "tools/parts/__init__.py binds no `Tower`",
        ),
        (
            "import model",
            {"model.py": FROM, "parts.py": ""},
            f"tools/model.py:1: {PARTS}",
        ),
        (
            "from kit.model import Model",
            {"kit/model.py": "from kit.parts import Tower\nclass Model: pass\n", "kit/parts.py": "x = 1\n"},
            "tools/kit/model.py:1: tools/kit/parts.py binds no `Tower`",
        ),
        (
            "import kit.model",
            {
                "kit/__init__.py": "from .model import Model\n",
                "kit/model.py": "from .parts import Tower\nclass Model: pass\n",
                "kit/parts.py": "x = 1\n",
            },
            "tools/kit/model.py:1: tools/kit/parts.py binds no `Tower`",
        ),
    ],
)
def test_a_run_that_imports_what_is_not_bound_is_a_note(imports, files, fact):
    severity, message = barrier(imports, files)
    assert severity == "info"
    assert "whether the run gets past tools/" in message
    assert message.endswith(f"{fact}.")


def test_so_is_one_that_python_starts_as_a_module():
    launch = "torchrun --nproc_per_node 8 -m tools.train\n"
    files = {"__init__.py": "", "parts.py": ""}
    assert barrier("from tools.parts import Tower", files, launch)[0] == "info"
    assert barrier("from .parts import Tower", files, launch)[0] == "info"
    assert barrier("from .parts import Tower", {**files, "parts.py": TOWER}, launch)[0] == "error"
    assert barrier(FROM, files, launch)[0] == "error"  # `parts` is not looked for in tools


@pytest.mark.parametrize(
    "bound",
    [
        TOWER,
        "def Tower():\n    pass\n",
        "Tower = 1\n",
        "Tower: type = int\n",
        "import torch as Tower\n",
        "from torch.nn import Module as Tower\n",
        "import Tower.parts\n",
        "Tower, other = 1, 2\n",
        "[first, *Tower] = 1, 2\n",
        "for Tower in build():\n    pass\n",
        "with build() as Tower:\n    pass\n",
        "with build() as (Tower, other):\n    pass\n",
        "try:\n    import torch\nexcept ImportError as Tower:\n    pass\n",
        "try:\n    from fast import Tower\nexcept ImportError:\n    Tower = None\n",
        "if torch.cuda.is_available():\n    class Tower:\n        pass\n",
        "while build():\n    Tower = 1\n",
        "print(Tower := 1)\n",
        "match build():\n    case [Tower]:\n        pass\n",
        "match build():\n    case {**Tower}:\n        pass\n",
        "def make():\n    global Tower\n    Tower = 1\nmake()\n",
        "Tower += 1\n",
    ],
)
def test_a_name_that_is_bound_in_any_way_leaves_it_loud(bound):
    assert barrier(FROM, {"parts.py": bound})[0] == "error"


@pytest.mark.parametrize(
    "bound",
    [
        "def __getattr__(name):\n    return name\n",
        "globals().update(build())\n",
        "vars()['Tower'] = 1\n",
        "exec(open('config.py').read())\n",
        "import sys\nsys.modules[__name__] = build()\n",
        "import sys\nsetattr(sys.modules[__name__], 'Tower', 1)\n",
        "from sys import modules\nsetattr(modules[__name__], 'Tower', 1)\n",
        "import sys\nsys.modules[__name__].__dict__.update(build())\n",
        "from library import *\n",
        "from other import *\n",
        "if build():\n    from other import *\n",
        "this is no Python\n",
    ],
)
def test_a_file_that_may_bind_what_does_not_show_leaves_it_loud(bound):
    assert barrier(FROM, {"parts.py": bound, "other.py": TOWER})[0] == "error"


@pytest.mark.parametrize(
    ("imports", "files"),
    [
        (FROM, {"parts/__init__.py": "", "parts/Tower.py": ""}),
        (FROM, {"parts/__init__.py": "", "parts/Tower/inner.py": ""}),
        (FROM, {"parts/__init__.py": "", "parts/Tower.json": ""}),
        ("from parts import _tower", {"parts/__init__.py": ""}),  # built
        ("from parts import tower_pb2", {"parts/__init__.py": ""}),  # generated
        ("from parts import build", {"parts/__init__.py": ""}),  # folders of that name are not read
        ("from parts import tower", {"parts/__init__.py": "", "setup.py": "Extension('parts.tower')"}),
        ("from parts import __path__", {"parts/__init__.py": ""}),
        (FROM, {"parts/__init__.py": TOWER, "parts.py": ""}),  # the package wins
        (
            FROM,
            {"parts.py": TOWER, "parts/other.py": ""},
        ),  # the module wins over a mere folder
        ("from parts import *\nTower()", {"parts.py": ""}),
        ("import parts\nparts.Tower = 1\nfrom parts import Tower", {"parts.py": ""}),
        ("import parts\nsetattr(parts, 'Tower', 1)\nfrom parts import Tower", {"parts.py": ""}),
        ("import sys\nsys.modules['parts'] = build()\nfrom parts import Tower", {"parts.py": ""}),
        ("import sys\nsys.path.insert(0, 'third_party')\nfrom parts import Tower", {"parts.py": ""}),
        ("from logging import Tower", {"logging.py": ""}),
        ("from trl import Tower", {"trl/inner/__init__.py": ""}),  # no package of the tree
        ("from trl.inner import Tower", {"trl/inner.py": ""}),  # the library's package wins
        ("try:\n    from parts import Tower\nexcept ImportError:\n    Tower = None", {"parts.py": ""}),
        ("if FAST:\n    from parts import Tower", {"parts.py": ""}),
        (
            "from typing import TYPE_CHECKING as TYPES\nif TYPES:\n    from parts import Tower",
            {"parts.py": ""},
        ),
        ("def tower():\n    from parts import Tower\n    return Tower", {"parts.py": ""}),
        ("try:\n    import model\nexcept ImportError:\n    model = None", {"model.py": FROM, "parts.py": ""}),
        ("def tower():\n    import model", {"model.py": FROM, "parts.py": ""}),
        ("import model", {"model.py": f"raise ImportError\n{FROM}", "parts.py": ""}),
        ("from model import Model", {"kit/model.py": FROM, "parts.py": ""}),
    ],
)
def test_an_import_that_may_succeed_or_is_not_surely_made_leaves_it_loud(imports, files):
    assert barrier(imports, files)[0] == "error"


def test_a_star_may_bring_what_all_names():
    files = {
        "parts.py": "from kit import *\n",
        "kit/__init__.py": "__all__ = sorted(['Tower'])\n",
        "kit/Tower.py": "",
    }
    assert barrier(FROM, files)[0] == "error"


def test_a_circle_of_stars_brings_nothing():
    files = {"parts.py": "from other import *\n", "other.py": "from parts import *\n"}
    assert barrier(FROM, files)[0] == "info"


def test_a_file_that_is_not_beside_the_program_leaves_it_loud():
    assert barrier(FROM, {}, more={"parts.py": ""})[0] == "error"


def test_so_does_a_package_that_is_not_installed_or_has_another_release():
    kit = {"kit/__init__.py": "", "kit/parts.py": "", "setup.py": "setup(name='kit')\n"}
    imports = "from kit.parts import Tower"
    assert barrier(imports, {}, more=kit, folder="kit/train")[0] == "info"
    assert barrier(imports, {}, more=kit)[0] == "error"  # the program lies beside the package
    assert barrier(imports, {}, more={**kit, "kit/parts.py": TOWER}, folder="kit/train")[0] == "error"
    assert barrier(imports, {}, more={**kit, "old/kit/__init__.py": ""}, folder="kit/train")[0] == "error"
    del kit["setup.py"]
    assert barrier(imports, {}, more=kit, folder="kit/train")[0] == "error"


def test_appending_to_the_search_path_changes_nothing():
    assert barrier(f"import sys\nsys.path.append('..')\n{FROM}", {"parts.py": ""})[0] == "info"


def test_what_stands_under_the_main_guard_of_the_program_is_imported():
    assert barrier(f"if __name__ == '__main__':\n    {FROM}", {"parts.py": ""})[0] == "info"


ALONE = """\
import torch
from transformers import AutoModelForCausalLM
{imports}

if __name__ == "__main__":
    model = AutoModelForCausalLM.from_pretrained("gpt2")
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    for batch in list("rows"):
        model(**batch).loss.backward()
        optimizer.step()
"""


def unclipped(imports, files):
    """Severity and message where nothing clips, in a program that nothing launches."""
    report = check(text_tree({"tools/fit.py": ALONE.format(imports=imports), **files}), Settings())
    (found,) = [f for f in report.findings if f.rule == "MM301"]
    assert all(f.rule != "MM515" for f in report.findings)
    return found.severity.value, found.message


@pytest.mark.parametrize(
    ("imports", "files"),
    [
        (FROM, {"tools/parts.py": "class Other:\n    pass\n"}),
        ("from wheels import Hub", {"tools/wheels.py": f"{FROM}\nHub = 1\n", "tools/parts.py": "x = 1\n"}),
    ],
)
def test_a_program_that_nothing_launches_is_started_beside_its_modules(imports, files):
    severity, message = unclipped(imports, files)
    assert severity == "info"
    assert PARTS in message


@pytest.mark.parametrize(
    ("imports", "files"),
    [
        (FROM, {"tools/parts.py": TOWER}),
        (FROM, {"tools/parts.py": "x = 1\n", "tools/__init__.py": ""}),  # may be started as a module
        (FROM, {"tools/parts.py": "x = 1\n", "parts.py": TOWER}),  # so it would find that one
        ("from .parts import Tower", {"tools/parts.py": "x = 1\n"}),
        (f"try:\n    {FROM}\nexcept ImportError:\n    Tower = None", {"tools/parts.py": "x = 1\n"}),
    ],
)
def test_it_is_loud_where_its_imports_are_made_or_may_be(imports, files):
    assert unclipped(imports, files)[0] == "warning"
