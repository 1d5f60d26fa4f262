"""`mmcodemod graph` on the command line: exit codes, formats by file name, what is imported, equal bytes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from graph_samples import SAMPLE

import mmcodemod
from mmcodemod.cli.main import commands
from mmcodemod.cli.main import main as real_main

SOURCE = Path(mmcodemod.__file__).parents[1]
DRAWN = ("dot", "mermaid", "svg", "html")


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


def test_a_call_that_its_callee_does_not_take_is_part_of_the_frontier(tmp_path):
    (tmp_path / "main.py").write_text("def plain():\n    pass\n\n\ndef goal():\n    pass\n\n\nplain(1)\n")
    status, out, err = code(tmp_path, "--from", "main.py", "--to", "goal")
    assert (status, err) == (1, "")
    assert "`plain` is main.plain, which does not take these arguments" in out


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
    assert rows[0]["caller"] == "train"
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
