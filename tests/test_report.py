"""Reporters: golden text and JSON of a report made by hand, and text that tries to fool a terminal."""

import json as stdlib_json
import re
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest

from mmcodemod.model.context import Context, Dependency, Entry, Origin, Strategy
from mmcodemod.model.finding import Dismissal, Finding, Note, Problem, Step
from mmcodemod.model.fix import Edit, Fix
from mmcodemod.model.grade import Applicability, Confidence, How, Severity
from mmcodemod.model.option import AUTO, Option
from mmcodemod.model.place import Place
from mmcodemod.model.report import Report, Stats
from mmcodemod.report import contexts, json, markdown, text
from mmcodemod.report.colour import Palette
from mmcodemod.report.diff import diff, for_terminal
from mmcodemod.report.escape import visible, width
from mmcodemod.report.fingerprint import fingerprints
from mmcodemod.report.frame import frame
from mmcodemod.report.text import Style
from mmcodemod.report.words import few, labels, summary
from mmcodemod.source.tree import MemoryTree, text_tree

GOLDEN = Path(__file__).parent / "golden"
NAMES = {"MM303": "ds-gradient-clipping-absent", "MM201": "modality-conditional-forward"}

ZERO3 = '{\n    "zero_optimization": {\n        "stage": 3\n    }\n}\n'
TREE = text_tree({"scripts/zero3.json": ZERO3, "model.py": "def f(images):\n\tif images is None: return\n"})


def context(name, strategy=Strategy.ZERO3, **more):
    launcher = Place(f"scripts/{name}.sh", 3)
    return Context(str(launcher), Entry("train.py", "train"), launcher, strategy, **more)


CLIPPING = Finding(
    "MM303",
    Place("scripts/zero3.json", 5, 1, 5, 2),
    "These runs train without gradient clipping: with deepspeed 0.12.6, HF's max_grad_norm=1.0 is not"
    ' applied when "gradient_clipping" is missing from the DeepSpeed configuration.',
    Severity.ERROR,
    contexts=("scripts/finetune.sh:3", "scripts/finetune_lora.sh:3"),
    trace=(
        Step(Place("scripts/finetune.sh", 3), "deepspeed train.py --deepspeed zero3.json", how=How.LAUNCH),
        Step(Place("pyproject.toml", 26), "deepspeed==0.12.6, whose default is 0.0 (1.0 since 0.19.3)"),
        Step(Place("train.py", 961), 'Trainer fills only "auto"', "train", How.NAME_ONLY),
    ),
    related=(
        Note(Place("scripts/zero3.json", 5, 1, 5, 2), 'no "gradient_clipping" in this object'),
        Note(Place("scripts/finetune.sh", 9), "--max_grad_norm is not given"),
    ),
    fix=Fix(
        'add "gradient_clipping": "auto"',
        Applicability.SAFE,
        (Edit("scripts/zero3.json", (4, 6), (4, 6), ',\n    "gradient_clipping": "auto"'),),
    ),
    anchor="{",
)
QUIET = Finding(
    "MM201", Place("model.py", 2), "The batch decides.", Severity.INFO, Confidence.ASSUMED, "f", ("library",)
)
REPORT = Report(
    findings=(CLIPPING, QUIET),
    dismissed=(
        Dismissal(
            "MM201",
            Place("model.py", 1),
            "text-only samples get a zero image",
            (Note(Place("data.py", 738), "images.append(torch.zeros(...))"),),
        ),
    ),
    problems=(Problem("b.py", "syntax", "invalid syntax", 3), Problem("a.py", "io", "cannot be read")),
    contexts=(
        context(
            "finetune",
            command="deepspeed train.py --deepspeed zero3.json",
            configs=("scripts/zero3.json",),
            strategy_from=Option(3, Place("scripts/zero3.json", 3)),
            options={"bf16": Option(True, Place("scripts/finetune.sh", 14)), "fp16": Option(AUTO)},
            dependencies={"deepspeed": Dependency("deepspeed", "==0.12.6", Place("pyproject.toml", 26))},
        ),
        context("finetune_lora"),
        context("pretrain", Strategy.ZERO2),
    ),
    stats=Stats(61, 8183, 14, {"index": 0.25}),
)


def shown(report=REPORT, tree=TREE, **style):
    return text.render(report, tree, NAMES, Style(**style))


def golden(name, actual):
    assert actual == (GOLDEN / name).read_text(encoding="utf-8")


def test_golden_text():
    golden("report.txt", shown(seconds=0.71))


def test_errors_come_before_warnings_and_notes_each_by_path_and_line():
    loud = [replace(CLIPPING, at=Place(path, line)) for path, line in (("b.py", 2), ("b.py", 9), ("c.py", 1))]
    some = [replace(f, severity=Severity.WARNING, at=replace(f.at, path="a.py")) for f in loud[:2]]
    note = replace(QUIET, at=Place("0.py", 1))
    printed = shown(replace(REPORT, findings=(note, *reversed(some), *reversed(loud))))
    heads = re.findall(r"^(\S+:\d+):\d+  (\w+)", printed, re.M)
    assert heads == [
        *(("b.py:2", "error"), ("b.py:9", "error"), ("c.py:1", "error")),
        *(("a.py:2", "warning"), ("a.py:9", "warning"), ("0.py:1", "info")),
    ]


def test_notes_are_short_and_lead_to_more():
    note = replace(CLIPPING, severity=Severity.INFO)
    report = replace(REPORT, findings=(note,))
    short, full = shown(report), shown(report, notes=True)
    assert short.count("mmcodemod explain MM303") == full.count("mmcodemod explain MM303") == 1
    hidden = ("how the run gets here", '"gradient_clipping": "auto"', "^ no")
    assert all(part in full and part not in short for part in hidden)
    assert full == shown(replace(REPORT, findings=(CLIPPING,))).replace("error", "info").replace(
        *("2 runs will fail or train wrongly", "2 runs have notes")
    ).replace("1 info", "1 note")


def test_a_long_fix_wraps_like_everything_else():
    title = "set this and that, " * 10 + "and then the rest"
    report = replace(REPORT, findings=(replace(CLIPPING, fix=replace(CLIPPING.fix, title=title)),))
    lines = shown(report, palette=Palette(True)).splitlines()
    assert lines[-3] == "  more      \x1b[2mmmcodemod explain MM303\x1b[0m"
    begun = next(at for at, line in enumerate(lines) if line.startswith("  fix "))
    plain = [re.sub(r"\x1b\[[0-9;]*m", "", line) for line in lines[begun:-3]]
    assert "".join(f" {line[12:]}" for line in plain) == f" safe: {title}" and max(map(len, plain)) <= 100
    assert [line[:12] for line in plain] == ["  fix       ", *[" " * 12] * (len(plain) - 1)]


def test_golden_text_with_dismissals():
    golden("dismissed.txt", shown(replace(REPORT, findings=()), show_dismissed=True))


def test_a_reason_is_said_once_with_all_its_places_and_without_the_evidence_that_repeats_it():
    stage = Note(Place("zero2.json", 3), "the strategy here is ZeRO-2")
    other = Note(Place("run.sh", 9), "--bits is not given")
    made = Place("build.py", 7)
    dismissals = (
        Dismissal("MM201", Place("a.py", 5), "the strategy here is ZeRO-2", (stage,)),
        Dismissal("MM201", Place("b.py", 6), "the strategy here is ZeRO-2", (stage, other)),
        Dismissal("MM201", Place("c.py", 7), "the strategy here is ZeRO-2", (stage,)),
        Dismissal("MM101", made, "`Config` has no parameters", (Note(made, "builds Config, no parameters"),)),
    )
    report = replace(REPORT, findings=(), dismissed=dismissals)
    expected = """\
dismissed (considered and not reported, with the reason)
  MM101
    `Config` has no parameters
      build.py:7
        builds Config, no parameters
  MM201 modality-conditional-forward
    the strategy here is ZeRO-2
      a.py:5, c.py:7
        see zero2.json:3
      b.py:6
        see zero2.json:3
        see run.sh:9 (--bits is not given)
"""
    assert shown(report, show_dismissed=True, summary=False) == expected


def test_golden_json():
    golden("report.json", json.render(REPORT, NAMES))


def test_golden_contexts():
    golden("contexts.txt", contexts.render(REPORT))
    listed = stdlib_json.loads(contexts.render_json(REPORT))
    assert listed["contexts"] == stdlib_json.loads(json.render(REPORT, NAMES))["contexts"]


def test_order_of_the_input_does_not_matter():
    turned = replace(
        REPORT,
        findings=REPORT.findings[::-1],
        problems=REPORT.problems[::-1],
        contexts=REPORT.contexts[::-1],
    )
    assert json.render(turned, NAMES) == json.render(REPORT, NAMES)
    assert shown(turned) == shown()


def test_seconds_only_with_profile():
    assert "seconds" not in json.render(REPORT, NAMES)
    assert stdlib_json.loads(json.render(REPORT, NAMES, profile=True))["stats"]["seconds"] == {"index": 0.25}


def test_json_survives_nan_surrogates_and_unknown_ends():
    odd = replace(context("a"), options={"x": Option(float("nan")), "y": Option(float("-inf"))})
    finding = replace(CLIPPING, at=Place("\udcff.json", 1), fix=None, message="\ud800")
    parsed = stdlib_json.loads(json.render(Report((finding,), contexts=(odd,)), {}))
    assert parsed["contexts"][0]["options"]["x"]["value"] == "nan"
    assert parsed["findings"][0]["path"] == "\\udcff.json"
    assert (parsed["findings"][0]["end_line"], parsed["findings"][0]["end_column"]) == (1, 1)


def test_fingerprints_do_not_know_lines_and_number_equal_findings():
    moved = replace(CLIPPING, at=Place("scripts/zero3.json", 50), anchor="{ ")
    first, second = fingerprints([CLIPPING, moved])
    assert fingerprints([moved]) == [first]
    assert first != second
    assert fingerprints([replace(CLIPPING, symbol="g")]) != [first]


def test_problems_are_one_line_each_that_says_when_a_file_is_left_out():
    so = " (the file was not checked)"
    expected = [f"a.py: io: cannot be read{so}", f"b.py:3: syntax: invalid syntax{so}"]
    assert text.problem_lines(REPORT.problems) == expected
    config = Problem("ds.json", "config", "a comma is missing", 2)
    assert text.problem_lines([config]) == ["ds.json:2: config: a comma is missing"]


def test_statistics():
    assert text.statistics([CLIPPING, CLIPPING, QUIET], NAMES) == (
        "    2  MM303  ds-gradient-clipping-absent\n    1  MM201  modality-conditional-forward\n"
    )


@pytest.mark.parametrize(
    ("errors", "warnings", "notes", "right", "expected"),
    [
        (0, 0, 0, 0, "no findings"),
        (0, 0, 0, 1, "1 run looks right"),
        (0, 0, 0, 2, "2 runs look right"),
        (1, 0, 0, 0, "1 run will fail or train wrongly"),
        (1, 0, 0, 1, "1 run will fail or train wrongly, 1 looks right"),
        (2, 0, 0, 3, "2 runs will fail or train wrongly, 3 look right"),
        (2, 8, 0, 3, "2 runs will fail or train wrongly, 8 may, 3 look right"),
        (0, 1, 0, 0, "1 run may fail or train wrongly"),
        (0, 2, 5, 1, "2 runs may fail or train wrongly, 5 have notes, 1 looks right"),
        (0, 0, 1, 2, "1 run has notes, 2 look right"),
    ],
)
def test_grammar_of_the_summary(errors, warnings, notes, right, expected):
    found = [context(f"c{i}") for i in range(errors + warnings + notes + right)]
    ids, findings = iter([c.id for c in found]), []
    for severity, number in zip(reversed(Severity), (errors, warnings, notes)):
        own = tuple(islice(ids, number))
        findings += [replace(CLIPPING, contexts=own, severity=severity)] if own else []
    report = Report(findings=tuple(findings), contexts=tuple(found), stats=Stats(files=1))
    assert summary(report).split(" · ")[0] == expected
    assert summary(report).endswith(" · 1 file")


def test_a_configuration_alone_is_a_file():
    tree = text_tree({"ds.json": "{}"})
    assert text.render(Report(), tree, NAMES) == "no findings · 1 file\n"
    assert "no findings · 1 file" in markdown.render(Report(), tree, NAMES)


def test_the_loudest_finding_of_a_run_decides_what_is_said_of_it():
    run = context("a")
    loud, quiet = (replace(f, contexts=(run.id,)) for f in (CLIPPING, QUIET))
    for found in ((loud, quiet), (quiet, loud)):
        said = summary(Report(found, contexts=(run,)))
        assert said.startswith("1 run will fail or train wrongly · 1 error, 1 note")


def test_notes_make_no_run_fail_and_libraries_are_no_runs():
    library = Context("library", None, None, Strategy.UNKNOWN, Origin.LIBRARY)
    found = (context("a"), library)
    quiet = replace(QUIET, contexts=("library", "scripts/a.sh:3"))
    assert summary(Report((quiet,), contexts=found)).startswith("1 run has notes · 1 note")
    loud = replace(CLIPPING, contexts=("library",))
    assert summary(Report((loud,), contexts=(library,))).startswith("1 error")


def test_labels_are_short_while_unambiguous():
    found = [context("a"), context("b"), context("x/c"), context("y/c")]
    found.append(replace(found[1], id="scripts/b.sh:9"))
    alike = ["scripts/a.sh", "scripts/b.sh:3", "x/c.sh", "y/c.sh", "scripts/b.sh:9"]
    assert list(labels(found).values()) == alike, "as many folders as the one that needs the most"
    assert list(labels(found[:2]).values()) == ["a.sh", "b.sh"]
    assert few(["a", "b", "c", "d", "e"]) == "a, b, c (+2)"


@pytest.mark.parametrize(
    ("met", "others", "expected"),
    [
        (1, 3, "c0.sh; not c1.sh, c2.sh, c3.sh"),
        (1, 4, "c0.sh"),
        (3, 0, "c0.sh, c1.sh, c2.sh"),
        (5, 3, "c0.sh, c1.sh, c2.sh (+2); not c5.sh, c6.sh, c7.sh"),
    ],
)
def test_runs_that_a_finding_does_not_meet_are_named_when_they_are_few(met, others, expected):
    runs = tuple(context(f"c{i}") for i in range(met + others))
    found = replace(CLIPPING, contexts=tuple(c.id for c in runs[:met]))
    lines = shown(replace(REPORT, findings=(found, found), contexts=runs)).splitlines()
    assert lines.count(f"  contexts  {expected}") == 2
    hint = "(+N) stands for N more runs: --format html or json names them all"
    assert lines.count(hint) == (1 if "(+" in expected else 0) and lines[-2] in ("", hint)


def test_long_traces_keep_both_ends():
    steps = tuple(Step(Place("a.py", i), f"step {i}") for i in range(1, 31))
    printed = shown(replace(REPORT, findings=(replace(CLIPPING, trace=steps),)))
    assert "step 1\n" in printed and "step 30\n" in printed and "21 more steps" in printed
    assert "step 15" not in printed


def lines_with(source, at, label=""):
    return frame(MemoryTree({"x.py": source}), at, label)


def test_frame_marks_the_span_under_tabs_and_wide_characters():
    assert lines_with("a\n\t名 = f(x)\n".encode(), Place("x.py", 2, 6, 2, 10), "here") == [
        "   1 | a",
        "   2 |     名 = f(x)",
        "     |          ^^^^ here",
    ]


def test_frame_of_a_span_of_several_lines_and_at_the_end_of_the_file():
    assert lines_with(b"f(\n  1,\n)\n", Place("x.py", 1, 1, 3, 2))[-1] == "     | ^^"
    assert lines_with(b"f(\n", Place("x.py", 2, 1))[-1] == "     | ^"


def test_frame_of_a_very_long_line_is_short_and_shows_the_mark():
    shown_lines = lines_with(b'{"a": ' + b"1" * 200_000 + b"}", Place("x.py", 1, 100_000, 1, 100_003))
    assert all(len(line) < 120 for line in shown_lines)
    assert shown_lines[1].endswith("^^^")


@pytest.mark.parametrize("at", [Place("x.py", 0), Place("x.py", 99), Place("y.py", 1), Place("x.py", 1, 999)])
def test_frame_of_a_place_that_is_gone(at):
    lines_with(b"x\n", at)


def test_line_ends_in_frames():
    for end in (b"\n", b"\r\n", b"\r"):
        assert lines_with(b"a\x0cb" + end + b"c" + end, Place("x.py", 2))[1] == "   2 | c"


HOSTILE = "\x1b]0;owned\x07\x1b[2J\u202e\x9b31m\u2028x"


def test_nothing_of_the_analysed_text_steers_the_terminal():
    finding = replace(
        CLIPPING,
        at=Place(f"{HOSTILE}.py", 1),
        message=HOSTILE,
        contexts=(HOSTILE,),
        trace=(Step(Place(HOSTILE, 1), HOSTILE),),
        related=(Note(Place(HOSTILE, 1), HOSTILE),),
        fix=Fix(HOSTILE, Applicability.SAFE),
    )
    dismissal = Dismissal("MM201", Place(HOSTILE, 1), HOSTILE, (Note(Place(HOSTILE, 1), HOSTILE),))
    hostile = replace(context("a"), id=HOSTILE, command=HOSTILE, notes=(HOSTILE,))
    report = Report((finding,), (dismissal,), (Problem(HOSTILE, "io", HOSTILE),), (hostile,))
    tree = text_tree({f"{HOSTILE}.py": HOSTILE})
    printed = shown(report, tree, show_dismissed=True) + contexts.render(report)
    printed += "\n".join(text.problem_lines(report.problems))
    assert all(c == "\n" or c.isprintable() for c in printed)
    assert "\\x1b]0;owned\\x07" in printed


def test_visible_keeps_ordinary_text():
    assert visible("naïve 名前 “x” 😀") == "naïve 名前 “x” 😀"
    assert visible("a\nb\x00\udcff") == "a\\nb\\x00\\udcff"
    assert (width("名e\u0301"), width("abc")) == (3, 3)


def test_colour_only_when_asked():
    assert "\x1b" not in shown()
    coloured = shown(palette=Palette(True))
    assert "\x1b[1;31merror\x1b[0m" in coloured


def test_diff_is_what_git_applies():
    before = {"a.py": b"x\r\ny\r\n", "b.json": b"{}", "c.py": b"a\x0cb\nz\n"}
    after = {"a.py": b"x\r\nz\r\n", "b.json": b"{ }\n", "c.py": b"a\x0cc\nz\n"}
    assert diff(before, after) == (
        b"--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n x\r\n-y\r\n+z\r\n"
        b"--- a/b.json\n+++ b/b.json\n@@ -1 +1 @@\n-{}\n\\ No newline at end of file\n+{ }\n"
        b"--- a/c.py\n+++ b/c.py\n@@ -1,2 +1,2 @@\n-a\x0cb\n+a\x0cc\n z\n"
    )


def test_diff_on_a_terminal_is_harmless():
    shown_diff = for_terminal(diff({"a.py": b"x\n"}, {"a.py": b"\x1b[2J\xff\n"}), Palette(True))
    assert "\x1b[2J" not in shown_diff
    assert "\x1b[32m+\\x1b[2J\\udcff\x1b[0m" in shown_diff
