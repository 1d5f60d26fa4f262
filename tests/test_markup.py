"""Whatever the analysed repository calls things: in a comment it is text."""

from __future__ import annotations

import re
from html import unescape

import cmarkgfm
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmcodemod.report.markup import clipped, code, fenced, prose

HOSTILE = [
    "@everyone look",
    "see #12 and !13 and ~bug and %4 and $5 and GH-6 and a/b#7 and PROJ-8",
    "/close",
    "<img src=x onerror=alert(1)> <!-- x --> <!-- mmcodemod:summary -->",
    "https://evil.example/x www.evil.example mailto:a@b.c",
    "[x](javascript:alert(1)) ![x](y) **b** _i_ ~~s~~ `c` | t | \\ &amp; &#64;me",
    "``` `` ` ```suggestion `a``b` `@me`@you`",
    "1. a 2) b - c + d = e > f # g",
    "0123456789abcdef0123456789abcdef01234567",
    ":tada: :+1:",
    "`$`x`$` $`x`$",
    "a\nb\r\n\r\n/merge\u2028c\u202ed\x1b[31m\x00",
    "\ud800 lone",
]
DANGEROUS = re.compile(r"[@#!~%$&<>\[\]{}|\\*_^`/\x00-\x1f\u202e\u2028]|://|(?i:www\.)|\b[0-9a-f]{7,}\b")


def outside_of_code(text: str) -> str:
    """What CommonMark does not take for code: a span ends at the next run of as many backticks."""
    out, at = "", 0
    while at < len(text):
        run = re.compile("`+").search(text, at)
        if run is None:
            return out + text[at:]
        end = next((m for m in re.finditer("`+", text[run.end() :]) if len(m[0]) == len(run[0])), None)
        assert end is not None, f"a span without an end in {text!r}"
        out += text[at : run.start()] + "¤"
        at = run.end() + end.end()
    return out


def assert_harmless(text: str) -> None:
    shown = prose(text)
    rest = outside_of_code(shown)
    assert not DANGEROUS.search(rest), (shown, rest)
    assert not re.match(r"\s*(\d+[.)]|[-+=>])", rest), shown
    assert "\n" not in shown
    shown.encode()


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_shown_as_code(text):
    assert_harmless(text)


@given(st.text(max_size=60) | st.text(alphabet="`@#a /.\n1-<:_*[]", max_size=30))
def test_any_text_is_harmless(text):
    assert_harmless(text)


@given(st.text(alphabet="` a\n", max_size=20))
def test_a_span_of_code_is_one_span(text):
    assert outside_of_code(code(text)) in ("", "¤")


def test_ordinary_sentences_read_as_they_are_written():
    text = "`save_checkpoint` waits for every rank, but only rank 0 gets here (see `train`)."
    assert prose(text) == text
    assert prose('HF\'s max_grad_norm=1.0 is "auto"') == 'HF\'s `max_grad_norm=1.0` is "auto"'


def test_code_between_several_backticks_is_one_piece():
    assert prose("``E: a `b`.`` (older: `c\nd e`), on all") == "``E: a `b`.`` (older: `c d e`), on all"
    assert prose("``a` b``, ``` c``") == "``a` b``, ```` ``` c`` ````"


def test_a_quoted_name_keeps_its_quotes_within():
    assert prose('set "a_b": true, "c_d".') == 'set `"a_b"`: true, `"c_d"`.'


def test_words_are_not_lost():
    assert prose("a `b`, c_d (e/f): @g") == "a `b`, `c_d` (`e/f`): `@g`"


def test_code_in_a_row_is_one_piece():
    assert prose("run --a_b c/d f_g, and x_y") == "run `--a_b c/d f_g`, and `x_y`"
    assert prose("calls run_all(); train(a_b, c_d).") == "calls `run_all()`; `train(a_b, c_d)`."
    assert prose("ZeRO-3 `a` `b`") == "ZeRO-3 `a` `b`"


@given(st.text(alphabet="`a\n ", max_size=40))
def test_nothing_closes_a_fence_from_within(text):
    shown = fenced(text, "suggestion")
    first, *inner, last = shown.split("\n")
    fence = first.removesuffix("suggestion")
    assert last == fence and set(fence) == {"`"}
    assert not [line for line in inner if re.match(rf"\s*`{{{len(fence)},}}\s*$", line)]


def test_an_empty_block_holds_no_line():
    assert fenced("", "suggestion") == "```suggestion\n```"
    assert fenced("\n", "suggestion") == "```suggestion\n\n```"


def test_long_text_is_cut():
    assert clipped("abcdef", 4) == "abc…" and clipped("abcd", 4) == "abcd"


@given(st.text(alphabet="`@#a /.\n1-<:_*[]w~|>!()\\&;hG", max_size=25) | st.sampled_from(HOSTILE))
def test_githubs_own_renderer_sees_text_and_code_alone(text):
    html = cmarkgfm.github_flavored_markdown_to_html(prose(text))
    assert re.fullmatch(r"(<p>([^<]|<code>[^<]*</code>)*</p>\n)?", html)
    assert not re.search(r"[@#]|://", unescape(re.sub(r"<code>[^<]*</code>", "", html)))
    block = cmarkgfm.github_flavored_markdown_to_html(fenced(text) + "\n\nbehind")
    assert re.fullmatch(r"<pre><code>[^<]*</code></pre>\n<p>behind</p>\n", block)
