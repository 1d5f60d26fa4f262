"""`mmcodemod fix` on real files: what it writes, says and asks."""

from __future__ import annotations

import json
import os
import subprocess

import pytest
from click.testing import CliRunner

from mmcodemod import pipeline
from mmcodemod.cli import dialog
from mmcodemod.cli.main import commands
from mmcodemod.cli.main import main as real_main
from mmcodemod.engine.ignoring import Ignoring
from mmcodemod.model.finding import Finding
from mmcodemod.model.fix import Edit, Fix, apply_edits
from mmcodemod.model.grade import Applicability, Severity
from mmcodemod.model.place import Place
from mmcodemod.report import fixes
from mmcodemod.source.tree import text_tree

DS = '{"zero_optimization": {"stage": 2}}\n'
CLIPPED = '{"zero_optimization": {"stage": 2}, "gradient_clipping": "auto"}\n'
TREE = {
    "a.json": DS,
    "b.json": DS,
    "one.sh": "deepspeed train.py --deepspeed a.json\n",
    "two.sh": "deepspeed train.py --deepspeed b.json --bf16 True\n",
    "train.py": (
        "from transformers import HfArgumentParser, Trainer, TrainingArguments\n\n"
        "(args,) = HfArgumentParser(TrainingArguments).parse_args_into_dataclasses()\n"
        "Trainer(model=None, args=args).train()\n"
    ),
    "requirements.txt": "deepspeed==0.14.4\ntransformers==4.44.0\n",
}


@pytest.fixture
def repo(tmp_path, monkeypatch):
    folder = tmp_path / "repo"
    folder.mkdir()
    for name, text in TREE.items():
        (folder / name).write_text(text)
    monkeypatch.chdir(folder)
    return folder


def run(*arguments, answers="", env=None):
    environment = {"NO_COLOR": "1", **(env or {})}
    return CliRunner().invoke(
        commands, ["fix", *arguments], input=answers, env=environment, standalone_mode=False
    )


def refused(*arguments):
    """The usage error of the whole command."""
    runner = CliRunner()
    with runner.isolation() as streams, pytest.raises(SystemExit) as caught:
        real_main(["fix", *arguments])
    assert caught.value.code == 2
    return streams[1].getvalue().decode()


def texts(repo):
    return {name: (repo / name).read_text() for name in TREE}


def test_apply_says_what_was_done_in_the_words_of_the_preview(repo):
    preview = run().stderr.split("\n\n")[0].splitlines()
    result = run("--apply")
    assert texts(repo) == {**TREE, "a.json": CLIPPED, "b.json": CLIPPED}
    assert preview == [
        f'{name}.json:1  MM303 ds-gradient-clipping-absent: add "gradient_clipping": "auto"' for name in "ab"
    ]
    done = "".join(f"  {line}\n" for line in preview)
    assert result.stdout == f"fixed\n{done}  mmcodemod explain MM303\n"
    assert result.stderr == "fixed 2 findings in 2 files\n" and result.return_value == 0


def test_apply_twice_changes_nothing(repo):
    run("--apply")
    result = run("--apply")
    assert (result.stdout, result.stderr, result.return_value) == ("", "nothing to fix\n", 0)


def test_what_is_printed_does_not_steer_the_terminal(repo):
    os.rename("a.json", "a\x1b[31m.json")
    (repo / "one.sh").write_text("deepspeed train.py --deepspeed 'a\x1b[31m.json'\n")
    result = run("--apply")
    assert "\x1b" not in result.stdout and "a\\x1b[31m.json:1  MM303" in result.stdout


def test_diff_shows_and_fails_only_when_something_would_change(repo):
    result = run("--diff")
    assert result.return_value == 1 and result.stdout.startswith("--- a/a.json\n")
    assert texts(repo) == TREE
    assert run("--diff", "--exit-zero").return_value == 0
    run("--apply")
    assert (run("--diff").return_value, run("--diff").stdout) == (0, "")


@pytest.mark.parametrize("other", ["--apply", "--interactive"])
def test_diff_and_writing_contradict(repo, other):
    assert "--diff writes nothing" in refused("--diff", other)


def test_select(repo):
    assert run("--apply", "--select", "MM2").stderr == "nothing to fix\n"
    assert texts(repo) == TREE


@pytest.fixture
def spare(repo):
    """A configuration that nothing launches: what is found there is a note."""
    (repo / "spare.json").write_text(DS)
    return repo / "spare.json"


@pytest.mark.parametrize(
    "arguments",
    [("--select", "MM1, MM303"), ("--select", "ds-gradient-clipping-absent"), ("--fail-on", "info")],
)
def test_notes_are_mended_where_the_user_asks_for_them(spare, arguments):
    result = run("--apply", *arguments)
    assert spare.read_text() == CLIPPED
    assert (result.return_value, result.stderr) == (0, "fixed 3 findings in 3 files\n")


@pytest.mark.parametrize(
    "arguments", [(), ("--select", "MM3"), ("--select", "ALL"), ("--select", "MM30"), ("--fail-on", "error")]
)
def test_notes_are_left_otherwise(spare, arguments):
    result = run("--apply", *arguments)
    assert spare.read_text() == DS
    assert result.stderr == "fixed 2 findings in 2 files · 1 finding left, 1 note\n"


def test_a_configuration_that_selects_a_rule_asks_for_no_notes(spare):
    (spare.parent / "mmcodemod.toml").write_text('select = ["MM303"]\n')
    run("--apply")
    assert spare.read_text() == DS


def test_notes_that_are_asked_for_are_asked_about(spare, person):
    result = run("--interactive", "--select", "MM303", answers="s\ns\na\n")
    assert "[3/3] spare.json:1" in result.stderr and spare.read_text() == CLIPPED


@pytest.mark.parametrize("name", ["one.sh", "one.sh:1"])
def test_one_context(repo, name):
    result = run("--apply", "--context", name)
    assert texts(repo) == {**TREE, "a.json": CLIPPED}
    assert (result.return_value, result.stderr) == (0, "fixed 1 finding in 1 file\n")


def test_several_contexts(repo):
    run("--apply", "--context", "one.sh", "--context", "two.sh:1")
    assert texts(repo) == {**TREE, "a.json": CLIPPED, "b.json": CLIPPED}


def test_an_unknown_context_is_a_usage_error(repo):
    assert "no training context is called 'on.sh' (did you mean one.sh" in refused("--context", "on.sh")
    assert "`mmcodemod contexts` lists them" in refused("--context", "zzz")


def test_a_patch_takes_it_back(repo, tmp_path):
    patch = tmp_path / "my fix.patch"
    run("--apply", "--patch", str(patch))
    assert texts(repo) != TREE
    subprocess.run(["git", "apply", "--reverse", str(patch)], cwd=repo, check=True)
    assert texts(repo) == TREE
    assert sorted(os.listdir(tmp_path)) == ["my fix.patch", "repo"]


def test_a_patch_of_a_preview(repo, tmp_path):
    patch = tmp_path / "fix.patch"
    assert run("--patch", str(patch)).stdout.encode() == patch.read_bytes()
    assert texts(repo) == TREE
    subprocess.run(["git", "apply", str(patch)], cwd=repo, check=True)
    assert texts(repo) == {**TREE, "a.json": CLIPPED, "b.json": CLIPPED}


def test_a_patch_on_standard_output(repo):
    """Nothing else is there, so that it can be piped."""
    result = run("--apply", "--patch", "-")
    subprocess.run(["git", "apply", "--reverse"], input=result.stdout.encode(), cwd=repo, check=True)
    assert texts(repo) == TREE
    assert "standard output" in refused("--patch", "-", "--format", "json")


def test_a_patch_that_cannot_be_written_stops_before_anything_is(repo):
    assert "cannot write no/such/x.patch" in refused("--apply", "--patch", "no/such/x.patch")
    assert texts(repo) == TREE


def test_a_refused_fix_is_told_with_its_reason(repo, monkeypatch):
    real = pipeline.check

    def stubborn(tree, settings):
        report = real(tree, settings)
        edit = Edit("train.py", (1, 1), (1, 1), "import os\n")
        fix = Fix("import os", Applicability.SAFE, (edit,))
        stuck = Finding("MM303", Place("train.py", 2), "Stays.", Severity.ERROR, fix=fix, anchor="stuck")
        return type(report)((*report.findings, stuck), contexts=report.contexts)

    monkeypatch.setattr(pipeline, "check", stubborn)
    result = run("--apply")
    assert texts(repo) == {**TREE, "a.json": CLIPPED, "b.json": CLIPPED}
    assert "\nnot fixed\n  MM303 ds-gradient-clipping-absent: its fix does not hold: the" in result.stdout
    assert result.stdout.endswith("\n    train.py:2\n")
    assert "was not applied" not in result.stderr and result.return_value == 1
    preview = run().stderr.splitlines()
    assert preview[-2] == "    train.py:2"
    assert preview[-1].endswith(" · 1 finding left, 1 whose fix does not hold")


def test_every_finding_that_is_left_is_counted_once():
    edit = Edit("a", (1, 1), (1, 1), "x")

    def one(line, severity=Severity.ERROR, applicability=None):
        fix = Fix("do it", applicability, (edit,)) if applicability else None
        return Finding("MM303", Place("a", line), "Bad.", severity, fix=fix)

    unsafe = [one(line, applicability=Applicability.UNSAFE) for line in (1, 2)]
    others = [one(3), one(4, applicability=Applicability.DISPLAY), one(5, Severity.INFO)]
    stuck = one(6, applicability=Applicability.SAFE)
    outcome = fixes.Outcome({}, (), (), (*unsafe, *others, stuck), [(stuck, "why")])
    assert fixes.summary(outcome, applied=True) == (
        "nothing to fix · 6 findings left, 2 fixable with --unsafe, 1 by hand, 1 whose fix does not hold, "
        "1 without a fix, 1 note"
    )
    left = [line for line in fixes.not_fixed(outcome, {}) if line.startswith("    ")]
    assert left == ["    a:1, a:2", "    a:3", "    a:4", "    a:6"]


def test_a_reason_not_to_fix_is_said_once_within_the_width_with_all_its_places():
    title = "count such samples and stop when there are more than a few; then let them agree"
    fix = Fix(title, Applicability.DISPLAY, ())
    left = [Finding("MM211", Place("train.py", n), "Bad.", Severity.WARNING, fix=fix) for n in (402, 576, 88)]
    lines = fixes.not_fixed(fixes.Outcome({}, (), (), tuple(left)), {"MM211": "masked"}, columns=60)
    assert lines == [
        "not fixed",
        "  MM211 masked: by hand: count such samples and stop when",
        "  there are more than a few; then let them agree",
        "    train.py:88, train.py:402, train.py:576",
    ]


def test_a_fix_of_another_file_names_it():
    edit = Edit("run.sh", (1, 1), (1, 1), "x")
    fix = Fix("do it", Applicability.SAFE, (edit,))
    one = Finding("MM303", Place("a", 2), "Bad.", Severity.ERROR, fix=fix)
    assert fixes.planned(fixes.Outcome({}, (one,), (one,), ()), {}) == ["a:2  MM303: do it (changes run.sh)"]


def test_a_finding_that_another_fix_mends_is_told_so():
    own = Finding("MM303", Place("a", 2), "Bad.", Severity.ERROR, fix=Fix("do it", Applicability.SAFE, ()))
    other = Finding("MM304", Place("a", 1), "Bad.", Severity.ERROR)
    outcome = fixes.Outcome({}, (own,), (own, other), ())
    assert fixes.planned(outcome, {"MM303": "name"}) == [
        "a:1  MM304: gone with another fix",
        "a:2  MM303 name: do it",
    ]


# -- the dialog -------------------------------------------------------------------------------------------


@pytest.fixture
def person(monkeypatch):
    monkeypatch.setattr(dialog, "can_ask", lambda: True)


def test_without_a_terminal_nobody_is_asked(repo):
    assert "asks in a terminal" in refused("--interactive")


def test_apply_one_and_skip_one(repo, person):
    result = run("--interactive", answers="a\ns\n")
    assert texts(repo) == {**TREE, "a.json": CLIPPED}
    assert "[1/2] a.json:1:" in result.stderr and "[2/2] b.json:1:" in result.stderr
    assert "how the run gets here" in result.stderr and '+{"zero_optimization"' in result.stderr
    assert "Apply this fix [a,s,q,?]? " in result.stderr, "JSON takes no comments: no `i`"
    assert result.stdout.startswith("fixed\n  a.json:1  MM303") and "not chosen: add" in result.stdout
    assert result.return_value == 1


@pytest.mark.parametrize("answers", ["a\nq\n", "a\n", "x\n?\na\n\n"])
def test_what_was_accepted_is_written(repo, person, answers):
    """Also at the end of the input; and what is no answer gets help."""
    result = run("--interactive", answers=answers)
    assert texts(repo) == {**TREE, "a.json": CLIPPED}
    assert ("apply: write this fix" in result.stderr) == ("?" in answers)


def test_quit_at_once(repo, person):
    result = run("--interactive", answers="q\n")
    assert texts(repo) == TREE
    assert "[2/2]" not in result.stderr and "nothing accepted" in result.stderr


def test_an_interrupt_writes_nothing(repo, person, monkeypatch):
    def interrupted(question):
        raise KeyboardInterrupt

    monkeypatch.setattr(dialog, "ask", interrupted)
    run("--interactive")
    assert texts(repo) == TREE


def test_only_findings_of_the_context_are_asked_about(repo, person):
    assert "[1/1] b.json" in run("--interactive", "--context", "two.sh", answers="a\n").stderr
    assert texts(repo) == {**TREE, "b.json": CLIPPED}


CALL = """import torch.distributed as dist


def save(model):
    if dist.get_rank() == 0:
        dist.barrier()
"""


def test_ignore_writes_a_comment_that_silences(repo, person):
    (repo / "train.py").write_text(CALL + "\n\nsave(None)\n" + TREE["train.py"])
    (repo / "mmcodemod.toml").write_text("preview = true\n")
    found = json.loads(
        CliRunner().invoke(commands, ["check", "--format", "json"], standalone_mode=False).stdout
    )
    (barrier,) = [f for f in found["findings"] if f["path"] == "train.py"]
    answers = "".join("i\nonly \x1b one rank\n" if f is barrier else "s\n" for f in found["findings"])
    result = run("--interactive", answers=answers)
    lines = (repo / "train.py").read_text().splitlines()
    comment = lines[barrier["line"] - 1]
    assert comment.strip() == f"# mmcodemod: ignore[{barrier['rule']}] only one rank"
    assert f"ignore {barrier['rule']} here" in result.stdout
    again = json.loads(
        CliRunner().invoke(commands, ["check", "--format", "json"], standalone_mode=False).stdout
    )
    assert [f["rule"] for f in again["findings"]] == [
        f["rule"] for f in found["findings"] if f is not barrier
    ]


def ignored(path, text, line, rule="MM201"):
    tree = text_tree({path: text})
    fix = Ignoring("why")(Finding(rule, Place(path, line), "x", Severity.ERROR), tree)
    return apply_edits(text, fix.edits) if fix else None


MARK = "# mmcodemod: ignore[MM201] why"


@pytest.mark.parametrize(
    ("path", "text", "line", "expected"),
    [
        ("a.py", "if x:\n\tf()\n", 2, f"if x:\n\t{MARK}\n\tf()\n"),
        ("a.py", "f(\n    1,\n)\n", 2, f"f(\n    {MARK}\n    1,\n)\n"),
        ("a.py", "x = \\\n    f()\n", 2, f"x = \\\n    f()  {MARK}\n"),
        ("a.py", "x = \\\n    f() + \\\n    1\n", 2, None),
        ("a.py", 's = """\nf()\n"""\n', 2, None),
        ("a.py", 's = """\nf()\n""" + x\n', 3, f's = """\nf()\n""" + x  {MARK}\n'),
        ("a.yaml", "a:\n  b: 1\n", 2, f"a:\n  {MARK}\n  b: 1\n"),
        ("run.sh", "torchrun a.py \\\n  --x 1\n", 1, f"{MARK}\ntorchrun a.py \\\n  --x 1\n"),
        ("run.sh", "torchrun a.py \\\n  --x 1\n", 2, f"torchrun a.py \\\n  --x 1  {MARK}\n"),
        ("run.sh", "torchrun a.py \\\n  --x 1 \\\n  --y\n", 2, None),
        ("ds.json", '{\n"a": 1}\n', 2, None),
        ("README.md", "torchrun a.py\n", 1, None),
    ],
)
def test_where_a_comment_can_stand(path, text, line, expected):
    assert ignored(path, text, line) == expected


def test_findings_about_comments_cannot_be_ignored():
    assert ignored("a.py", "f()  # mmcodemod: ignore[MM999]\n", 1, "MM901") is None


def test_quiet_tells_of_files_that_are_damaged(repo):
    (repo / "broken.py").write_text("def (\n")
    told = run("-q").stderr
    assert told.startswith("broken.py:1: syntax: ") and told.count("\n") == 1
    assert told in run().stderr
    assert "broken.py" not in run("-q", "--format", "json").stderr  # inside the document


def test_the_preview_is_as_wide_as_the_window(repo, monkeypatch):
    (repo / "c.sh").write_text("deepspeed train.py --deepspeed a.json --fp16 True --bf16 True\n")
    monkeypatch.setattr("mmcodemod.cli.fix.columns", lambda: 40)
    rows = run().stderr.partition("not fixed\n")[2].splitlines()[:-1]
    assert rows and max(map(len, rows)) <= 40
