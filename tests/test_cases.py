"""Every case of samples/ through the public API: findings, dismissals, fixes, suppressions."""

from __future__ import annotations

import functools

import pytest
from cases import Case, MalformedCase, Mark, all_cases, parse_text

from mmcodemod import pipeline
from mmcodemod.engine.memory_size import memory_size
from mmcodemod.engine.registry import rules
from mmcodemod.model.finding import Finding
from mmcodemod.model.grade import Applicability, Severity
from mmcodemod.model.report import Report
from mmcodemod.source.discover import is_interesting
from mmcodemod.source.tree import MemoryTree

CASES = all_cases()
UNUSED = "MM901"


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_case(case: Case) -> None:
    if not case.todo:
        _verify(case)
        return
    try:
        _verify(case)
    except AssertionError:
        pytest.xfail(case.todo)
    pytest.fail(f"{case.where}: this known miss ({case.todo}) is found now: take the todo away")


def _verify(case: Case) -> None:
    unseen = [p for p in case.files if not is_interesting(p.rpartition("/")[2])]
    assert case.title == "showcase" or not unseen, f"{case.where}: discovery never sees {unseen}"
    report = pipeline.check(MemoryTree(case.files), _settings(case))
    _findings_are_exact(case, report)
    _dismissals_have_evidence(case, report)
    _fixes_are_exact(case, report)
    for mark in case.expected:
        if mark.path.endswith(".py"):
            _suppressed_is_silent(case, mark)


def _settings(case: Case) -> pipeline.Settings:
    return pipeline.Settings(gpu_memory=memory_size(case.gpu_memory), preview=True)


def _findings_are_exact(case: Case, report: Report) -> None:
    broken = [p for p in report.problems if p.kind in ("rule", "scan")]
    assert not broken, f"{case.where}: {broken}"
    if not case.exact:
        code = _code(case.slug)
        assert any(f.rule == code for f in report.findings), f"{case.where}: shows no {code}"
        return
    seen = sorted((f.at.path, f.at.line, f.rule) for f in report.findings)
    wanted = sorted((m.path, m.line, m.rule) for m in case.expected)
    assert seen == wanted, f"{case.where}\n{_told(report)}"
    severity = {(f.at.path, f.at.line, f.rule): f.severity.value for f in report.findings}
    for mark in case.expected:
        found = severity[mark.path, mark.line, mark.rule]
        assert mark.severity in ("", found), (
            f"{case.where}: {mark.rule} at {mark.path}:{mark.line} is {found}"
        )


def _dismissals_have_evidence(case: Case, report: Report) -> None:
    for mark in case.dismissed:
        found = [d for d in report.dismissed if d.rule == mark.rule and d.at.path == mark.path]
        here = [d for d in found if d.at.covers(mark.line)]
        told = f"{case.where}: {mark.rule} at {mark.path}:{mark.line}\n{_told(report)}"
        assert here, f"no dismissal of {told}"
        assert any(d.evidence for d in here), f"no evidence for the dismissal of {told}"


def _fixes_are_exact(case: Case, report: Report) -> None:
    result = pipeline.fix(MemoryTree(case.files), _settings(case), unsafe=True)
    fixed = {**case.files, **result.changed}
    if case.after:
        for path, data in {**case.files, **case.after}.items():
            assert fixed.get(path, b"").decode() == data.decode(), f"{case.where}: {path} after all fixes"
    if result.changed:
        again = pipeline.fix(MemoryTree(fixed), _settings(case), unsafe=True)
        assert not again.changed, f"{case.where}: fixing twice changes {sorted(again.changed)}"
        loud = [
            f
            for f in pipeline.check(MemoryTree(fixed), _settings(case)).findings
            if f.severity is not Severity.INFO
        ]
        unfixable = () if case.after else {_key(f) for f in report.findings if not _fixable(f)}
        assert not [f for f in loud if _key(f) not in unfixable], f"{case.where}: the fixed tree has {loud}"


def _fixable(finding: Finding) -> bool:
    return finding.fix is not None and finding.fix.applicability is not Applicability.DISPLAY


def _key(finding: Finding) -> tuple[str, str, str]:
    return (finding.rule, finding.at.path, finding.anchor or finding.message)


def _suppressed_is_silent(case: Case, mark: Mark) -> None:
    lines = case.files[mark.path].decode().splitlines(keepends=True)
    line = lines[mark.line - 1]
    indent = line[: len(line) - len(line.lstrip())]
    lines.insert(mark.line - 1, f"{indent}# mmcodemod: ignore[{mark.rule}] tested\n")
    tree = MemoryTree({**case.files, mark.path: "".join(lines).encode()})
    found = [f for f in pipeline.check(tree).findings if f.at.path == mark.path]
    loud = [f for f in found if f.rule == mark.rule and f.at.line == mark.line + 1]
    assert not loud, f"{case.where}: {mark.rule} is not silenced by a comment above {mark.path}:{mark.line}"
    unused = [f for f in found if f.rule == UNUSED]
    assert not unused, f"{case.where}: the suppression above {mark.path}:{mark.line} counts as unused"


@functools.cache
def _code(slug: str) -> str:
    return next((rule.code for rule in rules() if rule.slug == slug), "")


def _told(report: Report) -> str:
    """What the check said, for the message of a failing test."""
    found = [f"found {f.rule} {f.severity.value} {f.at}: {f.message}" for f in report.findings]
    safe = [f"dismissed {d.rule} {d.at}: {d.reason}" for d in report.dismissed]
    return "\n".join([*found, *safe, *(f"problem {p.path}: {p.message}" for p in report.problems)])


WRITTEN = """# intro

## a case
todo: not yet
expect: ds.json:2 MM303 warning
dismissed: a.py:1 MM301

```python a.py
f()  # expect: MM201, MM203 info
```
```json ds.json crlf
{
}
```
```python a.py after
g()
```
"""


def test_a_case_is_read_as_written() -> None:
    (case,) = parse_text(WRITTEN, "some_rule")
    assert case.files == {"a.py": b"f()\n", "ds.json": b"{\r\n}\r\n"}
    assert case.after == {"a.py": b"g()\n"}
    assert sorted(case.expected) == [
        Mark("a.py", 1, "MM201"),
        Mark("a.py", 1, "MM203", "info"),
        Mark("ds.json", 2, "MM303", "warning"),
    ]
    assert case.dismissed == [Mark("a.py", 1, "MM301")]
    assert case.todo == "not yet"


@pytest.mark.parametrize(
    "text",
    [
        "## a\n```python a.py\nf()\n",
        "## a\n```python\nf()\n```\n",
        "## a\n```python a.py\nf()  # expect: 303\n```\n",
        "## a\nexpect: a.py MM303\n```python a.py\n```\n",
        "## a\nexpect: b.py:1 MM303\n```python a.py\n```\n",
        "## a\n",
        "## a\n```python a.py\n```\n## a\n```python a.py\n```\n",
        "## a\nexpect: a.py:1 MM303 loud\n```python a.py\n```\n",
    ],
)
def test_a_case_that_cannot_be_read_is_refused(text: str) -> None:
    with pytest.raises(MalformedCase):
        parse_text(text, "some_rule")
