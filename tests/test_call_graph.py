"""The project model: what calls what, and how sure that is."""

from __future__ import annotations

import ast
import textwrap

import pytest

from mmcodemod.model.context import Entry
from mmcodemod.model.grade import How
from mmcodemod.pipeline import build_project
from mmcodemod.project.frame import Frame
from mmcodemod.project.reach import Reached
from mmcodemod.project.values import Mapping
from mmcodemod.source.tree import text_tree


def project_of(**files):
    """A project; `pkg__mod` is the file pkg/mod.py, `run` a launch of train.py."""
    texts = {name.replace("__", "/") + ".py": textwrap.dedent(text) for name, text in files.items()}
    return build_project(text_tree({**texts, "run.sh": "torchrun --nproc_per_node 2 train.py\n"}))


def edges(project, caller):
    """(callee, how) of every call of one function, modules left out."""
    found = [e for frame, out in project.graph.edges.items() for e in out if frame.function == caller]
    return {(e.callee.function.partition("::")[2], e.how) for e in found if e.site is not None}


def reaches(project, function):
    return function in project.reach(Entry("train.py"))


TRAINER = """
from transformers import PreTrainedModel, Trainer
{body}
if __name__ == "__main__":
    main()
"""


def test_a_launch_reaches_forward_through_the_trainer_and_a_mixin():
    project = project_of(
        train=TRAINER.format(
            body="from net import Net\ndef main():\n    Trainer(model=Net.from_pretrained('x')).train()"
        ),
        net="""
            from transformers import PreTrainedModel
            from parts import Mixin

            class Net(Mixin, PreTrainedModel):
                def __init__(self, config):
                    super().__init__(config)
                    self.inner = Tower()

                def forward(self, images):
                    return self.encode(images)

            from torch import nn
            class Tower(nn.Module):
                def forward(self, images):
                    return images
        """,
        parts="""
            class Mixin:
                def encode(self, images):
                    return self.get_tower()(images)

                def get_tower(self):
                    return getattr(self, "inner", None)
        """,
    )
    assert reaches(project, "net.py::Net.forward")
    assert edges(project, "parts.py::Mixin.encode") == {
        ("Mixin.get_tower", How.SELF),
        ("Tower.forward", How.FRAMEWORK),
    }
    assert ("Net.__init__", How.FACTORY) in edges(project, "train.py::main")
    assert project.reach(Entry("train.py")).built_inside("net.py::Net.__init__")
    assert not project.reach(Entry("train.py")).built_inside("net.py::Net.forward")


def test_keywords_travel_through_kwargs_and_a_collator_is_a_callback():
    project = project_of(
        train=TRAINER.format(
            body="""
class Mine(Trainer):
    def __init__(self, extra, **kwargs):
        super().__init__(**kwargs)

class Data:
    def __getitem__(self, i):
        return i

def collate(samples):
    return samples

def parts():
    return dict(train_dataset=Data(), data_collator=collate)

def main():
    Mine(1, model=None, **parts()).train()
"""
        )
    )
    assert reaches(project, "train.py::collate")
    assert reaches(project, "train.py::Data.__getitem__")


def test_importing_a_script_does_not_run_its_main_guard():
    project = project_of(
        train="""
            import other

            def main():
                other.helper().backward()

            if __name__ == "__main__":
                main()
        """,
        other="def helper(): pass\ndef dangerous(): pass\nif __name__ == '__main__':\n    dangerous()\n",
    )
    assert reaches(project, "other.py::helper")
    assert not reaches(project, "other.py::dangerous")


def test_a_table_of_classes_and_a_default_argument_are_followed():
    project = project_of(
        train=TRAINER.format(
            body="""
class A:
    def run(self): pass

class B:
    def run(self): pass

TABLE = {"a": A, "b": B}

def build(name="a", table=TABLE):
    return table.get(name)()

def main():
    build(input()).run()
    Trainer(model=None).train()
"""
        )
    )
    assert {callee for callee, _ in edges(project, "train.py::main")} >= {"A.run", "B.run"}


def test_a_call_with_many_targets_is_by_name_only():
    classes = "".join(f"class C{n}:\n    def run(self): pass\n\n" for n in range(20))
    table = "{" + ", ".join(f"'{n}': C{n}" for n in range(20)) + "}"
    body = f"{classes}\ndef main(name=None):\n    {table}[name]().run()\n    Trainer(model=None).train()"
    project = project_of(train=TRAINER.format(body=body))
    assert {how for callee, how in edges(project, "train.py::main") if callee.endswith(".run")} == {
        How.NAME_ONLY
    }


@pytest.mark.parametrize(
    ("call", "answer"),
    [("known.target()", Reached.YES), ("thing.target()", Reached.CANNOT_TELL), ("pass", Reached.NOT_FOUND)],
)
def test_three_answers_to_whether_training_reaches_a_function(call, answer):
    body = f"import known\ndef main(thing=None):\n    {call}\n    Trainer(model=None).train()"
    project = project_of(train=TRAINER.format(body=body), known="def target(): pass\n")
    assert project.reached("known.py::target") is answer


def test_a_test_of_what_a_library_base_may_have_leaves_everything_possible():
    body = """
class Mine(Trainer):
    def _save(self, output_dir=None): pass

def main():
    trainer = Mine(model=None)
    if trainer.deepspeed:
        return
    trainer._save("out")
    trainer.train()
"""
    project = project_of(train=TRAINER.format(body=body))
    assert ("Mine._save", How.POINTS_TO) in edges(project, "train.py::main")


def test_relative_imports_inside_namespace_folders():
    project = project_of(
        train=TRAINER.format(
            body="from a.b.c import go\ndef main():\n    go()\n    Trainer(model=None).train()"
        ),
        a__b__c="from ..d import there\ndef go():\n    there()\n",
        a__d="def there(): pass\n",
        a____init__="",
    )
    assert edges(project, "a/b/c.py::go") == {("there", How.DIRECT)}


def test_a_program_inside_a_package_without_init_names_the_package():
    project = project_of(
        tools__kit__train__run=TRAINER.format(
            body="from kit.data.rows import rows\ndef main():\n    rows()\n    Trainer(model=None).train()"
        ),
        tools__kit__data__rows="def rows(): pass\n",
        other__kit__data__rows="def rows(): pass\n",
    )
    found = {callee for callee, _ in edges(project, "tools/kit/train/run.py::main")}
    assert "rows" in found
    assert project.index.modules.find("kit.data.rows", "tools/kit/train/run.py") == "tools/kit/data/rows.py"


def test_what_the_main_guard_decorates_is_known():
    project = project_of(
        train="""
            from bench import report

            if __name__ == "__main__":

                @report(1)
                def measure():
                    work().backward()

                @report(2)
                class Measured:
                    pass

                measure()
        """,
        bench="""
            def report(number):
                def around(function):
                    return function
                return around
        """,
    )
    assert reaches(project, "train.py::measure")
    assert project.index.function("train.py::measure").decoration is not None
    assert project.index.cls("train.py::Measured").decoration is not None


def test_an_iterator_that_hands_on_another_of_its_class_ends():
    project = project_of(
        train="""
            class Loader:
                def __init__(self, inner):
                    self.inner = inner

                def __iter__(self):
                    yield from self.inner

            class Batch:
                def backward(self):
                    pass

            def main():
                for batch in Loader(Loader([Batch()])):
                    batch.backward()

            main()
        """
    )
    assert reaches(project, "train.py::Batch.backward")


def test_a_dict_that_is_copied_into_itself_holds_each_key_once():
    """`d = {**d, ...}`, again and again, would double its entries each time, until memory ends."""
    again = "\n".join(f"    kept = {{**kept, 'k{i}': make}}" for i in range(12))
    body = f"def main():\n    kept = {{'a': make}}\n{again}\n"
    project = project_of(train=f"def make(): ...\n\n{body}\nmain()\n")
    values = project.resolver.infer(ast.parse("kept", mode="eval").body, Frame("train.py::main"))
    held = [v for v in values if isinstance(v, Mapping)]
    assert held
    for mapping in held:
        keys = [key for key, _ in mapping.items]
        assert len(keys) == len(set(keys))
    assert {key for mapping in held for key, _ in mapping.items} == {"a", *(f"k{i}" for i in range(12))}


SAMPLES = """
class Samples(Dataset):
    def __init__(self, data): self.data = data
    def __getitem__(self, i): return self.data[i]

class Collator:
    def __call__(self, samples): return samples
"""
PROGRAM = """
from torch.utils.data import Dataset
from mine import Mine
{samples}
def main():
    Mine(model=None, train_dataset=Samples([]), data_collator=Collator()).train()

if __name__ == "__main__":
    main()
"""
SHARED = """
from transformers import Trainer
class Mine(Trainer):
    def _get_train_sampler(self, dataset=None): return lengths(self.train_dataset)
def lengths(dataset): return dataset.lengths()
"""


@pytest.mark.parametrize("brings", ["", "from other import helper\n"])
def test_a_trainer_that_programs_share_gets_the_data_set_of_its_own_program(brings):
    texts = {
        "mine.py": SHARED,
        "train.py": PROGRAM.format(samples=brings + SAMPLES),
        "other.py": PROGRAM.format(samples=SAMPLES + "def helper(): pass\n"),
        "run.sh": "torchrun train.py\n",
    }
    project = build_project(text_tree(texts))
    for entry, foreign in (("train.py", "other.py"), ("other.py", "train.py")):
        reach = project.reach(Entry(entry))
        assert f"{entry}::Samples.__getitem__" in reach
        assert f"{entry}::Collator.__call__" in reach
        assert f"{foreign}::Samples.__getitem__" not in reach


def test_methods_of_what_a_program_never_loads_are_not_reached():
    reads = "    def lengths(self): return self.data\n"
    samples = SAMPLES.replace("\nclass Collator", reads + "\nclass Collator")
    project = build_project(
        text_tree(
            {
                "mine.py": SHARED,
                "train.py": PROGRAM.format(samples=samples),
                "other.py": PROGRAM.format(samples=samples),
                "run.sh": "torchrun train.py\n",
            }
        )
    )
    reach = project.reach(Entry("train.py"))
    assert "train.py::Samples.lengths" in reach
    assert "other.py::Samples.lengths" not in reach
