"""Call graphs as data: names, reasons of what is not resolved, and paths."""

from __future__ import annotations

import json

import pytest
from graph_samples import PLAIN, SAMPLE

from mmcodemod import pipeline
from mmcodemod.model.callmap import Kind
from mmcodemod.report.graph import json as graph_json
from mmcodemod.source.tree import text_tree

NET = """
class Net:
    def forward(self, x):
        return self.deep()

    def deep(self):
        pass
"""


def graph_of(files, start="", goal=""):
    return pipeline.graph(text_tree(files), start, goal)


def names_of(files):
    return json.loads(graph_json.render(graph_of(files).shown))


def rows_of(files, **wanted):
    rows = json.loads(graph_json.render_rows(graph_of(files).shown))
    return [row for row in rows if wanted.items() <= row.items()]


# -- names ----------------------------------------------------------------------------------------


def test_names_alone():
    names = names_of(SAMPLE)
    assert {n: found for n, found in names.items() if n.startswith(("dataset", "train"))} == {
        "dataset": [],
        "dataset.Data.__getitem__": ["<builtin>.print", "<builtin>.sorted", "dataset.rank", "os.getcwd"],
        "dataset.rank": [],
        "train": ["train.main"],
        "train.main": [
            "transformers.AutoModel.from_pretrained",
            "transformers.Trainer.__init__",
            "transformers.Trainer.train",
        ],
        "trainer": [],
        "trainer.MyTrainer.compute_loss": ["trainer.MyTrainer.compute_loss.shift"],
        "trainer.MyTrainer.compute_loss.shift": [],
        "trainer.MyTrainer.prediction_step": ["trainer.MyTrainer.compute_loss"],
    }


def test_framework_functions_have_their_real_names():
    names = names_of(SAMPLE)
    assert "trainer.MyTrainer.compute_loss" in names["transformers.Trainer.training_step"]
    (caller,) = [n for n, found in names.items() if "dataset.Data.__getitem__" in found]
    assert names[caller] is not None and caller.split(".")[0] in ("transformers", "torch")
    assert not [name for name in names if "<models>" in name]


def test_callers_and_callees_are_sorted():
    names = names_of(SAMPLE)
    assert list(names) == sorted(names)
    assert all(found == sorted(set(found)) for found in names.values())


def test_a_package_is_its_init_and_a_file_of_it_has_its_full_name():
    files = {
        "main.py": "from pkg.sub import mod\nimport pkg\n\nmod.f()\npkg.g()\n",
        "pkg/__init__.py": "def g():\n    pass\n",
        "pkg/sub/__init__.py": "",
        "pkg/sub/mod.py": "from ..other import h\n\n\ndef f():\n    h()\n",
        "pkg/other.py": "def h():\n    pass\n",
    }
    assert names_of(files)["main"] == ["pkg.g", "pkg.sub.mod.f"]
    assert names_of(files)["pkg.sub.mod.f"] == ["pkg.other.h"]


def test_a_src_folder_is_no_part_of_a_name():
    files = {"src/pkg/__init__.py": "", "src/pkg/mod.py": "def f():\n    pass\n\n\nf()\n"}
    assert names_of(files)["pkg.mod"] == ["pkg.mod.f"]


NAMESPACE = {
    "pyproject.toml": "",
    "tools/run.py": "from lib.work import go\n\ngo()\n",
    "src/lib/work.py": "from lib.parts import inner\n\n\ndef go():\n    inner.deep()\n",
    "src/lib/parts/__init__.py": "",
    "src/lib/parts/inner.py": "def deep():\n    pass\n",
}


@pytest.mark.parametrize("project", ["", "python/"])
def test_a_package_below_src_needs_no_init(project):
    names = names_of({f"{project}{path}": text for path, text in NAMESPACE.items()})
    assert names["run"] == ["lib.work.go"] and names["lib.work.go"] == ["lib.parts.inner.deep"]


def test_a_src_folder_that_nothing_packages_is_not_on_the_path():
    files = {f"demo/{path}": text for path, text in NAMESPACE.items() if path.endswith(".py")}
    assert "lib.work" not in names_of(files) and "work" in names_of(files)


def test_a_regular_package_wins_over_a_folder_without_init():
    names = names_of({**NAMESPACE, "lib/__init__.py": "", "lib/other.py": ""})
    assert "lib.work" not in names and "work" in names


def test_a_library_wins_over_a_folder_without_init():
    files = {"src/torch/own.py": "def f():\n    pass\n", "main.py": "import torch\n\ntorch.ones(1)\n"}
    assert names_of(files)["main"] == ["torch.ones"]


def test_a_folder_of_the_script_needs_no_init():
    files = {
        "tools/run.py": "from parts.a import f\n\nf()\n",
        "tools/parts/a.py": "from parts.b import g\n\n\ndef f():\n    g()\n",
        "tools/parts/b.py": "def g():\n    pass\n",
    }
    (row,) = rows_of(files, path="tools/parts/a.py", how="direct")
    assert row["callee"] == "b.g"


def test_scripts_of_a_folder_without_init_are_named_from_it():
    files = {"tools/a.py": "from b import f\n\nf()\n", "tools/b.py": "def f():\n    pass\n"}
    assert names_of(files) == {"a": ["b.f"], "b": [], "b.f": []}


def test_what_is_imported_by_its_package_keeps_the_package_name():
    files = {
        "pkg/__init__.py": "",
        "pkg/run.py": "from helper import f\n\nf()\n",
        "pkg/helper.py": "def f():\n    pass\n",
        "main.py": "from pkg.helper import f\n\nf()\n",
    }
    assert names_of(files)["run"] == names_of(files)["main"] == ["pkg.helper.f"]


def test_two_scripts_of_one_name_are_not_one():
    files = {
        f"{folder}/train.py": f"def {folder}():\n    pass\n\n\n{folder}()\n" for folder in ("first", "second")
    }
    names = names_of(files)
    assert names["train"] == ["train.first"] and names["second.train"] == ["second.train.second"]


def test_a_script_finds_its_neighbour_before_one_of_that_name_elsewhere():
    files = {
        "a/run.py": "import common\n\ncommon.here()\n",
        "a/common.py": "def here():\n    pass\n",
        "b/run.py": "import common\n\ncommon.there()\n",
        "b/common.py": "def there():\n    pass\n",
    }
    found = {row["callee"] for row in rows_of(files, how="direct")}
    assert found == {"common.here", "b.common.there"}


def test_a_module_of_a_package_does_not_hide_the_standard_library():
    files = {
        "pkg/__init__.py": "",
        "pkg/logging.py": "import logging\n\n\ndef get():\n    return logging.getLogger()\n\n\nget()\n",
    }
    assert names_of(files)["pkg.logging.get"] == ["logging.getLogger"]


def test_code_below_the_main_guard_is_the_module():
    files = {"m.py": "def f():\n    pass\n\n\nif __name__ == '__main__':\n    f()\n"}
    assert names_of(files) == {"m": ["m.f"], "m.f": []}


def test_calls_of_what_a_library_returns_have_no_dotted_name():
    files = {"m.py": "import re\n\nre.compile('x').sub('', '')\n"}
    assert names_of(files)["m"] == ["re.compile"]
    assert rows_of(files, callee="re.compile().sub")


# -- rows and reasons -----------------------------------------------------------------------------


def test_a_row_says_where_and_how():
    assert rows_of(SAMPLE, caller="train", callee="train.main") == [
        {"caller": "train", "callee": "train.main", "path": "tools/train.py", "line": 21, "how": "direct"}
    ]
    assert rows_of(SAMPLE, callee="dataset.rank")[0]["how"] == "callback"
    assert rows_of(SAMPLE, caller="train", callee="trainer")[0]["how"] == "import"


def test_a_model_whose_code_is_fetched_is_a_boundary():
    (row,) = rows_of(SAMPLE, callee=None, caller="trainer.MyTrainer.compute_loss", called="self.model")
    assert row["kind"] == "remote-code" and row["line"] == 10
    assert row["reason"] == (
        "it is not known what `self.model` is: it comes from"
        " transformers.AutoModel.from_pretrained(trust_remote_code=True) (tools/train.py:8),"
        " whose code is not in the tree"
    )


def test_without_trust_remote_code_it_is_an_object_of_a_library():
    files = {**SAMPLE, "tools/train.py": SAMPLE["tools/train.py"].replace(", trust_remote_code=True", "")}
    (row,) = rows_of(files, caller="trainer.MyTrainer.compute_loss", called="self.model")
    assert row["kind"] == "library-object" and "trust" not in row["reason"]


@pytest.mark.parametrize(
    ("body", "called", "kind", "reason"),
    [
        ("def f(x):\n    x.go()\nf(0)", "x.go", "parameter", "parameter `x`: nothing that"),
        ("from lib import *\ngo()", "go", "name", "it may come from `from lib import *`"),
        ("go()", "go", "name", "nothing in the tree defines `go`"),
        ("[].sort()", "[].sort", "builtin-value", "is a list, tuple or set"),
        ("import re\nx = re.compile(1)\nx(0)", "x", "library-object", "comes from re.compile()"),
        ("class A:\n    pass\nA().go()", "A().go", "member", "`go` for `A()`, an object of `m.A`"),
        ("with open('f') as f:\n    pass\nx = y = 1 + 2\nx()", "x", "value", "it is not known what `x` is"),
        ("t = {}\nt['k']()", "t['k']", "value", "which entry of `t` is meant"),
    ],
)  # fmt: skip
def test_reasons(body, called, kind, reason):
    (row,) = rows_of({"m.py": body}, called=called)
    assert (row["kind"], row["callee"], row["how"]) == (kind, None, "unresolved")
    assert reason in row["reason"]


def test_a_call_with_too_many_targets_says_so():
    classes = "".join(f"class C{n}:\n    def go(self):\n        pass\n" for n in range(20))
    every = ", ".join(f"C{n}()" for n in range(20))
    files = {"m.py": f"{classes}def main():\n    for one in [{every}]:\n        one.go()\nmain()\n"}
    rows = rows_of(files, how="name-only")
    assert len(rows) == 20 and all(row["note"] == "one of more than 16 that it may call" for row in rows)


# -- paths ----------------------------------------------------------------------------------------


def hops(found):
    return [(hop.call.path, hop.call.line, hop.call.callee, hop.call.how) for hop in found.route.hops]


def test_the_path_from_any_entry_with_every_place():
    found = graph_of(SAMPLE, "", "MyTrainer.compute_loss")
    assert found.route.answer == "reachable" and found.route.start == "train"
    assert hops(found)[:2] == [
        ("tools/train.py", 21, "train.main", "direct"),
        ("tools/train.py", 9, "transformers.Trainer.train", "pointsto"),
    ]
    assert hops(found)[-1][2] == "trainer.MyTrainer.compute_loss"
    assert found.route.hops[0].source == "main()"
    for before, after in zip(found.route.hops, found.route.hops[1:]):
        assert before.call.callee == after.call.caller


def test_the_path_to_a_library_function():
    found = graph_of(SAMPLE, "", "os.getcwd")
    assert hops(found)[-1] == ("tools/dataset.py", 7, "os.getcwd", "library")
    assert found.route.hops[-1].source == "print(os.getcwd())"


def test_a_path_that_begins_where_no_run_gets():
    assert [h[2] for h in hops(graph_of(SAMPLE, "unused", "lonely"))] == ["train.lonely"]


def test_an_entry_that_trains_wins_over_a_shorter_way():
    files = {
        **SAMPLE,
        "demo.py": "from tools.dataset import rank\n\nif __name__ == '__main__':\n    rank(0)\n",
    }
    assert graph_of(files, "", "rank").route.start == "train"


def test_in_a_library_a_path_from_its_own_code_wins_over_its_users():
    found = graph_of(PLAIN, "", "Head.forward").route
    assert (found.start, len(found.hops)) == ("main", 4)
    found = graph_of({"net.py": NET}, "", "Net.deep").route
    assert (found.start, [hop.call.callee for hop in found.hops]) == ("net.Net.forward", ["net.Net.deep"])


def test_nothing_leads_there():
    found = graph_of(SAMPLE, "", "lonely").route
    assert found.answer == "not found" and found.open == 0
    assert "self.model" in [call.called for call in found.frontier]


def test_an_unresolved_call_of_that_name_may_lead_there():
    files = {
        "m.py": "def go():\n    end()\n\n\ndef end():\n    pass\n\n\ndef main(x):\n    x.go()\n\n\nmain(0)\n"
    }
    found = graph_of(files, "main", "end").route
    assert found.answer == "cannot tell" and found.open == 1
    assert found.frontier[0].called == "x.go"


def test_calling_an_unknown_object_may_run_any_forward():
    found = graph_of({**SAMPLE, "net.py": NET}, "", "Net.deep").route
    assert found.answer == "cannot tell"
    assert found.frontier[0].called == "self.model" and found.open >= 1


def test_a_framework_may_call_a_method_that_is_not_modelled():
    renamed = SAMPLE["tools/trainer.py"].replace("prediction_step", "on_odd_step")
    found = graph_of({**SAMPLE, "tools/trainer.py": renamed}, "", "on_odd_step").route
    assert found.answer == "cannot tell"
    assert "belongs to a subclass of `transformers.Trainer`" in found.why


def test_from_alone_shows_what_it_reaches():
    shown = graph_of(SAMPLE, "Data.__getitem__").shown
    assert shown.title == "what dataset.Data.__getitem__ reaches"
    assert {f.name for f in shown.functions if f.kind is Kind.TREE} >= {
        "dataset.Data.__getitem__",
        "dataset.rank",
    }
    assert "train.main" not in {f.name for f in shown.functions}


@pytest.mark.parametrize(
    "symbol",
    [
        "trainer.MyTrainer.compute_loss",
        "MyTrainer.compute_loss",
        "compute_loss",
        "tools/trainer.py::MyTrainer.compute_loss",
        "trainer.py::MyTrainer.compute_loss",
    ],
)
def test_ways_to_name_a_function(symbol):
    assert graph_of(SAMPLE, "train.py", symbol).route.goal.name == "trainer.MyTrainer.compute_loss"


def test_a_class_stands_for_its_constructor():
    files = {"m.py": "class A:\n    def __init__(self):\n        pass\n\n\ndef f():\n    A()\n\n\nf()\n"}
    assert graph_of(files, "f", "A").route.goal.name == "m.A.__init__"
