"""The HTML report: what the file says, what it never does, and how it behaves in a real browser."""

from __future__ import annotations

import re
from base64 import b64encode
from dataclasses import replace
from hashlib import sha256
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import page_samples as samples
import pytest
from chromium import Page, installed

import mmcodemod
from mmcodemod.model.grade import Severity
from mmcodemod.model.place import Place
from mmcodemod.model.report import Report
from mmcodemod.report.fingerprint import fingerprints
from mmcodemod.report.order import ordered
from mmcodemod.report.page import html
from mmcodemod.report.page.cards import MOST_CARDS
from mmcodemod.report.page.columns import MOST_COLUMNS, columns
from mmcodemod.report.page.element import element, prose, shown
from mmcodemod.report.page.frames import Frames
from mmcodemod.report.page.markdown import rendered
from mmcodemod.report.page.shown import ranges, ready
from mmcodemod.source.tree import MemoryTree, text_tree

ASSETS = Path(mmcodemod.__file__).parent / "report" / "page" / "assets"
VOID = {"meta", "input", "br"}
needs_browser = pytest.mark.skipif(
    installed() is None, reason="no Chromium is installed (apt-get install chromium)"
)


CARD = (
    "error",
    "modality-conditional-forward",
    "net/model.py:8:16",
    "Net.forward",
    "in 2 of 3 runs",
    "full.sh",
    "lora.sh",
    "self.tower(",
    "scripts/full.sh:2",
    "inferred",
    "assumed",
    "the batch decides here",
    "by hand",
    "send a blank image",
    "confidence: inferred",
)
"""What the card of the loudest finding says."""


def page_of(report=samples.REPORT, tree=samples.TREE, names=samples.NAMES, pages=samples.PAGES):
    return html.render(report, tree, names, pages, "sample")


def marks(report=samples.REPORT):
    """Rule and line of each finding -> the id of its card."""
    found = ordered(report.findings)
    return {(f.rule, f.at.path): f"f-{mark}" for f, mark in zip(found, fingerprints(found))}


class Reader(HTMLParser):
    """Checks that elements close in order; collects tags, attributes, headings and text."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.texts, self.headings = [], [], [], []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        if tag not in VOID:
            self.open.append(tag)
        if re.fullmatch(r"h\d", tag):
            self.headings.append(int(tag[1]))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] not in ("script", "style"):
            self.texts.append(data)

    def values(self, name):
        return [attributes[name] for _, attributes in self.tags if name in attributes]


# -- what the file says ---------------------------------------------------------------------------


def test_the_verdict_comes_first():
    text = "".join(Reader(page_of()).texts)
    assert "2 runs will fail or train wrongly, 1 looks right" in text
    assert text.index("will fail") < text.index("Ranks without images")


def test_only_errors_are_certain_and_red():
    may = replace(samples.CLIPS, severity=Severity.WARNING, contexts=(samples.FULL.id,))
    note = replace(may, severity=Severity.INFO, contexts=(samples.SMALL.id,))
    page = page_of(Report((may, note), contexts=(samples.FULL, samples.SMALL, samples.LORA)))
    assert 'class="doubtful">1 run may fail or train wrongly</span>, <span class="noted">1 has notes' in page
    assert '<span class="good">1 looks right</span>' in page and "Which run may fail where" in page
    assert 'class="bad">2 runs will fail' in page_of() and "Which run fails where" in page_of()


def test_the_loudest_finding_is_the_first_card():
    cards = re.findall(r'<article id="[^"]*" class="finding (\w+)"', page_of())
    assert cards == ["error", "warning", "info", "info"]


def test_a_card_says_everything():
    card = re.search(r'<article[^>]*data-rule="MM201".*?</article>', page_of(), re.S)[0]
    text = " ".join("".join(Reader(card).texts).split())
    for said in CARD:
        assert said in text, said
    assert "small.sh" not in text


def test_the_span_is_marked_line_by_line():
    code = Frames(samples.TREE).frame(samples.HANGS.at)
    assert re.findall(r"<mark>(.*?)</mark>", code) == ["self.tower(", "images,", "deep=True,", ")"]
    assert re.findall(r'data-n="(\d+)"', code) == [str(n) for n in range(4, 12)]
    assert '<span data-n="8" class="hit">        return <mark>' in code


def test_a_place_without_an_end_marks_its_line():
    code = Frames(samples.TREE).frame(Place("train.py", 3))
    assert '<span data-n="3" class="hit">' in code and "<mark>" not in code


def test_a_place_that_is_gone_has_no_frame():
    frames = Frames(samples.TREE)
    assert frames.frame(Place("gone.py", 1)) == "" and frames.frame(Place("train.py", 99)) == ""
    assert frames.left_out == 0


def test_frames_end_where_their_room_ends_and_the_page_says_so():
    frames = Frames(samples.TREE, room=10)
    assert frames.frame(Place("train.py", 1)) and not frames.frame(Place("train.py", 3))
    assert frames.left_out == 1


def test_a_very_long_line_is_cut_around_its_mark():
    tree = text_tree({"a.py": "x = 1; " * 1000 + "hang()" + "  # end" * 1000})
    code = Frames(tree).frame(Place("a.py", 1, 7001, 1, 7007))
    assert "<mark>hang()</mark>" in code and code.count("…") == 2 and len(code) < 500


def test_tabs_stay_and_control_characters_are_written_out():
    code = Frames(text_tree({"a.py": "\tif\x1b[2J:\u202e\n"})).frame(Place("a.py", 1, 2, 1, 4))
    assert "\t<mark>if</mark>\\x1b[2J:\\u202e" in code


def test_a_fix_is_shown_as_a_diff_with_its_applicability():
    text = page_of()
    assert '<span class="applicability safe">safe</span> add &quot;gradient_clipping&quot;' in text
    assert '<span class="add">+    &quot;gradient_clipping&quot;: &quot;auto&quot;</span>' in text
    assert '<span class="remove">-    }</span>' in text
    assert "fix --apply" in text


def test_what_fix_never_writes_is_not_said_to_be_written():
    note = re.search(r'<article[^>]*data-rule="MM508".*?</article>', page_of(), re.S)[0]
    assert '<span class="add">+torchrun train.py' in note and "--apply" not in note


def test_a_fix_that_does_not_fit_the_file_any_more_has_no_diff():
    changed = MemoryTree({**samples.TREE.files, "ds/zero3.json": b"{}\n"})
    assert "applicability safe" in page_of(tree=changed)
    assert "gradient_clipping&quot;: &quot;auto&quot;</span>" not in page_of(tree=changed)


def test_the_page_of_each_rule_is_part_of_the_page():
    text = page_of()
    assert "<strong>clips</strong>" in text and "<li>two lines</li>" in text
    assert '<span class="remove">-old</span><span class="add">+new</span>' in text
    assert "<td>&lt;b&gt;nothing&lt;/b&gt;</td>" in text
    assert "<code>mmcodemod explain MM201</code> shows its page." in text


def test_dismissals_show_reason_and_evidence():
    safe = re.search(r'<section id="dismissed".*?</section>', page_of(), re.S)[0]
    text = "".join(Reader(safe).texts)
    for said in (
        "Considered and not reported (1)",
        "MM103",
        "train.py:1",
        "loaded before",
        "train.py:3",
        "from here on",
    ):
        assert said in text


def test_runs_show_their_command_and_what_they_meet():
    runs = re.search(r'<section id="runs".*?</section>', page_of(), re.S)[0]
    text = " ".join("".join(Reader(runs).texts).split())
    assert "1 error, 1 warning" in text and "looks right" in text and "ds/zero3.json:3" in text
    assert "deepspeed train.py --deepspeed ds/zero3.json" in text and "deepspeed==0.12.6" in text


def test_what_concerns_no_run_is_said_and_is_no_row():
    text = page_of()
    assert "no run of this tree: ds/other.json" in text
    assert "1 finding about no run of this tree left out here." in text


def test_every_rule_of_markdown_that_pages_use():
    assert (
        rendered("# T\n\na\nb `c`\n- x\n1. y\n")
        == "<p>a b <code>c</code></p><ul><li>x</li></ul><ol><li>y</li></ol>"
    )
    assert rendered("```python\n# no heading\n") == '<pre class="code plain"><span># no heading</span></pre>'
    assert rendered("[x](javascript:alert(1)) ![y](z)") == "<p>[x](javascript:alert(1)) ![y](z)</p>"


@pytest.mark.parametrize(
    "page", sorted((ASSETS.parents[4] / "codemods").glob("*/rule.md")), ids=lambda p: p.parent.name
)
def test_the_page_of_every_shipped_rule_renders(page):
    text = page.read_text("utf-8")
    made = rendered(text)
    Reader(made)
    assert made.count("<h4>") == len(re.findall(r"^##+ ", text, re.M))
    assert made.count("<pre") == text.count("\n```") / 2
    assert "```" not in made and "**" not in re.sub(r"<(pre|code).*?</\1>", "", made)


# -- the matrix -----------------------------------------------------------------------------------


def cells(text):
    """Row -> what stands in its cells."""
    table = re.search(r'<table class="matrix">.*?</table>', text, re.S)[0]
    rows = re.findall(r"<tr class=\"\w+\" data-(?:of|rule)=\"([^\"]*)\">(.*?)</tr>", table)
    return {
        name: [re.sub("<[^>]*>", "", cell) for cell in re.findall("<td.*?</td>", row)] for name, row in rows
    }


def test_rows_are_findings_and_columns_are_runs():
    found, text = marks(), page_of()
    assert cells(text) == {
        found["MM201", "net/model.py"]: ["error", "error", ""],
        found["MM303", "ds/zero3.json"]: ["warning", "", ""],
        found["MM508", "scripts/lora.sh"]: ["", "note", ""],
    }
    assert re.findall(r'<th colspan="(\d)" scope="colgroup"><span class="strategy">(\w+)', text) == [
        ("2", "zero3"),
        ("1", "ddp"),
    ]


def test_many_runs_that_meet_the_same_share_a_column():
    report = samples.large(findings=20, runs=409)
    made = columns(ready(report, {}))
    assert sum(len(column.runs) for column in made.kept) + made.left_out == 409
    assert len(made.kept) <= MOST_COLUMNS
    for column in made.kept:
        alike = {tuple(run.context.id in f.contexts for f in report.findings) for run in column.runs}
        assert len(alike) == 1 and len({run.strategy for run in column.runs}) == 1


def test_runs_that_are_left_out_are_told():
    text = page_of(samples.large(findings=300, runs=600))
    told = int(re.search(r"(\d+) runs with fewer findings left out here", text)[1])
    assert told == columns(ready(samples.large(findings=300, runs=600), {})).left_out > 0


def test_many_findings_make_a_row_a_rule():
    report = samples.large(findings=200, runs=3)
    rows = cells(page_of(report))
    assert len(rows) == 40 and set(rows) == {f.rule for f in report.findings}
    first = [f for f in report.findings if f.rule == "MM101"]
    assert rows["MM101"].count("5") and sum(map(int, filter(None, rows["MM101"]))) == sum(
        len(f.contexts) for f in first
    )


def test_a_tree_without_runs_has_no_matrix():
    report = Report((replace(samples.CLIPS, contexts=()),))
    assert 'class="matrix"' not in page_of(report)
    assert '<h1><span class="doubtful">1 warning' in page_of(report)


def test_a_clean_tree_says_so():
    text = "".join(Reader(page_of(Report(contexts=(samples.FULL, samples.SMALL)))).texts)
    assert "2 runs look right" in text and "no findings" in text
    assert '<section id="runs" class="folded"><details open>' in page_of(Report(contexts=(samples.FULL,)))
    assert "fails where" not in page_of(Report((samples.LARGE,), contexts=(samples.LORA,)))


# -- what it never does ---------------------------------------------------------------------------


def test_the_policy_allows_the_page_itself_and_nothing_else():
    page = page_of()
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)[1].replace("&#x27;", "'")
    assert "default-src 'none'" in policy and "unsafe" not in policy
    for name, text in (
        ("script", re.search(r"<script>(.*)</script>", page, re.S)[1]),
        ("style", re.search(r"<style>(.*?)</style>", page, re.S)[1]),
    ):
        digest = b64encode(sha256(text.encode()).digest()).decode()
        assert f"{name}-src 'sha256-{digest}'" in policy


def test_links_stay_inside_the_page_and_lead_somewhere():
    read = Reader(page_of())
    ids = read.values("id")
    assert len(ids) == len(set(ids))
    assert {link.removeprefix("#") for link in read.values("href")} <= set(ids)
    assert not {"src", "style", "srcset", "action"} & {name for _, given in read.tags for name in given}
    assert not {"link", "img", "iframe", "object", "embed", "base"} & {tag for tag, _ in read.tags}


def test_headings_skip_no_level():
    headings = Reader(page_of()).headings
    assert headings[0] == 1 and headings.count(1) == 1
    assert all(later - earlier <= 1 for earlier, later in pairwise(headings))


@pytest.mark.parametrize("script", sorted(ASSETS.glob("*.js")), ids=lambda file: file.name)
def test_scripts_write_text_and_never_markup(script):
    text = script.read_text("utf-8")
    words = ("innerHTML", "outerHTML", "insertAdjacent", "document.write", "eval(", "new Function", "srcdoc")
    assert not [word for word in words if word in text]


def test_every_script_and_style_is_part_of_the_page():
    assert {*html.SCRIPTS, *html.STYLES, "page.html"} == {file.name for file in ASSETS.iterdir()}


def test_hostile_texts_stay_text():
    report, files, names, pages = samples.hostile()
    text = html.render(report, MemoryTree(files), names, pages, samples.EVIL)
    plain = Reader(page_of()).tags
    read = Reader(text)
    assert {tag for tag, _ in read.tags} <= {tag for tag, _ in plain} | {"ul", "ol"}
    assert not [name for _, given in read.tags for name in given if name.startswith("on")]
    assert text.count("<script") == 2 and text.count("</script") == 2 and "<img" not in text
    assert not re.search("[\u202e\x00\x1b\ud800]", text)
    assert "\\u202e" in text and "&lt;/script&gt;" in text
    text.encode()


def test_markup_is_escaped_where_it_goes_in():
    assert element("p", "<b>", shown("&"), title='"') == '<p title="&quot;">&lt;b&gt;&amp;</p>'
    assert prose("a --b-c=`--d`") == 'a <span class="option">--b-c</span>=<code>--d</code>'
    assert prose("a `<b>` c `d") == "a <code>&lt;b&gt;</code> c `d"


def test_the_same_report_gives_the_same_bytes():
    turned = replace(
        samples.REPORT,
        findings=samples.REPORT.findings[::-1],
        contexts=samples.REPORT.contexts[::-1],
        problems=samples.REPORT.problems[::-1],
    )
    assert page_of(turned) == page_of()


@pytest.mark.parametrize("numbers, said", [((), ""), ((3,), "3"), ((0, 1, 2, 5, 7, 8), "0-2,5,7-8")])
def test_sets_of_runs_are_told_as_ranges(numbers, said):
    assert ranges(numbers) == said


def test_ten_thousand_findings_stay_small_and_all_are_there():
    report = samples.large()
    text = page_of(report)
    assert len(text) < 12_000_000
    assert len(set(re.findall(r'id="(f-\w+)"', text))) == 10_000
    assert text.count("<article") == MOST_CARDS
    assert f"{10_000 - MOST_CARDS} more findings, one line each" in text


def luminance(colour):
    digits = colour.lstrip("#")
    parts = (
        [int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4)]
        if len(digits) == 6
        else [int(d * 2, 16) / 255 for d in digits]
    )
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


PAIRS = [
    (ink, paper)
    for ink in ("ink", "soft", "link", "error", "warning", "info", "good")
    for paper in ("paper", "panel", "code")
]
PAIRS += [(name, f"{name}-soft") for name in ("error", "warning", "info", "good")]
PAIRS += [
    ("ink", "hit"),
    ("ink", "mark"),
    ("add-ink", "add"),
    ("remove-ink", "remove"),
    ("ink", "good-soft"),
    ("soft", "good-soft"),
]


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("ink, paper", PAIRS)
def test_every_text_has_enough_contrast(theme, ink, paper):
    """WCAG AA: 4.5 to 1."""
    blocks = re.findall(r"\{(--paper[^}]*)\}", (ASSETS / "colours.css").read_text("utf-8"))
    assert len(blocks) == 3 and blocks[1] == blocks[2], "the dark colours stand twice, and must be the same"
    colours = dict(re.findall(r"--([\w-]+):(#\w+)", blocks[0 if theme == "light" else 1]))
    one, other = sorted((luminance(colours[ink]), luminance(colours[paper])))
    assert (other + 0.05) / (one + 0.05) >= 4.5


# -- in a browser ---------------------------------------------------------------------------------


@pytest.fixture
def browse(tmp_path):
    pages = []

    def opened(text):
        (tmp_path / "report.html").write_text(text, encoding="utf-8")
        pages.append(Page(tmp_path / "report.html", tmp_path / f"profile{len(pages)}"))
        return pages[-1]

    yield opened
    for page in pages:
        assert page.errors == []
        assert [url for url in page.requests if not url.startswith(("file:", "about:"))] == []
        page.close()


def seen(page):
    """The rules of the findings that are shown."""
    return page.do(
        "[...document.querySelectorAll('.finding')].filter(e => !e.hidden).map(e => e.dataset.rule)"
    )


def choose(page, field, value):
    page.do(f"byId('{field}').value = '{value}'; byId('{field}').dispatchEvent(new Event('change'))")


def click(page, selector):
    page.do(f"document.querySelector('{selector}').scrollIntoView({{block: 'center'}})")
    page.click(selector)


@needs_browser
def test_a_run_shows_what_it_meets_and_how_it_is_launched(browse):
    page = browse(page_of())
    assert seen(page) == ["MM201", "MM303", "MM303", "MM508"]
    choose(page, "run", samples.LORA.id)
    assert seen(page) == ["MM201", "MM508"]
    assert page.do("byId('count').textContent") == "2 of 4 findings"
    chosen = page.do("byId('chosen').textContent")
    assert "lora.sh" in chosen and "zero3" in chosen and "deepspeed train.py --lora True" in chosen
    assert page.do("[...document.querySelectorAll('td.chosen')].length") == 3
    page.do("document.body.dataset.view = 'before'")
    page.reload()
    page.wait("document.body && document.body.dataset.view === 'ready'")
    assert seen(page) == ["MM201", "MM508"] and page.do("byId('run').value") == samples.LORA.id
    page.click("#clear")
    assert len(seen(page)) == 4 and page.do("location.hash") == ""


@needs_browser
def test_rule_severity_and_text_filter_together(browse):
    page = browse(page_of())
    choose(page, "rule", "MM303")
    assert seen(page) == ["MM303", "MM303"]
    page.click("#severities [value=info]")
    assert seen(page) == ["MM303"] and "severity=error%2Cwarning" in page.do("location.hash")
    page.press("Escape")
    assert len(seen(page)) == 4
    page.press("/")
    page.type("MODEL.py gather")
    assert seen(page) == ["MM201"]
    page.type(" nowhere")
    assert seen(page) == [] and page.do("byId('nothing').hidden") is False
    rows = "[...document.querySelectorAll('.matrix tbody tr')].filter(e => !e.hidden).length"
    assert page.do(rows) == 0
    page.do("history.back()")
    page.wait("byId('text').value === ''")


@needs_browser
def test_safe_places_are_shown_when_asked_for(browse):
    page = browse(page_of())
    assert page.do("document.querySelector('#dismissed > details').open") is False
    page.click("#safe")
    assert page.do("document.querySelector('#dismissed > details').open") is True
    choose(page, "run", samples.FULL.id)
    assert page.do("document.querySelector('.dismissal').hidden") is True
    choose(page, "run", samples.SMALL.id)
    assert page.do("document.querySelector('.dismissal').hidden") is False and seen(page) == []


@needs_browser
def test_a_cell_leads_to_its_finding_in_its_run(browse):
    page = browse(page_of())
    page.click(".matrix td.warning a")
    page.wait("document.activeElement.dataset.rule === 'MM303'")
    assert page.do("byId('run').value") == samples.FULL.id
    assert "at=f-" in page.do("location.hash")
    top = page.do("document.querySelector('.finding.at').getBoundingClientRect().top")
    assert 0 <= top < 900
    page.do("history.back()")
    page.wait("byId('run').value === ''")


@needs_browser
def test_the_name_of_a_column_chooses_its_run_and_lets_it_go(browse):
    page = browse(page_of())
    page.click(".matrix .runs th:nth-child(4) a")
    assert page.do("byId('run').value") == samples.SMALL.id and seen(page) == []
    page.click(".matrix .runs th:nth-child(4) a")
    assert len(seen(page)) == 4


@needs_browser
def test_a_link_to_what_is_filtered_out_shows_it(browse):
    page = browse(page_of())
    choose(page, "run", samples.SMALL.id)
    page.do(f"location.hash = '{marks()['MM201', 'net/model.py']}'")
    page.wait("document.querySelector('.finding.at') !== null")
    assert page.do("document.querySelector('.finding.at').dataset.rule") == "MM201"


@needs_browser
def test_a_step_of_the_path_shows_its_code(browse):
    page = browse(page_of())
    frame = "document.querySelector('.path details .code').checkVisibility()"
    assert page.do(frame) is False
    click(page, ".path summary")
    assert page.do(frame) is True
    assert "deepspeed train.py" in page.do("document.querySelector('.path details .hit').textContent")
    page.do("document.querySelectorAll('.path summary')[1].focus()")
    page.press("Enter")
    assert page.do("document.querySelectorAll('.path details')[1].open") is True


@needs_browser
def test_the_link_of_a_rule_opens_its_page(browse):
    page = browse(page_of())
    page.do("document.querySelector('.finding.warning .rule').click()")
    page.wait("document.querySelector('#rule-MM303').closest('details').open")
    assert "Nothing clips" in page.do("document.querySelector('.rule-page[open]').textContent")


@needs_browser
def test_keys_go_from_finding_to_finding_and_turn_the_light_off(browse):
    page = browse(page_of())
    at = "document.querySelector('.finding.at')?.dataset.rule"
    for key, rule in (("j", "MM201"), ("j", "MM303"), ("k", "MM201")):
        page.press(key)
        page.wait(f"{at} === '{rule}'")
    page.press("t")
    assert page.do("document.documentElement.dataset.theme") == "dark"
    background = "getComputedStyle(document.body).backgroundColor"
    assert page.do(background) == "rgb(17, 21, 27)"
    page.press("t")
    assert page.do(background) == "rgb(255, 255, 255)"


@needs_browser
@pytest.mark.parametrize("width", [360, 760, 1280])
def test_the_page_never_scrolls_sideways(browse, width):
    report = samples.large(findings=30, runs=15)
    long = replace(samples.HANGS, message="x" * 300 + " `" + "y" * 300 + "`", symbol="z" * 200)
    wide = replace(
        report, findings=(*report.findings, long, *samples.REPORT.findings), dismissed=(samples.SAFE,)
    )
    page = browse(page_of(wide))
    page.resize(width, 800)
    page.do("document.querySelectorAll('details').forEach(e => { e.open = true })")
    assert page.do("document.documentElement.scrollWidth") <= width
    assert page.do("innerWidth") == width
    assert page.do("document.querySelector('.matrix').getBoundingClientRect().width") > 300


@needs_browser
def test_a_matrix_that_is_cut_says_that_it_scrolls(browse):
    page = browse(page_of(samples.large(findings=4, runs=15)))
    said = "document.querySelector('#sideways').checkVisibility()"
    page.resize(390, 800)
    page.wait(said)
    assert page.do("document.querySelector('#sideways').textContent.includes('sideways')")
    assert page.do("(e => e.scrollWidth > e.clientWidth)(document.querySelector('#matrix .scroll'))")
    page.resize(1280, 800)
    page.wait(f"!{said}")
    page.printed()
    page.resize(390, 800)
    page.wait(f"!{said}")


@needs_browser
def test_paper_is_white_and_shows_the_whole_path(browse):
    page = browse(page_of())
    page.press("t")
    assert page.do("getComputedStyle(document.body).backgroundColor") == "rgb(17, 21, 27)"
    for dark in ("dark", ""):
        page.do(f"change({{theme: '{dark}'}})")
        page.printed()
        assert page.do("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.do("document.querySelector('#filters').checkVisibility()") is False
    page.do("dispatchEvent(new Event('beforeprint'))")
    assert page.do("document.querySelector('.path details .code').checkVisibility()") is True
    page.do("dispatchEvent(new Event('afterprint'))")
    assert page.do("document.querySelector('.path details .code').checkVisibility()") is False


@needs_browser
def test_without_scripts_everything_can_be_read(browse):
    page = browse(page_of())
    page.without_scripts()
    page.wait("document.readyState === 'complete' && document.body.dataset.view === undefined")
    text = page.do("document.body.innerText")
    for said in ("2 runs will fail", "Ranks without images", "self.tower(", "Considered and not", "MM303"):
        assert said in text
    assert page.do("document.querySelector('#filters').checkVisibility()") is False
    click(page, ".path summary")
    assert page.do("document.querySelector('.path details').open") is True


@needs_browser
def test_hostile_texts_do_nothing(browse):
    report, files, names, pages = samples.hostile()
    page = browse(html.render(report, MemoryTree(files), names, pages, samples.EVIL))
    page.click("#safe")
    page.do("change({run: DATA.runs[0][0]})")
    page.press("/")
    page.type("<img")
    assert "onerror=alert(1)" in page.do("document.body.innerText")
    assert page.do("document.images.length") == 0
    page.do("location.hash = '#at=%22%5D,*&run=%3Cimg%3E&rule=constructor&severity=__proto__&theme=%22'")
    page.wait("byId('count').textContent.startsWith('0 of')")


@needs_browser
def test_ten_thousand_findings_can_be_filtered(browse):
    page = browse(page_of(samples.large()))
    page.do("window.began = performance.now()")
    choose(page, "run", "scripts/run007.sh:1")
    assert page.do("performance.now() - window.began") < 3000
    met = sum("scripts/run007.sh:1" in f.contexts for f in samples.large().findings)
    assert page.do("byId('count').textContent") == f"{met} of 10000 findings"
