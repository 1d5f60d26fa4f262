"""The formats for forges and CI servers: golden files of the report in test_report, and what each holds."""

import json as stdlib_json
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from test_report import CLIPPING, NAMES, QUIET, REPORT, TREE

from mmcodemod import pipeline
from mmcodemod.cli.main import commands
from mmcodemod.model.change import News, Review, Told
from mmcodemod.model.finding import Note, Problem
from mmcodemod.model.fix import Edit, Fix, OverlappingEdits, apply_edits, joined
from mmcodemod.model.grade import Applicability, Severity
from mmcodemod.model.place import Place
from mmcodemod.model.report import Report
from mmcodemod.report import github, gitlab, junit, markdown, rdjson
from mmcodemod.report.brought import brought
from mmcodemod.report.formats import FORMATS, About, Extra
from mmcodemod.report.markup import fenced
from mmcodemod.source.repository import folder_in_repository
from mmcodemod.source.tree import MemoryTree, text_tree

GOLDEN = Path(__file__).parent / "golden"
SOURCE = Path(pipeline.__file__).parents[1]
FILES = {
    "sarif": "report.sarif",
    "github": "github.txt",
    "gitlab": "gitlab.json",
    "rdjson": "report.rdjson",
    "junit": "junit.xml",
    "markdown": "report.md",
}
PAGE = "# MM303 ds-gradient-clipping-absent\n\nTrains unclipped.\n"
RULES = (About("MM303", NAMES["MM303"], "It trains unclipped", "numerics", "error", PAGE),)
FAILED = Report(
    problems=(Problem("b.py", "syntax", "invalid syntax", 3), Problem("a.py", "io", "cannot be read"))
)
each_format = pytest.mark.parametrize("name", sorted(FILES))


def rendered(name, report=REPORT, tree=TREE, folder=""):
    return FORMATS[name](report, tree, NAMES, Extra(folder=folder, rules=lambda: RULES))


@each_format
def test_golden(name):
    assert rendered(name) == (GOLDEN / FILES[name]).read_text(encoding="utf-8")


@each_format
def test_the_order_of_the_input_does_not_matter(name):
    turned = replace(REPORT, findings=REPORT.findings[::-1], problems=REPORT.problems[::-1] * 2)
    assert rendered(name, turned) == rendered(name)


@each_format
def test_paths_begin_at_the_top_of_the_repository(name):
    assert "lib/train/scripts/zero3.json" in rendered(name, folder="lib/train").replace("%2F", "/")


def test_an_empty_report():
    empty = {name: rendered(name, Report(), MemoryTree({})) for name in FILES}
    assert empty["github"] == ""
    assert stdlib_json.loads(empty["gitlab"]) == []
    assert stdlib_json.loads(empty["rdjson"])["diagnostics"] == []
    assert stdlib_json.loads(empty["sarif"])["runs"][0]["results"] == []
    suites = ElementTree.fromstring(empty["junit"])
    assert suites.attrib == {
        "name": "mmcodemod",
        "tests": "1",
        "failures": "0",
        "errors": "0",
        "skipped": "0",
    }
    assert empty["markdown"] == "## mmcodemod\n\nno findings · 0 files\n"


def test_problems_without_findings_are_told():
    told = {name: rendered(name, FAILED) for name in FILES}
    assert told["github"].splitlines() == [
        "::warning file=a.py,title=mmcodemod%3A not analysed::io: cannot be read",
        "::warning file=b.py,line=3,endLine=3,title=mmcodemod%3A not analysed::syntax: invalid syntax",
    ]
    (invocation,) = stdlib_json.loads(told["sarif"])["runs"][0]["invocations"]
    assert [n["descriptor"]["id"] for n in invocation["toolExecutionNotifications"]] == ["io", "syntax"]
    skipped = ElementTree.fromstring(told["junit"]).findall(".//skipped")
    assert [s.get("message") for s in skipped] == ["io: cannot be read", "syntax: line 3: invalid syntax"]
    assert "- <code>b.py:3</code> syntax: invalid syntax" in told["markdown"]
    assert stdlib_json.loads(told["gitlab"]) == []


@pytest.mark.parametrize("name", ["gitlab", "rdjson"])
def test_formats_without_a_place_for_problems_tell_them_on_stderr(tmp_path, name):
    (tmp_path / "broken.py").write_text("def f(:\n")
    (tmp_path / "fine.py").write_text("x = 1\n")
    done = check(tmp_path, "--format", name)
    assert done.stderr.startswith("broken.py:1: syntax: ")
    assert done.returncode == 0


def check(folder, *arguments, **more):
    command = [sys.executable, "-m", "mmcodemod", "check", *arguments]
    env = {"PYTHONPATH": str(SOURCE), "PATH": "/usr/bin:/bin", "MMCODEMOD_NO_CACHE": "1"}
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=60, **more)


CLIPPED = {
    "ds.json": '{\n  "zero_optimization": {"stage": 2}\n}\n',
    "train.py": "from transformers import Trainer\n\nTrainer(model=build(), args=args).train()\n",
    "run.sh": "deepspeed train.py --deepspeed ds.json\n",
    "requirements.txt": "deepspeed==0.12.6\n",
}


@pytest.fixture
def repository(tmp_path):
    (tmp_path / ".git").mkdir()
    folder = tmp_path / "own work" / "train"
    folder.mkdir(parents=True)
    for name, text in CLIPPED.items():
        (folder / name).write_text(text)
    return tmp_path


@each_format
def test_every_format_goes_to_a_file_and_keeps_the_exit_code(repository, name):
    shown = check(repository, "own work/train", "--format", name)
    written = check(repository, "own work/train", "--format", name, "--output", "report")
    assert (shown.returncode, written.returncode, written.stdout) == (1, 1, "")
    assert (repository / "report").read_text() == shown.stdout
    assert "MM303" in shown.stdout


def test_a_folder_of_a_repository_is_placed_from_its_top(repository):
    for folder, path in ((repository, "own work/train"), (repository / "own work", "train")):
        issues = stdlib_json.loads(check(folder, path, "--format", "gitlab").stdout)
        assert {issue["location"]["path"] for issue in issues} == {"own work/train/ds.json"}
    sarif = stdlib_json.loads(check(repository, "own work/train", "--format", "sarif").stdout)
    place = sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
    assert place == {"uri": "own%20work/train/ds.json", "uriBaseId": "%SRCROOT%"}


def test_where_a_folder_lies(tmp_path, monkeypatch):
    (tmp_path / "a" / "b").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "a")
    assert folder_in_repository(tmp_path / "a" / "b") == "b"
    assert folder_in_repository(tmp_path) == ""
    (tmp_path / ".git").write_text("gitdir: elsewhere\n")
    assert [folder_in_repository(p) for p in (tmp_path, tmp_path / "a" / "b")] == ["", "a/b"]


def test_the_page_has_the_pages_of_the_rules_and_the_name_of_the_folder(repository):
    done = check(repository, "own work/train", "--format", "html", "--output", "report.html")
    page = (repository / "report.html").read_text()
    assert (done.returncode, page[:15].lower()) == (1, "<!doctype html>")
    assert "<title>train" in page and "What it checks" in page


def test_help_names_the_formats_and_fix_keeps_its_own(tmp_path):
    assert list(FORMATS)[:2] == ["text", "json"]
    (check_format,) = (p for p in commands.get_command(None, "check").params if p.name == "format")
    (fix_format,) = (p for p in commands.get_command(None, "fix").params if p.name == "format")
    assert set(FILES) < set(check_format.type.choices) == set(FORMATS)
    assert tuple(fix_format.type.choices) == ("text", "json")


def test_a_format_is_imported_only_when_it_is_used(tmp_path):
    code = (
        "import sys\nfrom mmcodemod.cli.main import main\n"
        "try:\n    main(['check'])\nfinally:\n"
        "    print(sorted(m for m in sys.modules if m.startswith('mmcodemod.report.') or m == 'xml.etree'))\n"
    )
    env = {"PYTHONPATH": str(SOURCE), "PATH": "/usr/bin:/bin"}
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env=env, capture_output=True, text=True)
    loaded = done.stdout.splitlines()[-1]
    assert "mmcodemod.report.formats" in loaded
    for name in ("sarif", "github", "gitlab", "rdjson", "junit", "markdown", "page", "xml"):
        assert f".{name}" not in loaded and "xml" not in loaded


def test_a_review_is_shown_in_every_format_on_the_lines_of_the_change():
    line = Place("scripts/zero3.json", 3, 9, 3, 16)
    told = (
        Told(CLIPPING, "a", News.INTRODUCED, CLIPPING.at),
        Told(QUIET, "b", News.ACTIVATED, line, ("scripts/finetune.sh:3",)),
        Told(QUIET, "c", News.ACTIVATED),
    )
    report = brought(Review("base", "head", told, problems=REPORT.problems, report=REPORT))
    assert [f.at for f in report.findings] == [CLIPPING.at, line, QUIET.at]
    assert report.findings[1].contexts == ("scripts/finetune.sh:3",)
    assert report.findings[1].related[0].at == QUIET.at
    assert (report.dismissed, report.problems) == ((), REPORT.problems)
    for name in FILES:
        assert "MM201" in rendered(name, report)


# -- GitHub ---------------------------------------------------------------------------------------------


def many(number, severity=Severity.ERROR):
    """Findings on as many lines."""
    return tuple(replace(CLIPPING, at=Place("a.py", i), severity=severity) for i in range(1, number + 1))


def test_annotations_come_loudest_first_and_say_when_github_hides_some():
    report = Report(findings=(*many(3, Severity.INFO), *many(12, Severity.WARNING), *many(11)))
    lines = github.render(report, NAMES).splitlines()
    assert lines[0] == (
        "::notice title=mmcodemod::1 error and 2 warnings more in the log of this step: "
        "GitHub shows 10 of each kind."
    )
    kinds = [line.split()[0] for line in lines[1:]]
    assert kinds == ["::error"] * 11 + ["::warning"] * 12 + ["::notice"] * 3


def test_columns_are_told_only_within_one_line():
    wide = replace(QUIET, at=Place("a.py", 2, 3, 4, 5))
    narrow = replace(QUIET, at=Place("a.py", 2, 3, 2, 5))
    start = replace(QUIET, at=Place("a.py", 2, 3))
    lines = github.render(Report((wide, narrow, start)), NAMES).splitlines()
    assert [re.findall(r"(?:line|endLine|col|endColumn)=\d+", line) for line in lines] == [
        ["line=2", "endLine=2"],
        ["line=2", "endLine=2", "col=3", "endColumn=5"],
        ["line=2", "endLine=4"],
    ]


# -- GitLab ---------------------------------------------------------------------------------------------


def test_fingerprints_of_equal_findings_differ():
    twice = replace(CLIPPING, at=Place("scripts/zero3.json", 9))
    issues = stdlib_json.loads(gitlab.render(Report((CLIPPING, twice)), NAMES))
    assert len({issue["fingerprint"] for issue in issues}) == 2


def test_a_finding_about_a_whole_file_has_a_line_for_gitlab():
    (issue,) = stdlib_json.loads(gitlab.render(Report((replace(QUIET, at=Place("a", 0)),)), NAMES))
    assert issue["location"]["lines"] == {"begin": 1, "end": 1}


# -- reviewdog ------------------------------------------------------------------------------------------

WIDE = "a = '名𐐀'; b = 1\nc = 2\n"


def diagnostic(finding, source=WIDE):
    (found,) = stdlib_json.loads(rdjson.render(Report((finding,)), text_tree({"w.py": source}), NAMES))[
        "diagnostics"
    ]
    return found


def edited(source, suggestion):
    """What reviewdog makes of a suggestion: it cuts the lines at byte columns."""
    lines = [line.encode() for line in source.split("\n")]
    start, end = suggestion["range"]["start"], suggestion["range"]["end"]
    head = lines[start["line"] - 1][: start["column"] - 1]
    tail = lines[end["line"] - 1][end["column"] - 1 :]
    middle = head + suggestion["text"].encode() + tail
    return b"\n".join([*lines[: start["line"] - 1], middle, *lines[end["line"] :]]).decode()


def test_columns_of_rdjson_count_bytes():
    found = diagnostic(replace(QUIET, at=Place("w.py", 1, 11, 1, 16)))
    assert found["location"]["range"] == {
        "start": {"line": 1, "column": 16},
        "end": {"line": 1, "column": 21},
    }
    assert WIDE.encode()[15:20] == b"b = 1"


def test_several_edits_of_one_file_are_one_suggestion():
    edits = (
        Edit("w.py", (2, 5), (2, 6), "3"),
        Edit("w.py", (1, 15), (1, 16), "9"),
        Edit("w.py", (1, 15), (1, 16), "9"),
    )
    (suggestion,) = diagnostic(
        replace(QUIET, at=Place("w.py", 1), fix=Fix("x", Applicability.UNSAFE, edits))
    )["suggestions"]
    assert suggestion["range"] == {"start": {"line": 1, "column": 20}, "end": {"line": 2, "column": 6}}
    assert edited(WIDE, suggestion) == apply_edits(WIDE, edits) == "a = '名𐐀'; b = 9\nc = 3\n"


@pytest.mark.parametrize(
    "fix",
    [
        Fix(
            "elsewhere",
            Applicability.SAFE,
            (Edit("w.py", (1, 1), (1, 1), "x"), Edit("o.py", (1, 1), (1, 1), "x")),
        ),
        Fix("shown only", Applicability.DISPLAY, (Edit("w.py", (1, 1), (1, 1), "x"),)),
        Fix("gone", Applicability.SAFE, (Edit("w.py", (99, 1), (99, 1), "x"),)),
        Fix("nothing", Applicability.SAFE),
    ],
    ids=lambda fix: fix.title,
)
def test_a_fix_that_is_no_single_replacement_is_told_in_words(fix):
    found = diagnostic(replace(QUIET, at=Place("w.py", 1), fix=fix))
    assert "suggestions" not in found
    assert fix.title in found["message"]


@pytest.mark.parametrize("at", [Place("w.py", 9, 3), Place("w.py", 1, 999), Place("gone.py", 4, 2)])
def test_a_place_that_is_gone_keeps_its_line(at):
    assert diagnostic(replace(QUIET, at=at))["location"]["range"] == {"start": {"line": at.line}}


def test_joined_edits_do_what_the_edits_do():
    text = "one\r\ntwo\r\nthree\r\n"
    edits = (
        Edit("a", (2, 1), (2, 1), "import x\r\n"),
        Edit("a", (1, 1), (1, 4), ""),
        Edit("a", (2, 1), (2, 1), "y\r\n"),
    )
    one = joined(text, edits)
    assert (one.start, one.end) == ((1, 1), (2, 1))
    assert apply_edits(text, (one,)) == apply_edits(text, edits)
    with pytest.raises(OverlappingEdits):
        joined(text, (Edit("a", (1, 1), (1, 3), "x"), Edit("a", (1, 2), (1, 4), "y")))


# -- JUnit ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("fail_on", "failures"), [("error", 1), ("warning", 1), ("info", 2)])
def test_what_fails_in_junit_is_what_makes_the_exit_code(fail_on, failures):
    root = ElementTree.fromstring(junit.render(replace(REPORT, problems=()), NAMES, "", fail_on))
    assert int(root.get("failures")) == len(root.findall(".//failure")) == failures
    assert len(root.findall(".//system-out")) == 2 - failures


def test_names_of_cases_survive_moved_lines_and_differ():
    def names_of(*lines):
        report = Report(tuple(replace(CLIPPING, at=Place("a.json", line)) for line in lines))
        return [c.get("name") for c in ElementTree.fromstring(junit.render(report, NAMES)).iter("testcase")]

    assert names_of(3, 7) == names_of(30, 70)
    assert len(set(names_of(3, 7))) == 2


# -- Markdown -------------------------------------------------------------------------------------------


def test_a_page_stays_below_what_a_job_summary_takes():
    long = replace(CLIPPING, related=tuple(Note(Place("a", i), "x" * 9000) for i in range(20)))
    page = markdown.render(
        Report(tuple(replace(long, at=Place("a.py", i)) for i in range(1, 301))), TREE, NAMES
    )
    assert 800_000 < len(page.encode()) <= 2**20
    assert page.count("<details>") == page.count("</details>") < 300
    assert f"it tells the details of {page.count('<details>')} findings" in page.splitlines()[-1]
    assert "and 200 findings more" in page


def test_one_endless_name_does_not_make_the_page_too_long():
    text = '{"a": "' + "x" * 600_000 + '"}\n'
    fix = Fix("y" * 300_000, Applicability.SAFE, (Edit("a.json", (1, 2), (1, 2), '"b": 1, '),))
    finding = replace(CLIPPING, at=Place("a.json", 1), message="z" * 900_000, fix=fix)
    page = markdown.render(Report((finding,)), text_tree({"a.json": text}), NAMES)
    assert len(page) < 20_000 and "zzz…" in page and "```" not in page


def test_a_fence_is_longer_than_any_in_the_block():
    assert fenced("````\nx").splitlines() == ["`````", "````", "x", "`````"]
