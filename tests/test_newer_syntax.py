"""What a file that only a later Python reads is told as."""

import sys

import pytest

from mmcodemod.facts.syntax import ParseError, parse

HINT = "; Python 3.12 or later may read this: run mmcodemod with one"


def told(text):
    with pytest.raises(ParseError) as caught:
        parse(text)
    return caught.value.message


@pytest.mark.parametrize(
    "text",
    [
        "def first[T](found: list[T]) -> T: ...",
        "x = 1\nasync def first[T](): ...",
        "class Kept[T]:\n    pass",
        "type Batch = dict[str, int]",
        "type Pair[T] = tuple[T, T]",
        'print(f"{batch["image"]}")',
    ],
)
def test_a_newer_syntax_names_the_python_that_reads_it(text):
    if sys.version_info >= (3, 12):
        parse(text)
    else:
        assert told(text).endswith(HINT)


@pytest.mark.parametrize("text", ["x = = 1", "def first(", "type = 3\nx = = 2", "class Kept\n    pass"])
def test_what_no_python_reads_does_not(text):
    assert "Python" not in told(text)
