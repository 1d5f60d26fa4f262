"""Which assignments are overwritten before anybody looks at what they gave."""

from __future__ import annotations

import ast
from textwrap import dedent, indent

import pytest

from mmcodemod.facts.overwritten import overwritten


def _ended(code: str) -> dict[int, tuple[str, frozenset[str]]]:
    """By the line in the function: the test under which the assignment to `x` ends, and what it feeds."""
    function = ast.parse("def f():\n" + indent(dedent(code).strip("\n"), "    ")).body[0]
    assert isinstance(function, ast.FunctionDef)
    lines = {id(s): s.lineno - 1 for s in ast.walk(function) if isinstance(s, ast.stmt)}
    found = overwritten(function.body, ["x"])
    return {lines[s]: (ast.unparse(o.test) if o.test else "", o.feeds) for s, o in found.items()}


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("x = 1\nx = 2", {1: ("", frozenset())}),
        ("x = 1\nflag = x\nx = flag", {1: ("", frozenset({"flag"}))}),
        ("x = 1\nif several:\n    x = 2", {1: ("several", frozenset())}),
        ("x = 1\nif several:\n    x = 2\nelse:\n    x = 3", {1: ("", frozenset())}),
        ("x = 1\nif several:\n    flag = x\n    x = flag", {1: ("several", frozenset({"flag"}))}),
        ("x = 1\nif a:\n    x = 2\nx = 3", {1: ("", frozenset()), 3: ("", frozenset())}),
        ("if a:\n    x = 1\nbox = [x]\nx = box[0]", {2: ("", frozenset({"box"}))}),
        ("for y in z:\n    x = 1\n    x: int = 2", {2: ("", frozenset())}),
    ],
)
def test_overwritten(code: str, expected: dict[int, tuple[str, frozenset[str]]]) -> None:
    assert _ended(code) == expected


@pytest.mark.parametrize(
    "code",
    [
        "x = 1\nuse(x)\nx = 2",
        "x = 1\nx += 1\nx = 2",
        "x = 1\ndel x\nx = 2",
        "x = 1\nif x:\n    x = 2",
        "x = 1\nif several:\n    use(x)\n    x = 2",
        "x = 1\nif several:\n    x = 2\nelse:\n    use(x)",
        "x = 1\nif several:\n    return\nx = 2",
        "for y in z:\n    x = 1\n    if y:\n        break\n    x = 2\nuse(x)",
        "try:\n    x = 1\n    risky()\n    x = 2\nexcept E:\n    use(x)",
        "def g():\n    return x\nx = 1\ng()\nx = 2",
        "x = 1\nfor y in z:\n    x = 2",
        "for y in z:\n    x = 1\nx = 2",
        "if a:\n    x = 1\n    use(x)\nx = 2",
        "global x\nx = 1\nuse()\nx = 2",
    ],
)
def test_not_overwritten(code: str) -> None:
    assert _ended(code) == {}


def test_the_new_value_may_be_made_of_the_old_one() -> None:
    function = ast.parse("def f():\n    x = 1\n    x = share(x)").body[0]
    assert isinstance(function, ast.FunctionDef)
    (first, second), found = function.body, overwritten(function.body, ["x"])
    assert found[id(first)].by == id(second)


def test_what_has_no_name_is_no_plain_assignment() -> None:
    """`make().x = 1` is kept under no name in the flows of a function."""
    function = ast.parse("def f():\n    a, b = 1, 2\n    make().x = 1\n    c, d = 1, 2").body[0]
    assert isinstance(function, ast.FunctionDef)
    assert overwritten(function.body, ["", "x"]) == {}
