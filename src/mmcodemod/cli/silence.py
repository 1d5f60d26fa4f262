"""`check --add-ignores`: a comment for every finding, and what to do where none can stand."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import TYPE_CHECKING

from mmcodemod.cli.console import emit, note
from mmcodemod.cli.known import Baseline, compared
from mmcodemod.cli.options import Failure
from mmcodemod.cli.writing import applied, verified
from mmcodemod.model.finding import Finding
from mmcodemod.model.report import Report

if TYPE_CHECKING:
    from mmcodemod.cli.session import Session
    from mmcodemod.pipeline import FixResult


def add_ignores(session: Session, baseline: Baseline | None, reason: str) -> int:
    """Write the comments. The exit code is that of a check of what is left."""
    from mmcodemod.cli.session import exit_code
    from mmcodemod.engine.ignoring import ignoring_all
    from mmcodemod.report.text import problem_lines

    options = session.options
    if options.format != "text" or options.output or options.statistics:
        raise Failure("--add-ignores prints no report: leave out --format, --output and --statistics")

    def new(report: Report) -> tuple[Finding, ...]:
        return compared(session, report, baseline)[0].findings

    result, before = verified(session, ignoring_all(reason, new))
    result = applied(session, result, before)
    left = new(Report(result.left))
    emit(_told(session, result, left))
    if not options.quiet:
        note(*problem_lines(result.problems))
    return exit_code(session, left, result.problems)


def _told(session: Session, result: FixResult, left: Iterable[Finding]) -> str:
    from mmcodemod.report.escape import visible
    from mmcodemod.report.words import count

    comments = {edit for finding in result.applied if finding.fix for edit in finding.fix.edits}
    files = len({edit.path for edit in comments})
    lines = [f"added {count(len(comments), 'comment')} in {count(files, 'file')}"] if comments else []
    remaining = list(left)
    if not comments and not remaining:
        return "nothing to silence\n"
    if remaining:
        lines += ["", f"{count(len(remaining), 'finding')} cannot be silenced by a comment:"]
        lines += [f"  {visible(str(f.at))}  {f.rule}  {_why(f)}" for f in remaining]
        lines += _instead(session, remaining)
    return "\n".join(lines).lstrip("\n") + "\n"


def _why(finding: Finding) -> str:
    from mmcodemod.engine.builtin import MALFORMED, UNUSED

    if finding.rule == UNUSED.code:
        return "a comment that silences nothing: `mmcodemod fix --select MM901 --apply` removes it"
    if finding.rule == MALFORMED.code:
        return "a comment that names no rule: name it or remove it"
    if finding.at.path.endswith(".json"):
        return "JSON has no comments"
    if finding.at.path.endswith(".md"):
        return "prose has no comments for us"
    return "no comment can stand there (a command of several lines?)"


def _instead(session: Session, left: Iterable[Finding]) -> list[str]:
    """Lines for the configuration, and the baseline."""
    from mmcodemod.report.escape import visible

    rules: defaultdict[str, set[str]] = defaultdict(set)
    base = f"{session.settings.base}/" if session.settings.base else ""
    for finding in left:
        if not finding.rule.startswith("MM9"):
            rules[visible(base + finding.at.path)].add(finding.rule)
    if not rules:
        return []
    table = [
        f"{_quoted(path)} = [{', '.join(map(_quoted, sorted(codes)))}]"
        for path, codes in sorted(rules.items())
    ]
    head = "put this into pyproject.toml, or keep them in a baseline (`mmcodemod baseline`):"
    return ["", head, "", "[tool.mmcodemod.per-file-ignores]", *table]


def _quoted(text: str) -> str:
    """As a string of TOML; `visible` text holds no control characters."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
