"""The command line: exit codes, options, and input that is wrong in every way we could think of."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

import mmcodemod
from mmcodemod import pipeline
from mmcodemod.cli import explain, options, session
from mmcodemod.cli.main import commands
from mmcodemod.cli.main import main as real_main
from mmcodemod.model.finding import Finding, Problem
from mmcodemod.model.fix import Edit, Fix
from mmcodemod.model.grade import Applicability, Severity
from mmcodemod.model.place import Place
from mmcodemod.model.report import Report, Stats
from mmcodemod.pipeline import FixResult
from mmcodemod.source.tree import UnreadableFile, text_tree

SOURCE = Path(mmcodemod.__file__).parents[1]
NAMES = {"MM201": "modality-conditional-forward", "MM303": "ds-gradient-clipping-absent", "MM901": "unused-x"}
UNCHECKED = " (the file was not checked)"


def implemented():
    try:
        pipeline.check(text_tree({}))
    except NotImplementedError:
        return False
    return True


needs_pipeline = pytest.mark.skipif(not implemented(), reason="pipeline.check is a stub")


def finding(severity=Severity.ERROR, path="train.py", fix=None):
    return Finding("MM201", Place(path, 1), "This run hangs.", severity, fix=fix)


@pytest.fixture
def repo(tmp_path, monkeypatch):
    (tmp_path / "repo").mkdir()
    (tmp_path / "repo" / "train.py").write_text("x = 1\n")
    monkeypatch.chdir(tmp_path / "repo")
    for module in (explain, session, options):
        monkeypatch.setattr(module, "known_rules", lambda codemods: NAMES)
    return tmp_path / "repo"


@pytest.fixture
def checks(monkeypatch):
    """Makes `pipeline.check` report what a test wants, reading every file as the real one does."""
    wanted = Report(stats=Stats(1, 1, 1))
    calls = []

    def check(tree, settings):
        calls.append(settings)
        problems = list(wanted.problems)
        for path in tree.paths:
            try:
                tree.read_bytes(path)
            except UnreadableFile as error:
                problems.append(Problem(path, error.kind, error.message))
        return replace(wanted, problems=tuple(problems))

    def prepare(**changes):
        nonlocal wanted
        wanted = replace(wanted, **changes)
        return calls

    monkeypatch.setattr(pipeline, "check", check)
    return prepare


def run(*arguments, **env):
    return CliRunner().invoke(commands, list(arguments), env={"NO_COLOR": "", **env}, standalone_mode=False)


def code(*arguments):
    """The exit code and stderr of the whole command, as the shell sees them."""
    runner = CliRunner()
    with runner.isolation() as streams, pytest.raises(SystemExit) as caught:
        real_main(list(arguments))
    return caught.value.code, streams[1].getvalue().decode()


def on_terminal(*arguments):
    """The exit code and stderr, with a terminal as stdout."""
    command = [sys.executable, "-m", "mmcodemod", *arguments]
    terminal, end = os.openpty()
    with os.fdopen(terminal, "rb"), os.fdopen(end, "wb") as stdout:
        env = {"PYTHONPATH": str(SOURCE), "MMCODEMOD_NO_CACHE": "1"}
        done = subprocess.run(command, stdout=stdout, stderr=subprocess.PIPE, text=True, env=env, timeout=60)
    return done.returncode, done.stderr


@pytest.mark.parametrize(
    ("severities", "arguments", "expected"),
    [
        ([], [], 0),
        ([Severity.ERROR], [], 1),
        ([Severity.WARNING], [], 1),
        ([Severity.INFO], [], 0),
        ([Severity.INFO], ["--fail-on", "info"], 1),
        ([Severity.WARNING], ["--fail-on", "error"], 0),
        ([Severity.ERROR], ["--exit-zero"], 0),
    ],
)
def test_exit_codes(repo, checks, severities, arguments, expected):
    checks(findings=tuple(map(finding, severities)))
    assert code("check", *arguments)[0] == expected
    assert code("check", "--format", "json", *arguments)[0] == expected


def test_problems_count_only_when_strict(repo, checks):
    (repo / "good.py").touch()
    checks(problems=(Problem("train.py", "syntax", "invalid syntax"),))
    assert code("check") == (0, f"train.py: syntax: invalid syntax{UNCHECKED}\n")
    assert code("check", "--strict")[0] == 1
    assert code("check", "--strict", "--exit-zero")[0] == 0


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        *((kind, 1) for kind in ("syntax", "encoding", "io", "config", "analysis")),
        *((kind, 0) for kind in ("link", "too-large", "missing")),
    ],
)
def test_strict_counts_damage_alone(repo, checks, kind, expected):
    (repo / "good.py").touch()
    checks(problems=(Problem("x.json", kind, "told"),))
    so = UNCHECKED if kind in ("syntax", "encoding", "io", "too-large") else ""
    assert code("check", "--strict") == (expected, f"x.json: {kind}: told{so}\n")


def test_quiet_tells_of_files_that_are_damaged_and_not_of_what_healthy_trees_have(repo, checks):
    (repo / "good.py").touch()
    checks(problems=(Problem("train.py", "syntax", "invalid syntax", 3), Problem("x.py", "link", "followed")))
    assert code("check", "-q") == (0, f"train.py:3: syntax: invalid syntax{UNCHECKED}\n")


@pytest.mark.parametrize(
    ("kind", "arguments", "expected"),
    [("config", ["--strict"], "error"), ("syntax", ["--strict"], "error"), ("link", ["--strict"], "warning"),
     ("syntax", [], "warning")],
)  # fmt: skip
def test_an_annotation_is_an_error_when_it_fails_the_check(repo, checks, kind, arguments, expected):
    (repo / "good.py").touch()
    checks(problems=(Problem("x.json", kind, "told"),))
    assert code("check", "--format", "github", "--output", "out", *arguments)[0] == (expected == "error")
    assert (repo / "out").read_text().startswith(f"::{expected} file=x.json")


def test_no_readable_file_is_a_failure_whatever_else(repo, checks):
    os.truncate("train.py", 50_000_000)
    assert code("check") == (2, f"train.py: too-large: larger than 10 MB{UNCHECKED}\nno file could be read\n")
    assert code("check", "--exit-zero")[0] == 2


@pytest.fixture
def partial(repo):
    """A repository with the code in one folder and the launches in another."""
    (repo / ".git").mkdir()
    return planted(
        repo,
        {
            "code/train.py": "import models.vision\n",
            "launch/run.sh": "deepspeed code/train.py --deepspeed launch/ds.json\n",
            "launch/ds.json": "{}",
        },
    )


def planted(repo, files):
    for name, content in files.items():
        (repo / name).parent.mkdir(parents=True, exist_ok=True)
        (repo / name).write_text(content)
    return repo


PART = "only a part of this repository was read: what is elsewhere does not count, such as"


@pytest.mark.parametrize(
    ("folder", "arguments", "example", "top"),
    [
        (".", ("code",), "launch/run.sh", "."),
        (".", ("launch",), "code/train.py", "."),
        (".", ("launch/ds.json",), "launch/run.sh", "."),
        (".", ("code", "launch/ds.json"), "launch/run.sh", "."),
        ("code", (), "launch/run.sh", ".."),
        ("code", ("train.py",), "launch/run.sh", ".."),
    ],
)
def test_a_check_of_a_part_says_so(partial, checks, monkeypatch, folder, arguments, example, top):
    checks()
    monkeypatch.chdir(partial / folder)
    assert f"{PART} {example} (mmcodemod check {top} reads all)\n" in run("check", *arguments).stderr
    assert run("check", "-q", *arguments).stderr == ""
    assert PART not in run("check", "--format", "json", *arguments).output


@pytest.mark.parametrize(
    ("files", "example"),
    [
        ({"models/vision.py": ""}, "models/vision.py"),
        ({"src/models/vision.py": ""}, "src/models/vision.py"),
        ({"main.py": "from code.train import main\n"}, "main.py"),
        ({"main.py": "    import code.train as t\n"}, "main.py"),
        ({"go.sh": "torchrun --nproc_per_node 8 -m code.train\n"}, "go.sh"),
        ({"go.sh": "cd $ROOT/code && torchrun train.py\n"}, "go.sh"),
        ({"deep/go.sh": "torchrun ../code/./train.py\n"}, "deep/go.sh"),
        ({"jobs.yaml": "run: code/train.py\n"}, "jobs.yaml"),
    ],
)
def test_what_names_a_part_or_is_named_in_it_counts(partial, checks, files, example):
    checks()
    (partial / "launch/run.sh").unlink()
    assert "only a part" not in run("check", "code").stderr
    planted(partial, files)
    assert f"{PART} {example} (" in run("check", "code").stderr


def test_what_has_nothing_to_do_with_a_part_is_not_told(partial, checks):
    """Launches of files of their own that have the same names, imports of what is installed, words."""
    checks()
    (partial / "launch/run.sh").unlink()
    twin = {"train.py": "import torch, models\nfrom . import x\n", "run.sh": "cd ..; torchrun train.py\n"}
    planted(partial, {f"twin/{name}": content for name, content in twin.items()})
    planted(partial, {"data/code.json": '{"code": "mycode/train.py, abcd code, xtrain.py, train.pyc"}'})
    assert "only a part" not in run("check", "code").stderr
    assert "only a part" not in run("check", "twin").stderr


@pytest.mark.parametrize("arguments", [(), (".",), ("../repo",), ("code", "launch"), ("code", "launch/../.")])
def test_a_check_of_all_that_decides_is_whole(partial, checks, arguments):
    checks()
    assert "only a part" not in run("check", *arguments).stderr


def test_what_is_left_out_everywhere_makes_no_part(partial, checks):
    checks()
    assert PART in run("check", "code").stderr
    (partial / "mmcodemod.toml").write_text('exclude = ["launch"]\n')
    (partial / ".hidden.yaml").write_text("run: code/train.py\n")
    assert "only a part" not in run("check", "code").stderr


def test_without_a_repository_the_working_folder_is_whole(partial, checks):
    checks()
    (partial / ".git").rmdir()
    assert "only a part of this folder was read" in run("check", "code").stderr
    assert "only a part" not in run("check").stderr


def test_a_tree_without_python_whose_configuration_is_odd_was_read(repo, checks):
    (repo / "train.py").rename(repo / "run.sh")
    checks(problems=(Problem("run.sh", "missing", "ds.json is not in the tree"),))
    assert code("check")[0] == 0


def test_a_vanished_file_is_a_problem(repo, checks, monkeypatch):
    (repo / "b.py").touch()
    inner = pipeline.check

    def vanish_then_check(tree, settings):
        (repo / "b.py").unlink()
        return inner(tree, settings)

    monkeypatch.setattr(pipeline, "check", vanish_then_check)
    assert code("check") == (0, f"b.py: io: cannot be read: No such file or directory{UNCHECKED}\n")


@pytest.mark.parametrize("command", ["check", "fix", "contexts"])
def test_a_missing_path(repo, command):
    assert code(command, "nonexistent") == (2, "Error: no such file or folder: nonexistent\n")


@pytest.mark.parametrize(
    "arguments",
    [
        ["nonsense"],
        ["check", "--nonsense"],
        ["check", "--format", "xml"],
        ["check", "--select", "MM777"],
        ["check", "--ignore", "nonsense"],
        ["check", "--extend-select", "mm20x"],
        ["check", "--per-file-ignores", "tests"],
        ["check", "--per-file-ignores", "tests/*:MM777"],
        ["check", "--config", "nowhere.toml"],
        ["check", "--gpu-memory", "24"],
        ["check", "--gpu-memory", ""],
        ["fix", "--gpu-memory", "0GiB"],
        ["check", "--assume", "deepspeed"],
        ["check", "--assume", "deepspeed>=0.16"],
        ["check", "--assume", "deepspeed==0.16.*"],
        ["check", "--assume", "deepspeed==new"],
        ["check", "--assume", "deep speed==1.0"],
        ["check", "--assume", "==1.0"],
        ["check", "--assume", ""],
        ["check", "--assume", "x==1\n"],
        ["check", "--assume", "torch==2.1", "--assume", "Torch==2.2"],
        ["fix", "--assume", "deepspeed==" + "9" * 5000],
        ["contexts", "--assume", "deepspeed[x]==1.0"],
        ["check", "--output", "no/such/folder/report.txt"],
        ["explain", "MM777"],
    ],
)
def test_bad_arguments(repo, checks, monkeypatch, arguments):
    monkeypatch.setattr("mmcodemod.cli.explain.known_rules", lambda codemods: NAMES)
    monkeypatch.setattr("mmcodemod.engine.registry.rules", lambda codemods=(): ())
    status, errors = code(*arguments)
    assert status == 2
    assert "Error: " in errors and "Traceback" not in errors


def test_near_misses_are_named(repo):
    assert "did you mean MM201" in code("check", "--select", "MM210")[1]


@pytest.mark.parametrize(
    ("asked", "near"),
    [
        ("MM31X", " (did you mean MM310, MM311, MM312?)"),
        ("mm31x", " (did you mean MM310, MM311, MM312?)"),
        ("MM777", ""),
        ("E501", ""),
        ("M303", " (did you mean MM303?)"),
        ("ds-gradient-cliping-absent", " (did you mean ds-gradient-clipping-absent?)"),
    ],
)
def test_what_is_near_begins_alike(asked, near):
    assert f"no rule is called {asked!r}{near}\n" in code("explain", asked)[1]


def test_codes_in_small_letters(repo, checks):
    calls = checks()
    pages = [run("explain", name).stdout for name in ("mm303", "DS-gradient-clipping-absent")]
    assert pages == [run("explain", "MM303").stdout] * 2 and pages[0].startswith("# MM303")
    run("check", "--select", "mm3,all", "--ignore", "mm303")
    assert (calls[0].select, calls[0].ignore) == (("MM3", "MM"), ("MM303",))


def test_a_page_that_refers_to_the_proofs_says_what_they_are():
    """Who installed the package has no docs/."""
    proved, other = run("explain", "MM303").stdout, run("explain", "MM203").stdout
    assert "(docs/proofs.md" in proved and "(docs/proofs.md" not in other
    said = [line for line in proved.splitlines() if line.startswith("docs/proofs.md lies in the repository")]
    assert len(said) == 1 and "docs/proofs.md lies in" not in other


@pytest.mark.parametrize(
    ("arguments", "instead"),
    [
        (("check", "--fix"), "use `mmcodemod fix`"),
        (("check", "--json"), "use --format json"),
        (("check", "--exclude", "x"), "exclude is a key of the configuration"),
        (("fix", "--write"), "use --apply"),
        (("fix", "--check", "."), "without --apply it writes nothing and exits with 1"),
    ],
)
def test_options_that_others_have_lead_to_what_stands_for_them(arguments, instead):
    status, errors = code(*arguments)
    assert status == 2 and f"No such option: {arguments[1]} ({instead}" in errors


def test_other_misspelt_options_are_told_as_before():
    errors = code("check", "--selec", "MM3")[1]
    assert "--selec" in errors and "Did you mean" in errors
    assert run("-V").stdout == run("--version").stdout != ""


def test_selection_reaches_the_pipeline(repo, checks):
    calls = checks()
    selected = ["--select", "MM2,ds-gradient-clipping-absent", "--extend-select", "MM901"]
    run("check", *selected, "--ignore", "MM201")
    run("check", "--per-file-ignores", "tests/*:MM2,tests/*:MM303", "--per-file-ignores", "a.py:MM901")
    assert (calls[0].select, calls[0].ignore) == (("MM2", "MM303", "MM901"), ("MM201",))
    assert calls[1].select == ("MM",)
    assert calls[1].per_file_ignores == {"a.py": ("MM901",), "tests/*": ("MM2", "MM303")}


def test_assumed_versions_reach_the_pipeline(repo, checks):
    calls = checks()
    run("check", "--assume", "DeepSpeed == 0.16.9", "--assume", "torch==2.1.2+cu121")
    assert calls[0].assume == {"deepspeed": "0.16.9", "torch": "2.1.2+cu121"}
    run("check", "--assume", "torch==2.1", "--assume", "Torch==2.1")
    assert calls[1].assume == {"torch": "2.1"}


def test_the_memory_of_a_gpu_reaches_the_pipeline(repo, checks):
    pytest.importorskip("tomllib")
    calls = checks()
    run("check")
    run("check", "--gpu-memory", "24GiB")
    (repo / "mmcodemod.toml").write_text('gpu-memory = "80GB"\n')
    run("check")
    run("check", "--gpu-memory", "1.5 GiB")
    assert [c.gpu_memory for c in calls] == [0, 24 * 2**30, 80 * 10**9, 3 * 2**29]


def test_assumed_versions_of_the_configuration_and_the_command_line(repo, checks):
    pytest.importorskip("tomllib")
    (repo / "mmcodemod.toml").write_text('assume = ["deepspeed==0.14.0", "Torch==2.0"]\n')
    calls = checks()
    run("check", "--assume", "deepspeed==0.16.9")
    assert calls[0].assume == {"deepspeed": "0.16.9", "torch": "2.0"}


def test_configuration_is_found_upward_and_the_command_line_wins(repo, checks):
    pytest.importorskip("tomllib")
    (repo / "pyproject.toml").write_text(
        '[tool.mmcodemod]\nselect = ["MM2"]\nfail-on = "error"\nexclude = ["old"]\n'
        'per-file-ignores = {"a.py" = ["MM303"]}\n'
    )
    (repo / "pkg" / "old").mkdir(parents=True)
    (repo / "pkg" / "old" / "x.py").touch()
    (repo / "pkg" / "y.py").touch()
    calls = checks(findings=(finding(Severity.WARNING),))
    assert code("check", "pkg")[0] == 0
    assert code("check", "pkg", "--select", "MM3", "--fail-on", "warning")[0] == 1
    assert [c.select for c in calls] == [("MM2",), ("MM3",)]
    assert calls[0].per_file_ignores == {"a.py": ("MM303",)}


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ('[tool.mmcodemod]\nselct = ["MM2"]', "unknown key 'selct'"),
        ('[tool.mmcodemod]\nselect = "MM2"', "'select' is not a list"),
        ('[tool.mmcodemod]\ncodemods = ["x"]', "unknown key 'codemods'"),
        ('[tool.mmcodemod]\nfail-on = "never"', "'fail-on' is one of"),
        ('[tool.mmcodemod]\nselect = ["MM777"]', "no rule is called 'MM777'"),
        ("[tool.mmcodemod", "not valid TOML"),
        ('[tool.mmcodemod]\nassume = ["torch>=2"]', "pyproject.toml:2: 'assume' wants NAME==VERSION"),
        ('[tool.mmcodemod]\nassume = "torch==2"', "'assume' is not a list"),
        ("[tool.mmcodemod]\ngpu-memory = 24", "'gpu-memory' is not a string"),
        ('[tool.mmcodemod]\ngpu-memory = "24"', "pyproject.toml:2: 'gpu-memory' wants a size with a unit"),
        ("tool = {mmcodemod = 1}", "not a table"),
    ],
)
def test_wrong_configuration(repo, checks, text, part):
    pytest.importorskip("tomllib")
    (repo / "pyproject.toml").write_text(text)
    status, errors = code("check")
    assert (status, part in errors) == (2, True)


def test_configuration_of_others_is_not_read(repo, checks):
    (repo / "pyproject.toml").write_text("[broken")
    assert code("check")[0] == 0
    (repo / "pyproject.toml").unlink()
    os.mkfifo(repo / "mmcodemod.toml")
    assert code("check") == (2, f"Error: {repo / 'mmcodemod.toml'}: not a regular file\n")


def test_without_toml_the_message_says_what_helps(repo, checks, monkeypatch):
    monkeypatch.setitem(sys.modules, "tomllib", None)
    monkeypatch.setitem(sys.modules, "tomli", None)
    (repo / "pyproject.toml").write_text('[project]\nname = "mmcodemod-user"\n')
    assert code("check")[0] == 0
    (repo / "mmcodemod.toml").write_text('select = ["MM2"]')
    assert "needs Python 3.11, or the `tomli` package" in code("check")[1]


def test_an_empty_repository(tmp_path, checks, repo):
    (tmp_path / "empty").mkdir()
    result = run("check", str(tmp_path / "empty"))
    assert (result.return_value, result.stdout[:16]) == (0, "nothing to check")
    in_json = run("check", "--format", "json", str(tmp_path / "empty"))
    assert json.loads(in_json.stdout)["findings"] == []
    assert in_json.stderr.startswith("nothing was checked: ") and in_json.stderr.count("\n") == 1


@pytest.mark.parametrize("format", ["text", "json"])
def test_files_in_which_nothing_is_checked_are_no_clean_bill(repo, format):
    (repo / "README.md").write_text("# words\n")
    done = run("check", "--format", format, "README.md")
    told = "nothing was checked: no Python, configuration or launch script in README.md\n"
    assert (done.return_value, done.stderr) == (0, told)
    assert run("check", "-q", "README.md").stderr == ""


@pytest.mark.parametrize(
    ("name", "text"), [("ds.json", "{}\n"), ("run.sh", "echo\n"), ("Makefile", "all:\n"), ("train.py", "")]
)
def test_a_configuration_or_a_launch_is_checked(repo, name, text):
    (repo / name).write_text(text)
    assert "nothing was checked" not in run("check", name).stderr


def test_report_to_a_file(repo, checks):
    checks(findings=(finding(),))
    result = run("check", "--output", "out.json", "--format", "json")
    assert (result.return_value, result.stdout) == (1, "")
    written = json.loads((repo / "out.json").read_text())
    assert written["findings"][0]["name"] == "modality-conditional-forward"
    assert re.fullmatch(r"wrote out.json: 1 error · 1 file in \d+\.\d s\n", result.stderr)
    assert run("check", "--output", "out.json", "--format", "json", "-q").stderr == ""


def test_a_page_is_not_poured_into_a_terminal(repo):
    told = "a terminal shows no page: give it a file with --output report.html"
    assert on_terminal("check", "--format", "html") == (2, f"Error: {told}\n")
    assert on_terminal("check", "--format", "html", "--output", "out.html")[0] == 0
    assert on_terminal("check", "--format", "json") == (0, "")
    page = run("check", "--format", "html").stdout
    assert page.startswith((repo / "out.html").read_text()[:15])


def test_statistics_profile_and_verbose(repo, checks):
    checks(findings=(finding(), finding()), stats=Stats(1, 1, 1, {"index": 0.5}))
    assert run("check", "--statistics").stdout == "    2  MM201  modality-conditional-forward\n"
    assert "0.500 s  index" in run("check", "--profile").stderr
    assert "seconds" in json.loads(run("check", "--profile", "--format", "json").stdout)["stats"]
    assert f"root {repo}" in run("check", "-v").stderr


def test_colour(repo, checks):
    checks(findings=(finding(),))
    assert "\x1b[" not in run("check").stdout
    assert "\x1b[" in run("check", "--color", "always").stdout
    assert "\x1b[" not in run("check", "--color", "never").stdout


def test_check_writes_nothing(repo, checks):
    checks(findings=(finding(),))
    run("check")
    assert os.listdir(repo) == ["train.py"]


@pytest.fixture
def fixes(monkeypatch):
    """Makes `pipeline.fix` turn `x = 1` into `x = 2`."""
    edit = Edit("train.py", (1, 5), (1, 6), "2")
    gone = finding(fix=Fix("set x", Applicability.SAFE, (edit,)))

    def fix(tree, settings, unsafe, contexts=(), plan=None):
        assert tree.read_bytes("train.py") == b"x = 1\n"
        left = () if unsafe else (finding(fix=Fix("more", Applicability.UNSAFE, (edit,))),)
        return FixResult({"train.py": b"x = 2\n"}, (gone,), left, (), (gone,))

    monkeypatch.setattr(pipeline, "fix", fix)
    return fix


def test_fix_previews_without_writing(repo, fixes):
    result = run("fix")
    assert result.return_value == 1
    assert result.stdout == "--- a/train.py\n+++ b/train.py\n@@ -1 +1 @@\n-x = 1\n+x = 2\n"
    assert result.stderr == (
        "train.py:1  MM201 modality-conditional-forward: set x\n\n"
        "\nnot fixed\n  MM201 modality-conditional-forward: needs --unsafe: more\n    train.py:1\n"
        "would fix 1 finding in 1 file (--apply writes them) · 1 finding left, 1 fixable with --unsafe\n"
    )
    assert (repo / "train.py").read_text() == "x = 1\n"


def test_fix_applies(repo, fixes):
    assert run("fix", "--apply").return_value == 1
    assert (repo / "train.py").read_text() == "x = 2\n"
    (repo / "train.py").write_text("x = 1\n")
    result = run("fix", "--apply", "--unsafe")
    assert result.return_value == 0
    assert result.stdout == (
        "fixed\n  train.py:1  MM201 modality-conditional-forward: set x\n  mmcodemod explain MM201\n"
    )
    assert result.stderr == "fixed 1 finding in 1 file\n"


def test_fix_as_json(repo, fixes):
    parsed = json.loads(run("fix", "--format", "json").stdout)
    assert parsed["changed"] == ["train.py"]
    keys = ("applied", "fixed", "left", "refused", "problems")
    assert [len(parsed[key]) for key in keys] == [1, 1, 1, 0, 0]


def test_fix_leaves_a_file_that_changed_meanwhile(repo, fixes, monkeypatch):
    def fix_while_somebody_edits(tree, settings, unsafe, contexts, plan):
        result = fixes(tree, settings, True)
        (repo / "train.py").write_text("x = 3\n")
        return result

    monkeypatch.setattr(pipeline, "fix", fix_while_somebody_edits)
    result = run("fix", "--apply", "--unsafe")
    assert result.return_value == 1
    assert "train.py: fix: not fixed: it changed since it was read" in result.stderr
    assert (repo / "train.py").read_text() == "x = 3\n"


def test_a_fix_of_two_files_is_not_half_written(repo, monkeypatch):
    (repo / "run.sh").write_text("a\n")
    (repo / "other.py").write_text("o\n")
    edits = tuple(Edit(path, (1, 1), (1, 1), "new") for path in ("train.py", "run.sh"))
    two = finding(fix=Fix("both", Applicability.SAFE, edits))
    one = finding(
        path="other.py", fix=Fix("one", Applicability.SAFE, (Edit("other.py", (1, 1), (1, 1), "n"),))
    )
    changed = {"train.py": b"x\n", "run.sh": b"b\n", "other.py": b"no\n"}

    def fix(tree, *_):
        for path in changed:
            tree.read_bytes(path)
        (repo / "run.sh").write_text("somebody's\n")
        return FixResult(changed, (two, one), (), (), (two, one))

    monkeypatch.setattr(pipeline, "fix", fix)
    result = run("fix", "--apply")
    assert (repo / "train.py").read_text() == "x = 1\n"
    assert (repo / "run.sh").read_text() == "somebody's\n"
    assert (repo / "other.py").read_text() == "no\n"
    assert "fixed 1 finding in 1 file · 1 finding left" in result.stderr and result.return_value == 1


def test_an_unexpected_error_is_not_taken_for_findings(repo, monkeypatch):
    def fail(tree, settings):
        raise ZeroDivisionError("boom")

    monkeypatch.setattr(pipeline, "check", fail)
    status, errors = code("check")
    assert (status, "boom" in errors, "please report" in errors) == (2, True, True)


def shell(*arguments, cwd, python=("-m", "mmcodemod")):
    env = {**os.environ, "PYTHONPATH": str(SOURCE)}
    command = [sys.executable, *python, *arguments]
    return subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, timeout=60)


def test_modules_of_the_analysed_folder_are_not_imported(tmp_path):
    for name in ("yaml", "click", "libcst", "networkx", "codemods", "json", "tokenize"):
        (tmp_path / f"{name}.py").write_text("print('evil was here')\n")
    for arguments in (["--version"], ["explain", "MM901"], ["check"]):
        assert "evil was here" not in shell(*arguments, cwd=tmp_path).stdout
    assert shell("--version", cwd=tmp_path).stdout == "mmcodemod, version 0.1.0\n"


@pytest.mark.parametrize("arguments", [["--version"], ["explain", "MM901"], ["--help"]])
def test_answers_at_once_without_heavy_imports(tmp_path, arguments):
    script = (
        "import sys\nfrom mmcodemod.cli.main import main\n"
        f"try:\n    main({arguments!r})\nfinally:\n"
        "    print({'libcst', 'networkx', 'yaml', 'importlib.metadata'} & set(sys.modules))\n"
    )
    assert shell(cwd=tmp_path, python=("-c", script)).stdout.endswith("set()\n")


def test_the_version_is_that_of_the_package():
    pyproject = SOURCE.parent / "pyproject.toml"
    version = shell("--version", cwd="/").stdout.split()[-1]
    assert f'version = "{version}"' in pyproject.read_text()


def test_a_reader_who_leaves_early_is_no_error(tmp_path):
    env = {**os.environ, "PYTHONPATH": str(SOURCE)}
    command = [sys.executable, "-m", "mmcodemod", "explain", "MM901"]
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(command, cwd=tmp_path, env=env, stdout=writer, stderr=subprocess.PIPE, text=True)
    os.close(writer)
    assert (done.returncode, done.stderr) == (0, "")


def test_ctrl_c_ends_cleanly(tmp_path):
    script = (
        "import time\nfrom mmcodemod.cli import main, session\n"
        "session.start = lambda o: (print('ready', flush=True), time.sleep(30))\nmain.main(['check'])\n"
    )
    env = {**os.environ, "PYTHONPATH": str(SOURCE)}
    process = subprocess.Popen(
        [sys.executable, "-c", script],
        cwd=tmp_path,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),  # ignored in some jobs
    )
    assert process.stdout.readline() == b"ready\n"
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=20)
    assert (process.returncode, errors) == (130, b"\ninterrupted\n")


BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{chr(98 + i)}: &{chr(98 + i)} [{', '.join([f'*{chr(97 + i)}'] * 9)}]\n" for i in range(20)
)


def hostile_tree(root):
    """A repository in which everything is wrong; `train.py` alone is good."""
    files = {
        "train.py": b"import torch\n\ndef main():\n    pass\n\nmain()\n",
        "broken.py": b"def f(:\n",
        "newer.py": b"type X[**P = [int]] = int\ntry:\n    pass\nexcept A, B:\n    pass\n",
        "latin.py": b"x = '\xe9'\n",
        "declared.py": b"# -*- coding: latin-1 -*-\nx = '\xe9'\n",
        "nonsense_coding.py": b"# -*- coding: no-such -*-\n",
        "nul.py": b"x = '\0'\n",
        "chain.py": b"x = " + b" + ".join([b"1"] * 5000) + b"\n",
        "nested.py": b"x = " + b"(" * 300 + b")" * 300 + b"\n",
        "empty.py": b"",
        "bom.py": b"\xef\xbb\xbfx = 1\r\n",
        "bad.json": b'{"zero_optimization": {"stage": 3,',
        "deep.json": b"[" * 200_000,
        "odd.json": b'{"a": NaN, "a": 1e999, "b": "\\ud800"}',
        "list.json": b"[1, 2]",
        "bad.yaml": b"a: [1, 2\nb: }\n",
        "bomb.yaml": BOMB.encode(),
        "tag.yaml": b"a: !!python/object/apply:os.system ['touch owned']\n",
        "self.yaml": b"a: &a [*a]\n",
        "bad.toml": b"[[[",
        "run.sh": b"deepspeed train.py --deepspeed 'unclosed\n",
        "setup.cfg": b"no section\n",
    }
    for name, data in files.items():
        (root / name).write_bytes(data)
    (root / "folder.py").mkdir()
    (root / "loop").symlink_to(root)
    (root / "out.py").symlink_to("/etc/passwd")
    os.mkfifo(root / "pipe.py")
    (root / "huge.py").touch()
    os.truncate(root / "huge.py", 50_000_000)


@needs_pipeline
def test_a_hostile_tree_is_checked_and_every_problem_is_told(tmp_path):
    hostile_tree(tmp_path)
    begun = time.monotonic()
    done = shell("check", "--format", "json", cwd=tmp_path)
    assert time.monotonic() - begun < 20
    assert done.returncode in (0, 1), done.stderr
    assert "Traceback" not in done.stderr
    problems = {(p["path"], p["kind"]) for p in json.loads(done.stdout)["problems"]}
    assert {
        ("broken.py", "syntax"),
        ("huge.py", "too-large"),
        ("pipe.py", "io"),
        ("loop", "link"),
        ("out.py", "link"),
    } <= problems
    assert {"latin.py", "nonsense_coding.py", "nul.py"} <= {path for path, _ in problems}
    assert not {path for path, _ in problems} & {"train.py", "declared.py", "empty.py", "bom.py"}
    assert not (tmp_path / "owned").exists()


@needs_pipeline
@pytest.mark.parametrize("name", ["latin.py", "nonsense_coding.py"])
def test_undecodable_files_are_an_encoding_problem(tmp_path, name):
    hostile_tree(tmp_path)
    problems = json.loads(shell("check", "--format", "json", name, cwd=tmp_path).stdout)["problems"]
    assert [p["kind"] for p in problems] == ["encoding"]


@needs_pipeline
def test_a_hostile_tree_gives_the_same_bytes_twice(tmp_path):
    hostile_tree(tmp_path)
    runs = [shell("check", "--format", "json", cwd=tmp_path).stdout for _ in range(2)]
    assert runs[0] == runs[1]


@needs_pipeline
@pytest.mark.parametrize("name", ["broken.py", "latin.py", "pipe.py", "out.py", "huge.py"])
def test_one_unreadable_file_alone_is_a_failure(tmp_path, name):
    hostile_tree(tmp_path)
    done = shell("check", name, cwd=tmp_path)
    assert (done.returncode, name in done.stderr) == (2, True)


@needs_pipeline
@pytest.mark.parametrize("command", ["check", "fix", "contexts"])
def test_every_command_survives_the_hostile_tree(tmp_path, command):
    hostile_tree(tmp_path)
    done = shell(command, cwd=tmp_path)
    assert done.returncode in (0, 1), done.stderr
    assert "Traceback" not in done.stderr


def test_per_file_ignores_replace_and_extend(repo, checks):
    pytest.importorskip("tomllib")
    (repo / "mmcodemod.toml").write_text('per-file-ignores = {"a.py" = ["MM2"]}\n')
    calls = checks()
    run("check", "--per-file-ignores", "b.py:MM3")
    run("check", "--extend-per-file-ignores", "a.py:MM3,b.py:MM2")
    assert calls[0].per_file_ignores == {"b.py": ("MM3",)}
    assert calls[1].per_file_ignores == {"a.py": ("MM2", "MM3"), "b.py": ("MM2",)}


def test_patterns_are_relative_to_the_configuration_else_to_the_working_folder(repo, checks):
    (repo / "pkg").mkdir()
    (repo / "pkg" / "y.py").touch()
    calls = checks()
    run("check", "pkg")
    run("check")
    run("check", "..")
    (repo / "pkg" / "mmcodemod.toml").write_text("")
    run("check", "pkg")
    assert [c.base for c in calls] == ["pkg", "", "", ""]


def test_verbose_names_patterns_that_do_nothing(repo, checks):
    pytest.importorskip("tomllib")
    (repo / "old").mkdir()
    (repo / "old" / "x.py").touch()
    text = 'exclude = ["old", "older"]\nper-file-ignores = {"train.py" = ["MM2"], "trian.py" = ["MM2"]}\n'
    (repo / "mmcodemod.toml").write_text(text)
    errors = run("check", "-v").stderr
    assert "per-file-ignores: 'trian.py' matches no file" in errors and "'train.py'" not in errors
    assert "exclude: 'older' leaves nothing out" in errors and "'old'" not in errors
    assert "matches" not in run("check").stderr


def test_all_mistakes_of_the_configuration_are_told_at_once(repo, checks):
    pytest.importorskip("tomllib")
    (repo / "mmcodemod.toml").write_text('selct = []\nignore = ["MM777"]\n')
    status, errors = code("check")
    first, second = errors.splitlines()
    assert status == 2 and "mmcodemod.toml:1: unknown key 'selct'" in first
    assert "mmcodemod.toml:2: 'ignore': no rule is called 'MM777'" in second
