"""Members are taken out of JSON objects by span; everything else stays, byte for byte."""

from __future__ import annotations

import pytest

from mmcodemod.facts import jsonspan
from mmcodemod.facts.jsonremoval import remove_member
from mmcodemod.facts.lines import LineMap


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('{"x": 1}', "{}"),
        ('{"x": 1, "b": 2}', '{"b": 2}'),
        ('{"a": 1, "x": {"y": [1, 2]}}', '{"a": 1}'),
        ('{"a": 1, "x": 2, "b": 3}', '{"a": 1, "b": 3}'),
        ('{\r\n\t"a": 5e8,\r\n\t"x": {\r\n\t},\r\n\r\n\t"b": 3\r\n}', '{\r\n\t"a": 5e8,\r\n\t"b": 3\r\n}'),
        ('{\n  "a": 1,\n  "x": 2\n}\n', '{\n  "a": 1\n}\n'),
        ('{\n  "a": 1,\n  "x": 2,\n}', '{\n  "a": 1,\n}'),
        ('{\n  "a": 1, // one, two\n  "x": 2 // x\n}', '{\n  "a": 1 // one, two // x\n}'),
        ('{\n  "x": 2, // x\n  // b\n  "b": 1\n}', '{\n  // b\n  "b": 1\n}'),
        ('{\n  "x": 2, /* x */\n  "b": 1\n}', '{\n  "b": 1\n}'),
        ("{\n  a: one\n  x: 2\n  b: 3\n}", "{\n  a: one\n  b: 3\n}"),
        ("{\n  a: one\n  x: 2\n}", "{\n  a: one\n}"),
    ],
)
def test_a_member_is_taken_out(before: str, after: str) -> None:
    root = jsonspan.parse(before).root
    assert root is not None
    lines, text = LineMap(before), before
    for start, end, new in reversed(remove_member(before, root, "x")):
        text = text[: lines.offset(start)] + new + text[lines.offset(end) :]
    assert text == after
    read = jsonspan.parse(text).root
    assert read is not None
    assert [m.key for m in read.members] == [m.key for m in root.members if m.key != "x"]
