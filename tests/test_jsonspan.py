"""JSON with spans: positions, both dialects, hostile input, and insertions that leave the rest alone."""

import json

import pytest

from mmcodemod.facts.jsonspan import insert_member, parse
from mmcodemod.model.fix import Edit, apply_edits

HJSON = """{
  # a comment with "quotes": {
  "zero_optimization": {
    stage: 3   // last wins
    /* no commas between these lines */
    "bucket": 5e8,
  },
  optimizer: AdamW with spaces
}
"""


def inserted(text, value='"auto"', at=None):
    root = parse(text).root
    start, end, new = insert_member(text, root.get(at) if at else root, "gradient_clipping", value)
    return apply_edits(text, (Edit("ds.json", start, end, new),))


def test_values_keep_position_and_source():
    document = parse('{"a": 1,\n "b": {"c": 5e8}}')
    node = document.root.get("b.c")
    assert (node.value, node.raw, node.start, node.end) == (5e8, "5e8", (2, 13), (2, 16))
    assert document.root.find("b").key_start == (2, 2) and document.strict


def test_columns_are_code_points():
    node = parse('{"é😀": "ü", "n": true}').root.get("n")
    assert node.start == (1, 18) and node.value is True


def test_hjson_is_read_but_not_strict():
    document = parse(HJSON)
    assert not document.strict and document.errors == ()
    assert document.root.get("zero_optimization.stage").value == 3
    assert document.root.get("zero_optimization.bucket").raw == "5e8"
    assert document.root.get("optimizer").value == "AdamW with spaces"


def test_the_last_of_equal_keys_wins():
    assert parse('{"a": 1, "a": 2}').root.get("a").value == 2


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        '{"a"',
        '{"a": }',
        '{"a": 1,,}',
        "[" * 100_000,
        '{"a":' * 100_000,
        '"',
        "/*",
        "{}{}",
        "{/*" * 9999,
    ],
)
def test_hostile_text_is_an_error_with_a_position(text):
    document = parse(text)
    assert document.root is None and len(document.errors) == 1
    assert document.errors[0][0] >= 1


def test_numbers_that_python_refuses_as_integers():
    assert parse("[" + "9" * 5000 + "]").root.items[0].value == float("inf")


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        "{ }",
        "{\n}",
        '{"a": 1}',
        '{"a":1,"b":2}',
        '{\n    "a": 1\n}',
        '{\n\t"a": {\n\t\t"b": [1, 2]\n\t}\n}\n',
        '{\r\n  "a": 1,\r\n  "b": 2\r\n}\r\n',
        '{"a": 1\n}',
        '{\n  "a": 1 }',
    ],
)
def test_insertion_keeps_strict_json_strict(text):
    after = inserted(text)
    assert json.loads(after) == {**json.loads(text), "gradient_clipping": "auto"}
    assert "\n" not in after.replace("\r\n", "") or "\r\n" not in text


@pytest.mark.parametrize(
    "text",
    [
        HJSON,
        '{\n  "a": 1 // one\n}',
        '{\n  "a": 1, # one\n  # the end\n}',
        "{ // nothing yet\n}",
        "{\n  a: 1\n  b: 2\n}",
        "{\n  a: text without quotes\n}",
        '{"a": 1 /* one */}',
    ],
)
def test_insertion_keeps_comments_and_dialect(text):
    before, after = parse(text).root, parse(inserted(text))
    assert [m.key for m in after.root.members] == [*(m.key for m in before.members), "gradient_clipping"]
    assert [m.node.value for m in before.members] == [m.node.value for m in after.root.members[:-1]]
    assert after.root.get("gradient_clipping").value == "auto"


def test_insertion_is_written_in_the_style_of_the_file():
    assert inserted('{\n    "a": 1\n}') == '{\n    "a": 1,\n    "gradient_clipping": "auto"\n}'
    assert inserted('{\n  "a": 1, // one\n}') == '{\n  "a": 1, // one\n  "gradient_clipping": "auto",\n}'
    assert inserted('{\n  "a": 1 // one\n}') == '{\n  "a": 1, // one\n  "gradient_clipping": "auto"\n}'
    assert inserted('{"a":1}', "1.0") == '{"a":1,"gradient_clipping":1.0}'
    assert inserted('{\n  "z": {\n  }\n}', "1", at="z") == '{\n  "z": {\n    "gradient_clipping": 1\n  }\n}'
