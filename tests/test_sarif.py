"""SARIF: valid by the schema of OASIS, complete, and below what GitHub code scanning takes."""

import gzip
import json
import os
import re
from collections import Counter
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from cases import SAMPLES, showcase
from test_report import CLIPPING, NAMES, QUIET, REPORT

from mmcodemod import pipeline
from mmcodemod.engine.registry import names, rule_page, rules
from mmcodemod.model.finding import Note, Problem, Step
from mmcodemod.model.fix import Edit, Fix, apply_edits
from mmcodemod.model.grade import Applicability, Severity
from mmcodemod.model.place import Place
from mmcodemod.model.report import Report
from mmcodemod.report import sarif, sarif_limits
from mmcodemod.report.formats import About
from mmcodemod.source.lines import raw_lines
from mmcodemod.source.tree import MemoryTree

ROOT = Path(__file__).parents[1]
FOLDERS = (os.environ.get("MMCODEMOD_SCHEMAS", ""), "../shared/schemas", "../../shared/schemas")
SCHEMAS = [ROOT / folder / "sarif-schema-2.1.0.json" for folder in FOLDERS if folder]
ABOUT = tuple(About(r.code, r.name, r.summary, r.family, r.severity.value, rule_page(r)) for r in rules())


@cache
def validator():
    """The schema lies beside the checkout, not in it."""
    jsonschema = pytest.importorskip("jsonschema")
    files = [file for file in SCHEMAS if file.is_file()]
    if not files:
        pytest.skip("the schema is not here: MMCODEMOD_SCHEMAS names its folder")
    schema = json.loads(files[0].read_text(encoding="utf-8"))
    return jsonschema.validators.validator_for(schema)(schema)


def log(report, folder="", about=ABOUT, of=NAMES):
    return json.loads(sarif.render(report, of, folder, about))


def only_run(*arguments, **more):
    (run,) = log(*arguments, **more)["runs"]
    return run


def only_result(finding, **more):
    (result,) = only_run(Report((finding,), contexts=REPORT.contexts), **more)["results"]
    return result


@pytest.mark.parametrize("about", [(), ABOUT], ids=["no rules", "all rules"])
@pytest.mark.parametrize(
    "report",
    [REPORT, Report(), replace(REPORT, findings=()), Report((replace(QUIET, at=Place("a.json", 0)),))],
    ids=["whole", "empty", "problems only", "a whole file"],
)
def test_it_is_valid(report, about):
    validator().validate(log(report, "some/folder", about))


def showcases():
    folders = [*sorted(SAMPLES.glob("*/showcase")), *sorted(SAMPLES.glob("seed_*"))]
    return {folder.relative_to(SAMPLES).as_posix(): showcase(folder).files for folder in folders}


@pytest.fixture(scope="module")
def reports():
    """The report of every showcase and of every seed."""
    return {name: pipeline.check(MemoryTree(files)) for name, files in showcases().items()}


def test_reports_of_all_samples_are_valid_and_lose_nothing(reports):
    known = names()
    for name, report in reports.items():
        made = log(report, of=known)
        validator().validate(made)
        results = made["runs"][0]["results"]
        seen = Counter((r["ruleId"], uri_and_line(r["locations"][0])) for r in results)
        assert seen == Counter((f.rule, (f.at.path, f.at.line)) for f in report.findings), name
        assert [len(r["codeFlows"]) for r in results if "codeFlows" in r] == [
            1 for f in report.findings if f.trace
        ]
    assert sum(len(report.findings) for report in reports.values()) >= 40


def uri_and_line(location):
    physical = location["physicalLocation"]
    return physical["artifactLocation"]["uri"], physical.get("region", {}).get("startLine", 0)


def test_fixes_of_all_samples_do_what_fix_does(reports):
    """Applies the replacements as the specification says: in lines and code points of the file as it is."""
    files, applied = showcases(), 0
    for name, report in reports.items():
        found = sorted(report.findings, key=lambda f: (f.at, f.rule, f.message, f.symbol))
        for finding, result in zip(found, log(report)["runs"][0]["results"], strict=True):
            for change in result.get("fixes", [{"artifactChanges": []}])[0]["artifactChanges"]:
                path = change["artifactLocation"]["uri"]
                text = files[name][path].decode()
                edits = tuple(edit for edit in finding.fix.edits if edit.path == path)
                assert replaced(text, change["replacements"]) == apply_edits(text, edits)
                applied += 1
    assert applied > 30


def replaced(text, replacements):
    starts = [0]
    for line in raw_lines(text):
        starts.append(starts[-1] + len(line))
    out, at = [], 0
    for one in replacements:
        region = one["deletedRegion"]
        begin = starts[region["startLine"] - 1] + region["startColumn"] - 1
        end = starts[region["endLine"] - 1] + region["endColumn"] - 1
        assert at <= begin <= end
        out += [text[at:begin], one["insertedContent"]["text"]]
        at = end
    return "".join([*out, text[at:]])


def test_a_rule_brings_its_page():
    driver = only_run(REPORT)["tool"]["driver"]
    listed = {rule["id"]: rule for rule in driver["rules"]}
    assert set(listed) == {rule.code for rule in rules()}
    rule = listed["MM303"]
    assert rule["name"] == "ds-gradient-clipping-absent"
    assert rule["help"]["markdown"].startswith("# MM303 ds-gradient-clipping-absent\n")
    assert rule["defaultConfiguration"] == {"level": "warning"}
    assert rule["properties"]["tags"] == ["numerics", "distributed-training"]
    assert rule["properties"]["problem.severity"] == "warning"
    for rule in listed.values():
        assert 0 < len(rule["shortDescription"]["text"]) <= 1024 and len(rule["properties"]["tags"]) <= 20


def test_a_rule_that_nobody_describes_is_listed_all_the_same():
    run = only_run(REPORT, about=())
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == ["MM201", "MM303"]
    for result in run["results"]:
        assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]


@pytest.mark.parametrize(
    ("severity", "level"), [(Severity.ERROR, "error"), (Severity.WARNING, "warning"), (Severity.INFO, "note")]
)
def test_levels(severity, level):
    assert only_result(replace(CLIPPING, severity=severity))["level"] == level


def test_the_trace_is_a_code_flow_that_ends_at_the_place():
    (flow,) = only_result(CLIPPING)["codeFlows"]
    places = [uri_and_line(step["location"]) for step in flow["threadFlows"][0]["locations"]]
    assert places == [
        ("scripts/finetune.sh", 3),
        ("pyproject.toml", 26),
        ("train.py", 961),
        ("scripts/zero3.json", 5),
    ]
    here = replace(CLIPPING, trace=(*CLIPPING.trace, Step(Place("scripts/zero3.json", 5), "ends here")))
    (flow,) = only_result(here)["codeFlows"]
    assert flow["threadFlows"][0]["locations"][-1]["location"]["message"] == {"text": "ends here"}
    assert len(flow["threadFlows"][0]["locations"]) == 4
    assert "codeFlows" not in only_result(QUIET)


def test_other_places_are_related_and_linked_by_the_message():
    result = only_result(CLIPPING)
    (related,) = result["relatedLocations"]
    assert (related["id"], uri_and_line(related)) == (1, ("scripts/finetune.sh", 9))
    lines = result["message"]["text"].split("\n\n")
    assert lines[0] == CLIPPING.message
    assert lines[1:] == ["Runs: finetune.sh, finetune_lora.sh", "See also [scripts/finetune.sh:9](1)"]
    assert result["locations"][0]["message"] == {"text": 'no "gradient_clipping" in this object'}


def test_regions():
    def region(*place):
        return only_result(replace(QUIET, at=Place("a.py", *place)))["locations"][0]["physicalLocation"].get(
            "region"
        )

    assert region(2, 3, 4, 5) == {"startLine": 2, "startColumn": 3, "endLine": 4, "endColumn": 5}
    assert region(2, 3) == {"startLine": 2}
    assert region(0) is None
    assert only_run(REPORT)["columnKind"] == "unicodeCodePoints"


def test_a_fix_that_is_only_shown_is_none_and_an_unsafe_one_says_so():
    edits = (Edit("a.py", (1, 1), (1, 1), "x"),)

    def fixes(applicability, edits=edits):
        return only_result(replace(CLIPPING, fix=Fix("do it", applicability, edits))).get("fixes")

    assert fixes(Applicability.DISPLAY) is None
    assert fixes(Applicability.SAFE, ()) is None
    assert fixes(Applicability.SAFE)[0]["description"] == {"text": "do it"}
    assert fixes(Applicability.UNSAFE)[0]["description"] == {"text": "unsafe: do it"}


def test_fingerprints_are_those_of_the_json_report():
    from mmcodemod.report.json import findings

    wanted = [finding["fingerprint"] for finding in findings(REPORT.findings, NAMES)]
    assert [r["partialFingerprints"] for r in only_run(REPORT)["results"]] == [
        {"mmcodemod/v1": w} for w in wanted
    ]


def test_dismissed_places_are_no_results():
    assert only_run(replace(REPORT, findings=()))["results"] == []


@pytest.mark.parametrize(
    ("path", "uri"),
    [
        ("a b/c#d?.py", "a%20b/c%23d%3F.py"),
        ("名.py", "%E5%90%8D.py"),
        ("\udcff.py", "%FF.py"),
        ("a:b.py", "a%3Ab.py"),
    ],
)
def test_paths_are_uris(path, uri):
    finding = replace(QUIET, at=Place(path, 1))
    assert uri_and_line(only_result(finding)["locations"][0]) == (uri, 1)
    assert re.fullmatch(r"[A-Za-z0-9%/._~-]+", uri)


# -- limits -------------------------------------------------------------------------------------------


def notes(run):
    (invocation,) = run["invocations"]
    return [note["message"]["text"] for note in invocation["toolExecutionNotifications"]]


def test_what_is_too_many_is_cut_from_the_quiet_end(monkeypatch):
    monkeypatch.setattr(sarif_limits, "RESULTS", 10)
    loud = tuple(replace(CLIPPING, at=Place("z.py", i)) for i in range(1, 8))
    quiet = tuple(replace(QUIET, at=Place("a.py", i)) for i in range(1, 8))
    run = only_run(Report((*quiet, *loud)))
    assert Counter(r["level"] for r in run["results"]) == {"error": 7, "note": 3}
    assert notes(run) == ["4 findings of 14 left out, the quietest: code scanning takes no larger file."]


def test_a_file_that_is_too_large_is_cut_until_it_fits(monkeypatch):
    findings = tuple(replace(CLIPPING, at=Place("z.py", i)) for i in range(1, 201))
    whole = sarif.render(Report(findings), NAMES)
    limit = len(gzip.compress(whole.encode(), mtime=0)) * 2 // 3
    monkeypatch.setattr(sarif_limits, "SIZE", limit)
    text = sarif.render(Report(findings), NAMES)
    assert len(gzip.compress(text.encode(), mtime=0)) <= limit
    run = json.loads(text)["runs"][0]
    assert len(run["results"]) == 100 and "100 findings of 200 left out" in notes(run)[0]
    validator().validate(json.loads(text))


def test_long_traces_and_many_places_are_cut():
    steps = tuple(Step(Place("a.py", i), f"step {i}") for i in range(1, 12_001))
    others = tuple(Note(Place("b.py", i), f"note {i}") for i in range(1, 2001))
    run = only_run(Report((replace(CLIPPING, trace=steps, related=others),)))
    (result,) = run["results"]
    flow = result["codeFlows"][0]["threadFlows"][0]["locations"]
    assert len(flow) == 10_000 and len(result["relatedLocations"]) == 1000
    assert uri_and_line(flow[0]["location"]) == ("a.py", 1)
    assert uri_and_line(flow[-1]["location"]) == ("scripts/zero3.json", 5)
    assert notes(run) == [
        "The traces of 1 finding were shortened to 10000 steps.",
        "The other places of 1 finding were cut to 1000.",
    ]


def test_problems_are_notifications():
    run = only_run(
        Report(problems=(Problem("a.py", "syntax", "invalid syntax", 3), Problem("b", "io", "gone")))
    )
    (invocation,) = run["invocations"]
    first, second = invocation["toolExecutionNotifications"]
    assert (first["level"], first["message"]["text"]) == ("warning", "syntax: invalid syntax")
    assert [uri_and_line(n["locations"][0]) for n in (first, second)] == [("a.py", 3), ("b", 0)]
