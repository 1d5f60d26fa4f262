"""Apply fixes in memory and verify them: what does not hold is dropped, never written."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from mmcodemod.facts.syntax import ParseError, parse
from mmcodemod.model.finding import Finding, Problem
from mmcodemod.model.fix import Edit, OverlappingEdits, apply_edits
from mmcodemod.model.grade import Applicability, Severity
from mmcodemod.model.report import Report
from mmcodemod.source.tree import OverlayTree, Tree, decode, encoding_of

MAX_ROUNDS = 5
Recheck = Callable[[Tree], Report]


@dataclass(frozen=True)
class Fixed:
    """`changed` files, findings that are gone, the report of the changed tree, and what failed."""

    changed: dict[str, bytes]
    gone: tuple[Finding, ...]
    report: Report
    problems: tuple[Problem, ...]


def fix_all(tree: Tree, check: Recheck, unsafe: bool) -> Fixed:
    """Rounds: all fixes that do not conflict, one re-check, bisect what fails; to a fixpoint."""
    first = report = check(tree)
    changed: dict[str, bytes] = {}
    problems: list[Problem] = []
    refused: set[tuple[str, str, str]] = set()
    for _ in range(MAX_ROUNDS):
        candidates = [f for f in report.findings if _may(f, unsafe) and _key(f) not in refused]
        if not candidates:
            break
        kept, new = _round(OverlayTree(tree, changed), candidates, check, report, refused, problems)
        if not kept:
            break
        changed, report = {**changed, **kept}, new
    still = {_key(f) for f in report.findings}
    gone = tuple(f for f in first.findings if _key(f) not in still)
    return Fixed(changed, gone, report, tuple(problems))


def _may(finding: Finding, unsafe: bool) -> bool:
    fix = finding.fix
    if fix is None or not fix.edits or finding.severity is Severity.INFO:
        return False
    return fix.applicability is Applicability.SAFE or (unsafe and fix.applicability is Applicability.UNSAFE)


def _key(finding: Finding) -> tuple[str, str, str]:
    return (finding.rule, finding.at.path, finding.anchor or finding.message)


def _round(
    tree: Tree,
    candidates: list[Finding],
    check: Recheck,
    before: Report,
    refused: set[tuple[str, str, str]],
    problems: list[Problem],
) -> tuple[dict[str, bytes], Report]:
    """Try all together; on failure halve until the ones that fail are alone, and refuse those."""
    trial = _trial(tree, candidates)
    if trial is not None:
        after = check(OverlayTree(tree, trial))
        reason = _objection(trial, candidates, before, after)
        if not reason:
            return trial, after
    else:
        reason = "its edits overlap those of another fix"
    if len(candidates) == 1:
        refused.add(_key(candidates[0]))
        problems.append(_refusal(candidates[0], reason))
        return {}, before
    half = len(candidates) // 2
    done, report = _round(tree, candidates[:half], check, before, refused, problems)
    return done, report  # the other half is tried in the next round, on top of this one


def _refusal(finding: Finding, reason: str) -> Problem:
    message = f"the fix of {finding.rule} was not applied: {reason}"
    return Problem(finding.at.path, "fix", message, finding.at.line)


def _trial(tree: Tree, findings: Iterable[Finding]) -> dict[str, bytes] | None:
    """The files as they would be; None when edits overlap."""
    by_path: dict[str, list[Edit]] = {}
    for finding in findings:
        for edit in finding.fix.edits if finding.fix else ():
            by_path.setdefault(edit.path, []).append(edit)
    try:
        return {path: _applied(tree, path, edits) for path, edits in sorted(by_path.items())}
    except OverlappingEdits:
        return None


def _applied(tree: Tree, path: str, edits: list[Edit]) -> bytes:
    data = tree.read_bytes(path) if path in tree.paths else b""
    encoding = encoding_of(path, data)
    return apply_edits(decode(path, data), tuple(edits)).encode(encoding)


def _objection(trial: dict[str, bytes], fixed: list[Finding], before: Report, after: Report) -> str:
    """Why the changed tree is not acceptable; "" when it is."""
    for path, data in trial.items():
        if not _parses(path, data):
            return f"{path} would not parse"
    left = {_key(f) for f in after.findings}
    for finding in fixed:
        if _key(finding) in left:
            return "the finding is still there after the fix"
    known = {_key(f) for f in before.findings}
    for finding in after.findings:
        if _key(finding) not in known and finding.severity is not Severity.INFO:
            return f"it would bring a new finding, {finding.rule} at {finding.at}"
    return ""


def _parses(path: str, data: bytes) -> bool:
    if path.endswith(".py"):
        try:
            parse(data)
        except ParseError:
            return False
    return True
