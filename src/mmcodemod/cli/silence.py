"""`check --add-ignores`: a comment for every finding, and what to do where none can stand."""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from mmcodemod.cli.console import emit, note, palette
from mmcodemod.cli.known import Baseline, compared
from mmcodemod.cli.options import Failure
from mmcodemod.cli.writing import applied, verified
from mmcodemod.model.finding import Finding
from mmcodemod.model.report import Report

if TYPE_CHECKING:
    from mmcodemod.cli.session import Session
    from mmcodemod.pipeline import FixResult


def add_ignores(session: Session, known: Sequence[Baseline], reason: str, preview: bool) -> int:
    """Write the comments, or show them. The exit code is that of a check of what is left; of a preview: would
    something change?"""
    from mmcodemod.cli.session import FOUND, exit_code
    from mmcodemod.engine.ignoring import ignoring_all
    from mmcodemod.report.text import problem_lines

    options = session.options
    if options.format != "text" or options.output or options.statistics:
        raise Failure("--add-ignores prints no report: leave out --format, --output and --statistics")

    def failing(report: Report) -> tuple[Finding, ...]:
        return tuple(f for f in compared(session, report, known).findings if session.fails(f))

    result, before = verified(session, ignoring_all(reason, failing))
    if preview:
        emit(_shown(session, result, before))
        return FOUND if result.changed and not options.exit_zero else 0
    result = applied(session, result, before)
    left, every = failing(Report(result.left)), compared(session, Report(result.left), known).findings
    emit(_told(session, result, left))
    if not options.quiet:
        note(*problem_lines(result.problems), _last(session, len(left), len(every) - len(left)))
    return exit_code(session, left, result.problems)


def _shown(session: Session, result: FixResult, before: dict[str, bytes]) -> str | bytes:
    from mmcodemod.report.diff import diff, for_terminal

    text, colours = diff(before, result.changed), palette(session.options.color, None)
    return for_terminal(text, colours) if sys.stdout.isatty() or colours.on else text


def _told(session: Session, result: FixResult, left: Sequence[Finding]) -> str:
    from mmcodemod.report.escape import visible
    from mmcodemod.report.words import count

    comments = {edit for finding in result.applied if finding.fix for edit in finding.fix.edits}
    files = len({edit.path for edit in comments})
    lines = [f"added {count(len(comments), 'comment')} in {count(files, 'file')}"] if comments else []
    if not comments and not left:
        return "nothing to silence\n"
    if left:
        lines += ["", f"{count(len(left), 'finding')} cannot be silenced by a comment:"]
        lines += [f"  {visible(str(f.at))}  {f.rule}  {_why(f)}" for f in left]
        lines += _instead(session, left)
    return "\n".join(lines).lstrip("\n") + "\n"


def _last(session: Session, loud: int, quiet: int) -> str:
    """What is left, and why."""
    from mmcodemod.report.words import count

    fails = f"{count(loud, 'finding')} that no comment can silence" if loud else "nothing that fails a check"
    below = f", and {quiet} below --fail-on {session.fail_on.value}, which fail nothing" if quiet else ""
    return f"left: {fails}{below}"


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
