"""What a registry makes that may build anything is not known; what a registry that names few makes is."""

from __future__ import annotations

import ast

import pytest

from mmcodemod.pipeline import build_project
from mmcodemod.project.values import MAX_VALUES, ClassRef
from mmcodemod.source.tree import text_tree

REGISTRY = """
class Registry:
    def __init__(self):
        self.table = {}

    def register(self, name=None, module=None):
        if module is not None:
            self.table[name] = module
            return module

        def keep(cls):
            self.table[name or cls.__name__] = cls
            return cls

        return keep

    def build(self, name, **more):
        return self.table[name](**more)


PARTS = Registry()
"""


def project_of(count):
    parts = "\n".join(
        f"@PARTS.register()\nclass Part{n}:\n    def run(self):\n        return {n}\n" for n in range(count)
    )
    main = "import sys\nimport parts\nfrom registry import PARTS\n\nPARTS.build(sys.argv[1]).run()\n"
    main += "loss().backward()\n"
    files = {"registry.py": REGISTRY, "parts.py": f"from registry import PARTS\n{parts}", "train.py": main}
    return build_project(text_tree({**files, "run.sh": "torchrun train.py\n"}))


@pytest.mark.parametrize(("count", "known"), [(3, True), (MAX_VALUES, True), (MAX_VALUES + 1, False)])
def test_what_a_registry_makes_is_known_where_it_may_build_few(count, known):
    project = project_of(count)
    run = {f.function for f in project.graph.frames if f.function.endswith(".run")}
    assert len(run) == (count if known else 0)
    assert ("run" in {u.name for u in project.graph.unresolved}) is not known


def test_a_class_is_itself_where_a_registry_may_give_back_another():
    parts = """
        from registry import PARTS

        class Foreign:
            def __call__(self, other):
                return self

        PARTS.register(name="foreign", module=Foreign)

        @PARTS.register("own")
        class Own:
            pass
    """
    body = "from parts import Own\n\nOwn().loss.backward()\n"
    text = parts.replace("\n        ", "\n")
    files = {"registry.py": REGISTRY, "parts.py": text, "train.py": body, "run.sh": "torchrun train.py\n"}
    project = build_project(text_tree(files))
    calls = project.resolver.body("train.py::<module>").calls
    (call,) = (c for c in calls if isinstance(c.func, ast.Name))
    (frame,) = project.frames("train.py::<module>")
    assert project.resolver.infer(call.func, frame) == {ClassRef("parts.py::Own")}
