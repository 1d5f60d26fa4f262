"""What the cases of a `match` ask of its subject, as the tests of a chain of `if`s would."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.facts.reads import Form, Reader


def case_tests(reader: Reader, node: ast.Match) -> Iterator[tuple[ast.match_case, Form | None]]:
    """The test of each case; None for one that takes whatever is left."""
    for case in node.cases:
        yield case, None if _takes_all(case) else _test(reader, node.subject, case)


def asks_constants(case: ast.match_case) -> bool:
    """Does it compare the subject with constants, and nothing else?"""
    return case.guard is None and bool(_constants(case.pattern))


def _takes_all(case: ast.match_case) -> bool:
    return case.guard is None and isinstance(case.pattern, ast.MatchAs) and case.pattern.pattern is None


def _test(reader: Reader, subject: ast.expr, case: ast.match_case) -> Form:
    """Whether another pattern matches, and what a guard comes to, is not decided here."""
    if not asks_constants(case):
        return ("true", reader.reads(subject))
    constants = _constants(case.pattern)
    right = constants[0] if len(constants) == 1 else ast.Tuple(constants, ast.Load())
    return reader.form(ast.Compare(subject, [ast.Eq() if len(constants) == 1 else ast.In()], [right]))


def _constants(pattern: ast.pattern) -> list[ast.expr]:
    """The constants that a pattern stands for; empty for other patterns."""
    if isinstance(pattern, ast.MatchOr):
        parts = [_constants(part) for part in pattern.patterns]
        return [constant for part in parts for constant in part] if all(parts) else []
    if isinstance(pattern, ast.MatchSingleton):
        return [ast.Constant(pattern.value)]
    value = pattern.value if isinstance(pattern, ast.MatchValue) else None
    return [value] if isinstance(value, ast.Constant) else []
