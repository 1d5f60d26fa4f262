"""Programs that cannot train, as the text of all that they load shows, are not followed."""

import pytest

from mmcodemod.pipeline import build_project
from mmcodemod.project.callmap import Mapped
from mmcodemod.source.tree import text_tree

LOOP = """\
import torch
from parts import model

def main():
    net = model.Net()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for batch in [torch.ones(4)]:
        net(batch).sum().backward()
        optimizer.step()

if __name__ == "__main__":
    main()
"""
SCORE = """\
import torch
from parts import model

def main():
    net = model.Net()
    net.eval()
    print(net(torch.ones(4)))

if __name__ == "__main__":
    main()
"""
PARTS = {
    "parts/__init__.py": "",
    "parts/model.py": "import torch\n\nclass Net(torch.nn.Linear):\n    def __init__(self):\n"
    "        super().__init__(4, 4)\n        print(self.training)\n",
    "train.py": LOOP,
}


def project_of(score: str, more: dict[str, str] | None = None):
    return build_project(text_tree({**PARTS, "score.py": score, **(more or {})}))


def followed(score: str, more: dict[str, str] | None = None) -> bool:
    """Is what the other program runs in the call graph?"""
    functions = {frame.function for frame in project_of(score, more).graph.edges}
    assert "train.py::main" in functions
    return "score.py::main" in functions


def test_a_program_that_only_evaluates_is_not_followed():
    assert not followed(SCORE)


STEP = "def step(loss):\n    loss.backward()\n"


@pytest.mark.parametrize(
    ("score", "more"),
    [
        (SCORE.replace("net.eval()", "net(torch.ones(4)).sum().backward()"), {}),
        (SCORE.replace("net.eval()", "Trainer().fit(net)"), {}),
        (SCORE.replace("net.eval()", "getattr(Trainer(), 'train')()"), {}),
        (SCORE.replace("import torch\n", "import torch, steps\n"), {"steps.py": STEP}),
        (SCORE.replace("    net.eval()", "    from steps import step"), {"steps.py": STEP}),
        (SCORE.replace("import torch\n", "import torch\nfrom steps import *\n"), {"steps.py": STEP}),
        (SCORE.replace("import torch\n", "import torch\nimport parts\n"), {"parts/steps.py": STEP}),
        (SCORE.replace("import torch\n", "import torch\nimport parts.other\n"), {"parts/steps.py": STEP}),
        (SCORE.replace("net.eval()", "importlib.import_module('steps').step(net)"), {"steps.py": STEP}),
        (SCORE.replace("import torch\n", "import torch\nimport torch.distributed as dist\n"), {}),
        (SCORE.replace("net.eval()", "hydra.utils.instantiate(net).run()"), {"steps.py": STEP}),
        (SCORE, {"parts/model.py": "import parts.base", "parts/base.py": "import steps", "steps.py": STEP}),
    ],
)
def test_one_that_may_train_is(score, more):
    assert followed(score, more)


def test_the_graph_that_people_look_at_shows_every_program():
    names = {function.name for function in Mapped(project_of(SCORE)).show().functions}
    assert {"train.main", "score.main"} <= names


def test_a_tree_in_which_nothing_trains_is_looked_at_as_a_library():
    files = {"parts/model.py": PARTS["parts/model.py"], "score.py": SCORE}
    project = build_project(text_tree(files))
    assert project.is_library
    assert "score.py::main" not in {frame.function for frame in project.graph.edges}


FUSE = "class Fuse:\n    def __call__(self, nodes):\n        return nodes[0]\n"
COLLATE = "from torch.utils.data import default_collate\n\nclass Collate(Fuse):\n    pass\n"


@pytest.mark.parametrize(
    ("files", "found"),
    [
        ({"parts/fuse.py": FUSE}, False),
        ({"parts/fuse.py": f"import torch\n{FUSE}"}, True),
        ({"parts/fuse.py": FUSE, "parts/collate.py": f"from fuse import Fuse\n{COLLATE}"}, True),
        ({"parts/fuse.py": FUSE.replace("__call__", "training_step")}, True),
    ],
)
def test_of_a_library_what_any_object_may_have_counts_beside_a_framework(files, found):
    project = build_project(text_tree({"parts/model.py": PARTS["parts/model.py"], **files}))
    functions = {frame.function.rpartition(".")[0] for frame in project.graph.edges}
    assert ("parts/fuse.py::Fuse" in functions) is found
    shown = {function.name for function in Mapped(project).show().functions}
    assert {"fuse.Fuse.__call__", "fuse.Fuse.training_step"} & shown
