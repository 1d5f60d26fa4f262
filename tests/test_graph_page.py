"""The page of `mmcodemod graph --format html` in a real browser: search, follow, filter, hostile names."""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256
from pathlib import Path
from typing import get_args

import pytest
from chromium import Page, installed

import mmcodemod
from mmcodemod import pipeline
from mmcodemod.model.callmap import Call, CallMap, Doubt, Function, Kind, Role, Unknown
from mmcodemod.report.graph import html
from mmcodemod.report.graph.words import KINDS
from mmcodemod.source.tree import text_tree

ASSETS = Path(mmcodemod.__file__).parent / "report" / "graph" / "page"
needs_browser = pytest.mark.skipif(
    installed() is None, reason="no Chromium is installed (apt-get install chromium)"
)

SAMPLE = {
    "train.py": (
        "from transformers import Trainer\nfrom net import build\n\n\ndef main():\n"
        "    Trainer(model=build()).train()\n\n\nif __name__ == '__main__':\n    main()\n"
    ),
    "net.py": (
        "from torch import nn\n\n\nclass Net(nn.Module):\n    def forward(self, images):\n"
        "        return self.encode(images)\n\n    def encode(self, images):\n"
        "        return images.mean()\n\n\ndef build():\n    print('building')\n    return Net()\n"
    ),
    "run.sh": "torchrun train.py\n",
}
REFUSED = "def f(a):\n    return a\n\n\nif __name__ == '__main__':\n    f()\n    f(1)\n"
EVIL = "</script><img src=x onerror=alert(1)>"


def test_every_kind_of_doubt_has_its_words():
    assert set(KINDS) == set(get_args(Doubt))


def test_a_call_that_cannot_be_bound_is_shown():
    assert KINDS["arguments"] in page_of({"train.py": REFUSED})


def page_of(files, goal=""):
    found = pipeline.graph(text_tree(files), "", goal)
    return html.render(found.shown, found.route)


@pytest.fixture
def browse(tmp_path):
    pages = []

    def opened(text):
        (tmp_path / "graph.html").write_text(text, encoding="utf-8")
        pages.append(Page(tmp_path / "graph.html", tmp_path / f"profile{len(pages)}"))
        return pages[-1]

    yield opened
    for page in pages:
        page.close()


def selected(page):
    return page.do("document.querySelector('.box.selected .name')?.textContent")


def boxes(page):
    return set(page.do("[...document.querySelectorAll('.box .name')].map(e => e.textContent)"))


# -- what the file says ---------------------------------------------------------------------------


def test_the_policy_allows_the_page_itself_and_nothing_else():
    page = page_of(SAMPLE)
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)[1].replace("&#x27;", "'")
    script, style = (
        re.search(r"<script>(.*)</script>", page, re.S)[1],
        re.search(r"<style>(.*?)</style>", page, re.S)[1],
    )
    assert "default-src 'none'" in policy and "unsafe" not in policy
    for name, text in (("script", script), ("style", style)):
        digest = b64encode(sha256(text.encode()).digest()).decode()
        assert f"{name}-src 'sha256-{digest}'" in policy


def test_the_page_names_nothing_outside():
    addresses = set(re.findall(r"(?:https?:)?//[\w.-]+\.\w+[^\s\"')]*", page_of(SAMPLE)))
    assert addresses <= {"http://www.w3.org/2000/svg"}
    assert not re.search(r"<(?:link|img|iframe|object|embed)\b| (?:src|href|on\w+|style)=", page_of(SAMPLE))


@pytest.mark.parametrize("script", sorted(ASSETS.glob("*.js")), ids=lambda file: file.name)
def test_scripts_write_text_and_never_markup(script):
    text = script.read_text("utf-8")
    words = ("innerHTML", "outerHTML", "insertAdjacent", "document.write", "eval(", "new Function", "srcdoc")
    assert not [word for word in words if word in text]
    assert len(text.splitlines()) < 400


def test_every_script_and_style_is_part_of_the_page():
    assert {*html.SCRIPTS, *html.STYLES, "page.html"} == {file.name for file in ASSETS.iterdir()}


def test_hostile_names_stay_inside_the_data():
    shown = CallMap(
        EVIL, (Function(EVIL, EVIL, EVIL, 1),), (), (Unknown(EVIL, EVIL, EVIL, 1, "value", EVIL),)
    )
    page = html.render(shown)
    assert page.count("<script") == 2 and page.count("</script>") == 2
    assert "<img" not in page
    assert "{{" not in html.render(CallMap("{{script}}", (), ())).replace("{{script}}", "")


# -- in a browser ---------------------------------------------------------------------------------


@needs_browser
def test_search_finds_a_function_and_enter_follows(browse):
    page = browse(page_of(SAMPLE))
    assert page.do("document.body.dataset.view") == "overview"
    page.press("/")
    page.type("net encode")
    page.wait("!document.getElementById('results').hidden")
    assert (
        page.do("document.querySelector('#results [aria-selected=true] .code').textContent")
        == "net.Net.encode"
    )
    page.press("Enter")
    page.wait("document.body.dataset.view === 'function'")
    assert selected(page) == "Net.encode"
    details = page.do("document.getElementById('right').textContent")
    assert "net.py:8" in details and "self" in details and "net.Net.forward" in details
    assert "images.mean" in details and "nothing that is known is passed" in details
    assert page.errors == []


@needs_browser
def test_arrow_keys_choose_among_what_was_found(browse):
    page = browse(page_of(SAMPLE))
    page.press("/")
    page.type("net.")
    page.press("ArrowDown")
    second = page.do("document.querySelectorAll('#results .code')[1].textContent")
    assert page.do("document.querySelector('#results [aria-selected=true] .code').textContent") == second
    page.press("Escape")
    assert page.do("document.getElementById('results').hidden") is True


@needs_browser
def test_the_evidence_path_is_highlighted_and_callers_can_be_followed(browse):
    page = browse(page_of(SAMPLE))
    page.do("go('f=net.Net.forward')")
    page.wait("document.querySelector('.box.selected') !== null")
    way = page.do("[...document.querySelectorAll('.box.on-path .name')].map(e => e.textContent)")
    assert way[0] == "train" and way[-1].startswith("Trainer.") and len(way) >= 3
    assert page.do("document.querySelectorAll('.arrow.on-path').length") == len(way)
    page.click(".box.on-path")
    page.wait("document.querySelector('.box.selected .name').textContent === 'train'")
    assert page.do("decodeURIComponent(location.hash)") == "#f=train"
    page.press("Backspace")
    page.wait("document.querySelector('.box.selected .name').textContent === 'Net.forward'")
    assert page.errors == []


@needs_browser
def test_a_filter_hides_calls_and_shows_them_again(browse):
    page = browse(page_of(SAMPLE))
    page.do("go('f=net.build')")
    page.wait("document.querySelector('.box.selected') !== null")
    assert "<builtin>.print" not in boxes(page)
    page.click("input[data-how=library]")
    assert "<builtin>.print" in boxes(page)
    page.click("input[data-how=library]")
    assert "<builtin>.print" not in boxes(page)
    assert "filtered out" in page.do("document.getElementById('right').textContent")


@needs_browser
def test_boxes_can_be_reached_and_followed_with_the_keyboard(browse):
    page = browse(page_of(SAMPLE))
    named = "e => e.querySelector('.name').textContent === 'build'"
    page.do(f"[...document.querySelectorAll('.box')].find({named}).focus()")
    page.press("Enter")
    page.wait("document.querySelector('.box.selected') !== null")
    assert selected(page) == "build"
    before = page.do("view.getAttribute('transform')")
    page.press("+")
    assert page.do("view.getAttribute('transform')") != before
    page.press("Escape")
    page.wait("document.body.dataset.view === 'overview'")
    page.press("t")
    assert page.do("document.documentElement.dataset.theme") in ("dark", "light")


@needs_browser
def test_a_page_of_a_path_begins_at_its_end(browse):
    page = browse(page_of(SAMPLE, "Net.encode"))
    page.wait("document.querySelector('.box.selected') !== null")
    assert selected(page) == "Net.encode"
    assert "return self.encode(images)" in page.do("document.getElementById('right').textContent")


@needs_browser
def test_a_page_without_a_path_says_so_and_lists_the_frontier(browse):
    files = {**SAMPLE, "other.py": "def mean():\n    pass\n"}
    page = browse(page_of(files, "other.mean"))
    details = page.do("document.getElementById('right').textContent")
    assert "cannot tell" in details and "images.mean" in details and "net.py:9" in details


@needs_browser
def test_hostile_names_do_nothing(browse):
    files = {
        "train.py": f"def f(x):\n    x[{EVIL!r}]()\n\n\nif __name__ == '__main__':\n    f({{}})\n",
        f"{EVIL.replace('/', '')}.py": "def g():\n    pass\n\n\nif __name__ == '__main__':\n    g()\n",
    }
    page = browse(page_of(files))
    page.do("go('f=train.f')")
    page.wait("document.querySelector('.box.selected') !== null")
    assert "onerror=alert(1)" in page.do("document.getElementById('right').textContent")
    page.press("/")
    page.type("onerror")
    page.press("Enter")
    page.wait("document.querySelector('.box.selected .name').textContent !== 'f'")
    assert page.do("document.images.length") == 0
    assert page.do("document.title").endswith("mmcodemod graph")
    assert page.errors == []


@needs_browser
def test_the_page_loads_nothing(browse):
    page = browse(page_of(SAMPLE))
    page.do("go('f=net.Net.forward')")
    page.wait("document.querySelector('.box.selected') !== null")
    assert [url for url in page.requests if not url.startswith(("file:", "about:"))] == []


@needs_browser
def test_ten_thousand_calls_are_no_hairball(browse):
    functions = [
        Function(f"pkg{n % 40}.mod.f{n}", f"pkg{n % 40}.mod", f"pkg{n % 40}/mod.py", n) for n in range(3000)
    ]
    calls = [
        Call(f.name, functions[(n * 7 + k) % 3000].name, f.path, 1, "direct")
        for n, f in enumerate(functions)
        for k in range(4)
    ]
    hub = Function("hub", "hub", "hub.py", 1, Kind.TREE, Role.TRAINS)
    calls += [Call("hub", f.name, "hub.py", 1, "pointsto") for f in functions]
    page = browse(html.render(CallMap("large", (hub, *functions), tuple(sorted(calls)))))
    assert 2 <= len(boxes(page)) <= 90
    page.do("go('f=hub')")
    page.wait("document.querySelector('.box.selected') !== null")
    assert page.do("document.querySelectorAll('.box').length") < 60
    assert "more in the list" in page.do("document.getElementById('view').textContent")
    page.do("go('m=pkg3.mod')")
    page.wait("document.body.dataset.view === 'module'")
    assert page.do("document.querySelectorAll('.box').length") <= 91
    assert page.errors == []
