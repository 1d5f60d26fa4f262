"""Names of the analysed code in every format: shown, and without any effect on what reads the report."""

import json
import re
import unicodedata
from dataclasses import replace
from xml.etree import ElementTree

import pytest
from test_formats import FILES, rendered
from test_report import CLIPPING, context
from test_sarif import validator

from mmcodemod.model.finding import Note, Problem, Step
from mmcodemod.model.fix import Edit, Fix
from mmcodemod.model.grade import Applicability, Confidence, Severity
from mmcodemod.model.place import Place
from mmcodemod.model.report import Report
from mmcodemod.report.escape import visible
from mmcodemod.report.markup import element, prose
from mmcodemod.source.tree import text_tree

NASTY = (
    "a%0A::error file=x::owned",
    "\n::error::owned",
    "\r::stop-commands::x",
    "::add-mask::e",
    "##[stop-commands]x",
    "</testcase></testsuite>",
    "]]>",
    "[[ATTACHMENT|/etc/passwd]]",
    '"><x y="',
    "<script>alert(1)</script>",
    "<!-- ",
    "a|b|c",
    "\\|@team",
    "`",
    "``` ```",
    "x `a\\|@team` y",
    "@team",
    "`@team",
    "team@example.com",
    "#12 GH-12 !12 ~bug $1 &2 %3",
    "[x](https://evil.example)",
    "](1) [a](1)",
    "![i](https://evil.example/i.png)",
    "<https://evil.example>",
    "https://evil.example www.evil.example",
    "*b* _i_ **b** __b__ ~~s~~ $x$",
    "# head",
    "- item",
    "1. item",
    "> quote",
    "&lt;b&gt; &#64;team &amp;",
    "\u202eabc\u2066\u200b",
    "\ud800 \udcff",
    "\x00\x07\x1b[2J\x7f\x9b",
    "\ufffe\uffff",
    "x\u2028\u2029\x85\x0b\x0cy",
    "{0} {message}",
    "a\tb  c",
)
each_name = pytest.mark.parametrize("name", NASTY, ids=ascii)
each_format = pytest.mark.parametrize("format", sorted(FILES))


def hostile(name):
    """A report in which everything that can come from the analysed code is this name."""
    path = path_of(name)
    at = Place(path, 1, 1, 1, 2)
    finding = replace(
        CLIPPING,
        at=at,
        message=name,
        symbol=name,
        anchor=name,
        contexts=(name,),
        trace=(Step(at, name, name),),
        related=(Note(at, name), Note(Place(path, 2), name)),
        fix=Fix(name, Applicability.SAFE, (Edit(path, (1, 1), (1, 1), name),)),
        confidence=Confidence.EXACT,
    )
    findings = tuple(replace(finding, severity=severity) for severity in Severity)
    problems = (Problem("a.py", "io", name), Problem(path, "syntax", name, 2))
    return Report(findings, problems=problems, contexts=(replace(context("a"), id=name, command=name),))


def path_of(name):
    """A path of a file system: of the surrogates it holds those alone that stand for bytes."""
    return f"{name}.py".replace("\ud800", "")


def tree(name):
    return text_tree({path_of(name): "x = 1\n"})


def shown(text):
    """What a person is meant to see: one line, with what cannot be seen written out."""
    return visible(" ".join(text.split()))


@each_name
@each_format
def test_a_report_is_text_without_what_steers_a_terminal_or_reorders_it(format, name):
    text = rendered(format, hostile(name), tree(name))
    text.encode("utf-8")
    allowed = "\n\t\u200b" if format == "markdown" else "\n"
    assert not [
        c for c in text if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp") and c not in allowed
    ]


@each_name
def test_annotations_are_as_many_as_findings_and_say_what_they_should(name):
    lines = rendered("github", hostile(name), tree(name)).split("\n")
    assert lines.pop() == ""
    read = [command(line) for line in lines]
    assert [kind for kind, _, _ in read] == ["error", "warning", "notice", "warning", "warning"]
    for _, properties, message in read[:3]:
        assert properties["file"] == visible(path_of(name))
        assert set(properties) == {"file", "line", "endLine", "col", "endColumn", "title"}
        assert message.split("\n")[0] == shown(name)
        assert message.split("\n")[-1] == "mmcodemod explain MM303"


def command(line):
    """Reads a command as the runner of GitHub does (ActionCommand.TryParseV2)."""
    assert line.startswith("::")
    head, _, data = line[2:].partition("::")
    kind, _, given = head.partition(" ")
    properties = dict(part.split("=", 1) for part in given.split(","))
    undone = {"%3A": ":", "%2C": ","}
    return kind, {k: unescaped(v, undone) for k, v in properties.items()}, unescaped(data, {})


def unescaped(text, more):
    for mark, character in {"%0D": "\r", "%0A": "\n", **more, "%25": "%"}.items():
        text = text.replace(mark, character)
    return text


@each_name
def test_junit_is_xml_with_the_same_cases(name):
    root = ElementTree.fromstring(rendered("junit", hostile(name), tree(name)))
    assert {element.tag for element in root.iter()} == {
        "testsuites",
        "testsuite",
        "testcase",
        "failure",
        "system-out",
        "skipped",
    }
    assert len(root.findall("./testsuite/testcase")) == 5
    told = [failure.get("message") for failure in root.iter("failure")]
    assert [plain(text) for text in told] == [plain(shown(name))] * 2
    assert not [element for element in root.iter() if "[[ATTACHMENT|" in (element.text or "")]


def plain(text):
    """XML cannot hold noncharacters, so they are written out there; and no file is to be attached."""
    return text.replace("[[", "[ [").replace("\ufffe", "\\ufffe").replace("\uffff", "\\uffff")


@each_name
def test_json_formats_hold_the_words_and_nothing_else(name):
    report = hostile(name)
    for issue in json.loads(rendered("gitlab", report, tree(name))):
        assert issue["description"] == f"MM303 ds-gradient-clipping-absent: {shown(name)}"
    for found in json.loads(rendered("rdjson", report, tree(name)))["diagnostics"]:
        assert found["message"].startswith(f"ds-gradient-clipping-absent: {shown(name)} Fix, safe: ")
        assert found["suggestions"][0]["text"] == name.encode("utf-8", "backslashreplace").decode()


@each_name
def test_sarif_is_valid_and_links_only_where_it_means_to(name):
    log = json.loads(rendered("sarif", hostile(name), tree(name)))
    validator().validate(log)
    (run,) = log["runs"]
    assert len(run["results"]) == 3
    for result in run["results"]:
        text = result["message"]["text"]
        assert re.findall(r"(?<!\\)\]\(([^)]*)\)", text) == ["1"]
        assert re.findall(r"(?<!\\)\]\(", text.split("\n\n")[0]) == []
        uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        assert re.fullmatch(r"[A-Za-z0-9%/._~-]+", uri)


# -- Markdown, as GitHub's own library reads it --------------------------------------------------------

TEXT_OF_CODE = re.compile(r"<(code|pre)\b[^>]*>.*?</\1>", re.S)


def html(markdown):
    cmarkgfm = pytest.importorskip("cmarkgfm")
    from cmarkgfm.cmark import Options

    return cmarkgfm.github_flavored_markdown_to_html(markdown, options=Options.CMARK_OPT_UNSAFE)


def in_a_cell(text):
    return prose(text, element)


def tags(page):
    return set(re.findall(r"</?([a-z0-9]+)", page))


@each_name
@pytest.mark.parametrize("form", [in_a_cell, element])
def test_a_name_in_markdown_is_shown_and_does_nothing(form, name):
    page = html(f"| a |\n|---|\n| {form(name)} |\n\n{form(name)}\n")
    assert tags(page) <= {"table", "thead", "tbody", "tr", "th", "td", "p", "code"}
    assert page.count("<td>") == 1 and page.count("<p>") == 1
    seen = [text_of(part) for part in re.findall(r"<(?:td|p)>(.*?)</(?:td|p)>", page, re.S)]
    wanted = shown(name).replace("`", "") if form is in_a_cell else shown(name)
    assert [one.replace("`", "") if form is in_a_cell else one for one in seen] == [wanted.strip()] * 2
    assert_inert(page)


def text_of(page):
    from html import unescape

    return unescape(re.sub(r"<[^>]*>", "", page)).replace("\u200b", "").strip()


def assert_inert(page):
    """Outside code no mention, no reference, no address, nothing loaded."""
    text = re.sub(r"&(?:amp|lt|gt|quot);", " ", TEXT_OF_CODE.sub("", page))
    assert not re.search(r"@\w|#\d|GH-\d|://|www\.|!\d|~\w", text)
    assert not re.search(r"<[^>]*(href|src)=", page)


@each_name
def test_a_page_of_names_has_only_our_elements(name):
    page = html(rendered("markdown", hostile(name), tree(name)))
    ours = {
        "h2",
        "p",
        "table",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "code",
        "pre",
        "ul",
        "ol",
        "li",
        "details",
        "summary",
        "br",
    }
    assert tags(TEXT_OF_CODE.sub("<code></code>", page)) <= ours
    assert (page.count("<tr>"), page.count("<details>"), page.count("</details>")) == (4, 2, 2)
    assert page.count("<td>") == 12 and page.count("<li>") == 2 + 2 * 3
    assert_inert(page)


def test_the_hostile_report_holds_names():
    """Else the tests above would pass for want of them."""
    for format in FILES:
        assert rendered(format, hostile("owned"), tree("owned")).count("owned") >= 6
