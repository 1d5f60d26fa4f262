"""`mmcodemod graph`: names, reasons, paths, formats, exit codes."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner

import mmcodemod
from mmcodemod import pipeline
from mmcodemod.cli.main import commands
from mmcodemod.cli.main import main as real_main
from mmcodemod.model.callmap import Call, CallMap, Function, Kind
from mmcodemod.report.graph import dot, formats, layout, mermaid, straighten, svg, text
from mmcodemod.report.graph import json as graph_json
from mmcodemod.report.graph.drawing import MOST_ARROWS, MOST_BOXES, drawing
from mmcodemod.source.tree import text_tree

GOLDEN = Path(__file__).parent / "golden" / "graph"
SOURCE = Path(mmcodemod.__file__).parents[1]
DRAWN = ("dot", "mermaid", "svg", "html")

# A training run with what makes call graphs hard: a framework in between, a callback, a nested function, a
# model whose code is not here, and a function that nothing calls.
SAMPLE = {
    "run.sh": "torchrun tools/train.py\n",
    "tools/__init__.py": "",
    "tools/train.py": """
from transformers import AutoModel
from trainer import MyTrainer
from dataset import Data


def main():
    model = AutoModel.from_pretrained("org/model", trust_remote_code=True)
    MyTrainer(model=model, train_dataset=Data()).train()


def unused():
    lonely()


def lonely():
    pass


if __name__ == "__main__":
    main()
""",
    "tools/trainer.py": """
from transformers import Trainer


class MyTrainer(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False):
        def shift(x):
            return x

        outputs = self.model(**inputs)
        return shift(outputs.loss)

    def prediction_step(self, model, inputs):
        return self.compute_loss(model, inputs)
""",
    "tools/dataset.py": """
import os


class Data:
    def __getitem__(self, index):
        print(os.getcwd())
        return sorted([index], key=rank)


def rank(one):
    return one
""",
}


# The same without a framework in between, whose model may change.
PLAIN = {
    "main.py": """
import os
from transformers import AutoModel
from pkg import rows
from pkg.model import Head


def build():
    return Head(AutoModel.from_pretrained("org/model", trust_remote_code=True))


def main(argv):
    head = build()
    for row in rows(argv.folder):
        head.loss(row, key=len)
    os.makedirs("out")


if __name__ == "__main__":
    main(None)
""",
    "pkg/__init__.py": """
def rows(folder):
    def clean(row):
        return row.strip()

    return sorted(open(folder), key=clean)


def lonely():
    pass
""",
    "pkg/model.py": """
class Base:
    def loss(self, row, key):
        return self.forward(row)


class Head(Base):
    def __init__(self, model):
        self.model = model

    def forward(self, row):
        return self.model(row)

    def loss(self, row, key):
        return super().loss(row, key)
""",
}


def graph_of(files, start="", goal=""):
    return pipeline.graph(text_tree(files), start, goal)


def names_of(files):
    return json.loads(graph_json.render(graph_of(files).shown))


def rows_of(files, **wanted):
    rows = json.loads(graph_json.render_rows(graph_of(files).shown))
    return [row for row in rows if wanted.items() <= row.items()]


@pytest.fixture
def repo(tmp_path):
    for path, content in SAMPLE.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(content)
    return tmp_path


def run(*arguments):
    return CliRunner().invoke(commands, ["graph", *map(str, arguments)], standalone_mode=False)


def code(*arguments):
    """The exit code, stdout and stderr of the whole command."""
    runner = CliRunner()
    with runner.isolation() as streams, pytest.raises(SystemExit) as caught:
        real_main(["graph", *map(str, arguments)])
    return caught.value.code, streams[0].getvalue().decode(), streams[1].getvalue().decode()


# -- names ----------------------------------------------------------------------------------------


def test_names_alone():
    assert names_of(SAMPLE) == {
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
        **{n: found for n, found in names_of(SAMPLE).items() if n.startswith("transformers")},
    }


def test_framework_functions_have_their_real_names():
    names = names_of(SAMPLE)
    assert "trainer.MyTrainer.compute_loss" in names["transformers.Trainer.training_step"]
    assert "dataset.Data.__getitem__" in names["transformers.Trainer.train"]
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
        ("def f(x):\n    x.go()\nf(0)", "x.go", "parameter", "parameter `x`: nothing that is known is passed"),
        ("from lib import *\ngo()", "go", "name", "it may come from `from lib import *`"),
        ("go()", "go", "name", "nothing in the tree defines `go`"),
        ("[].append(1)", "[].append", "builtin-value", "is a list, tuple or set"),
        ("'a'.upper()", "'a'.upper", "builtin-value", "is a string"),
        ("import torch\nnet = torch.nn.Linear(1, 1)\nnet(0)", "net", "library-object", "comes from torch.nn.Linear()"),
        ("class A:\n    pass\nA().go()", "A().go", "member", "nothing defines `go` for `A()`, an object of `m.A`"),
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
    files = {
        "net.py": "class Net:\n    def forward(self, x):\n        return self.deep()\n\n    def deep(self):\n        pass\n"
    }
    found = graph_of(files, "", "Net.deep").route
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
    files = {
        **SAMPLE,
        "net.py": "class Net:\n    def forward(self, x):\n        return self.deep()\n\n    def deep(self):\n        pass\n",
    }
    found = graph_of(files, "", "Net.deep").route
    assert found.answer == "cannot tell"
    assert found.frontier[0].called == "self.model" and found.open >= 1


def test_a_framework_may_call_a_method_that_is_not_modelled():
    found = graph_of({**SAMPLE, "tools/trainer.py": SAMPLE["tools/trainer.py"].replace("prediction_step", "on_odd_step")},
                     "", "on_odd_step").route  # fmt: skip
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


# -- the command ----------------------------------------------------------------------------------


def test_exit_codes(repo):
    assert code(repo)[0] == 0
    assert code(repo, "--to", "compute_loss")[0] == 0
    assert code(repo, "--to", "lonely")[0] == 1
    status, _, errors = code(repo, "--to", "compute_los")
    assert status == 2 and "did you mean" in errors and "trainer.MyTrainer.compute_loss" in errors
    assert "Traceback" not in errors


def test_an_ambiguous_name_lists_what_it_may_mean(repo):
    (repo / "tools" / "more.py").write_text("import dataset\n\n\ndef rank():\n    pass\n")
    status, _, errors = code(repo, "--to", "rank")
    assert status == 2
    assert "'rank' is ambiguous: dataset.rank, more.rank" in errors


def test_a_path_cannot_begin_in_a_library(repo):
    assert code(repo, "--from", "os.getcwd", "--to", "rank")[::2] == (
        2,
        "Error: os.getcwd is a library function: a path cannot begin there\n",
    )


def test_bad_arguments(repo):
    assert code(repo / "nowhere")[0] == code(repo, "--format", "png")[0] == 2
    assert code(repo, "--output", repo / "no" / "such.svg")[0] == 2


def test_a_tree_of_which_nothing_can_be_read(tmp_path):
    (tmp_path / "a.py").write_text("def (:\n")
    status, _, errors = code(tmp_path, "--format", "text")
    assert status == 2 and "no file could be read" in errors


def test_an_empty_tree_is_an_empty_graph(tmp_path):
    for format in ("json", "json-edges", "text", *DRAWN):
        assert code(tmp_path, "--format", format)[0] == 0
    assert code(tmp_path)[1] == "{}\n"


@pytest.mark.parametrize(("ending", "begins"), [
    (".json", '{\n "'), (".svg", "<svg"), (".html", "<!doctype html>"), (".dot", "digraph"), (".mmd", "%% "),
])  # fmt: skip
def test_the_ending_of_the_output_chooses_the_format(repo, ending, begins):
    target = repo / f"graph{ending}"
    assert code(repo, "--output", target) == (0, "", "")
    assert target.read_text().startswith(begins)


def test_the_path_is_text_unless_asked_otherwise(repo):
    assert "train reaches trainer.MyTrainer.compute_loss" in code(repo, "--to", "compute_loss")[1]
    rows = json.loads(code(repo, "--to", "compute_loss", "--format", "json-edges")[1])
    assert [row["caller"] for row in rows][0] == "train"
    assert rows and all(row["callee"] for row in rows)


def test_no_path_in_rows_is_the_frontier(repo):
    status, out, _ = code(repo, "--to", "lonely", "--format", "json-edges")
    assert status == 1 and {row["callee"] for row in json.loads(out)} == {None}


def test_help_names_formats_examples_and_exit_codes():
    shown = run("--help").output
    for word in (
        "json-edges",
        "mermaid",
        "--from ENTRY",
        "--to SYMBOL",
        "Examples:",
        "Exit codes:",
        "--output FILE",
    ):
        assert word in shown


def loaded_by(repo, *arguments):
    script = (
        "import sys\nfrom mmcodemod.cli.main import main\n"
        "try:\n    main(sys.argv[1:])\nexcept SystemExit:\n    pass\n"
        "print('libcst' in sys.modules, 'networkx' in sys.modules, file=sys.stderr)\n"
    )
    command = [sys.executable, "-c", script, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=repo)
    return done.stderr.split()[-2:]


def test_networkx_is_loaded_for_drawings_alone(repo):
    assert loaded_by(repo, "--version") == ["False", "False"]
    assert loaded_by(repo, "graph")[1] == "False"
    assert loaded_by(repo, "check")[1] == "False"
    assert loaded_by(repo, "graph", "--format", "svg")[1] == "True"


def test_the_same_tree_gives_the_same_bytes(repo):
    script = (
        "import sys\nfrom mmcodemod.cli.main import commands\n"
        f"for name in {('json', 'json-edges', 'text', *DRAWN)}:\n"
        "    commands.main(['graph', '--format', name], standalone_mode=False)\n"
        "    commands.main(['graph', '--format', name, '--to', 'lonely'], standalone_mode=False)\n"
    )
    runs = set()
    for seed in ("0", "7"):
        env = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(SOURCE)}
        command = [sys.executable, "-c", script]
        runs.add(subprocess.run(command, capture_output=True, check=True, cwd=repo, env=env).stdout)
    assert len(runs) == 1 and len(runs.pop()) > 50_000


# -- what people see --------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "format", "goal"), [
    ("names.json", "json", ""), ("edges.json", "json-edges", ""), ("graph.dot", "dot", ""),
    ("graph.mmd", "mermaid", ""), ("graph.svg", "svg", ""), ("path.svg", "svg", "Head.forward"),
])  # fmt: skip
def test_golden(name, format, goal):
    found = graph_of(PLAIN, "", goal)
    assert formats.render(format, found.shown, found.route) == (GOLDEN / name).read_text("utf-8")


@pytest.mark.parametrize(("name", "goal"), [
    ("summary.txt", ""), ("path.txt", "Head.forward"), ("not_found.txt", "lonely"),
])  # fmt: skip
def test_golden_text(name, goal):
    found = graph_of(PLAIN, "", goal)
    shown = text.render_route(found.route) if found.route else text.render(found.shown)
    assert shown == (GOLDEN / name).read_text("utf-8")


EVIL = '"></title><script>alert(1)</script>\\ #quot; \x1b[31m\n\u202e'


def evil_map():
    functions = tuple(Function(f"{EVIL}{n}", f"m{n}", f"{EVIL}.py", 1) for n in range(2))
    return CallMap(EVIL, functions, (Call(f"{EVIL}0", f"{EVIL}1", f"{EVIL}.py", 1, "direct", EVIL),))


def test_hostile_names_in_a_drawing():
    drawn = svg.render(drawing(evil_map()))
    root = ElementTree.fromstring(drawn)
    assert {tag.tag.rpartition("}")[2] for tag in root.iter()} <= {
        "svg",
        "g",
        "rect",
        "text",
        "title",
        "path",
        "style",
    }
    assert "\x1b" not in drawn and "\u202e" not in drawn


def test_hostile_names_for_graphviz_and_mermaid():
    shown = dot.render(drawing(evil_map()))
    outside = "".join(part for part in shown.replace("\\\\", "").replace('\\"', "").split('"')[::2])
    assert "alert" not in outside and "\x1b" not in shown and len(shown.splitlines()) < 25
    chart = mermaid.render(drawing(evil_map()))
    body = [line for line in chart.splitlines() if not line.startswith("%%")]
    assert not [line for line in body if "<script" in line or "\x1b" in line or line.count('"') % 2]


def test_hostile_names_in_text():
    shown = text.render(evil_map())
    assert "\x1b" not in shown and "\u202e" not in shown


def large(modules, each):
    functions = [
        Function(f"p.m{m}.f{n}", f"p.m{m}", f"p/m{m}.py", n) for m in range(modules) for n in range(each)
    ]
    calls = [Call(a.name, b.name, a.path, 1, "direct") for a, b in zip(functions, functions[1:])]
    return CallMap("large", tuple(functions), tuple(sorted(calls)))


@pytest.mark.parametrize(("modules", "each", "boxes"), [(3, 10, 30), (20, 30, 20), (400, 3, 1)])
def test_a_graph_that_is_too_large_is_drawn_by_module(modules, each, boxes):
    drawn = drawing(large(modules, each))
    assert len(drawn.boxes) in (boxes, 0 if boxes == 1 else boxes)
    assert ("too many for one picture" in drawn.remark) == (boxes != 30)
    assert len(drawn.boxes) <= MOST_BOXES and len(drawn.arrows) <= MOST_ARROWS


# -- the layout -------------------------------------------------------------------------------------


def random_graph(seed):
    chance = random.Random(seed)
    names = [f"n{n:02}" for n in range(chance.randint(1, 25))]
    arrows = [(chance.choice(names), chance.choice(names)) for _ in range(chance.randint(0, 50))]
    return {name: float(chance.randint(60, 200)) for name in names}, arrows


@pytest.mark.parametrize("seed", range(25))
def test_boxes_never_overlap_and_every_arrow_is_drawn(seed):
    widths, arrows = random_graph(seed)
    found = layout.layered(widths, arrows)
    assert set(found.boxes) == set(widths)
    assert set(found.arrows) == {(a, b) for a, b in arrows if a != b}
    high = layout.Spacing().box_height
    for a, b in combinations(sorted(found.boxes), 2):
        (ax, ay), (bx, by) = found.boxes[a], found.boxes[b]
        apart = ax + widths[a] <= bx or bx + widths[b] <= ax or ay + high <= by or by + high <= ay
        assert apart, (a, b)
    assert all(0 <= x <= found.width and 0 <= y <= found.height for x, y in found.boxes.values())
    assert layout.layered(widths, arrows[::-1]) == found


@pytest.mark.parametrize("seed", range(25))
def test_without_cycles_arrows_lead_to_the_right(seed):
    widths, arrows = random_graph(seed)
    forward = [(a, b) for a, b in arrows if a < b]
    found = layout.layered(widths, forward)
    assert all(found.boxes[a][0] < found.boxes[b][0] for a, b in forward)


def test_crossings_are_counted_and_removed():
    numbers = [3, 1, 2, 1, 0, 2]
    assert layout._inversions(numbers) == sum(a > b for a, b in combinations(numbers, 2))
    found = layout.layered(dict.fromkeys("abcd", 80.0), [("a", "d"), ("b", "c")])
    assert (found.boxes["a"][1] < found.boxes["b"][1]) == (found.boxes["d"][1] < found.boxes["c"][1])


def test_places_keep_order_and_distance_and_move_as_little_as_possible():
    assert straighten.fitted([5.0, 0.0, 10.0], [0.0, 2.0, 4.0]) == [1.5, 3.5, 10.0]
    assert straighten.fitted([0.0, 10.0], [0.0, 5.0]) == [0.0, 10.0]
