"""`mmcodemod check [PATH...]`."""

from __future__ import annotations

import posixpath
import sys
import time
from typing import TYPE_CHECKING, Any

import click

from mmcodemod.cli.console import emit, note
from mmcodemod.cli.grouped import Grouped
from mmcodemod.cli.options import Failure, Options, baseline_option, common_options, format_option, given
from mmcodemod.report.formats import FORMATS, SILENT_ON_PROBLEMS

if TYPE_CHECKING:
    from mmcodemod.cli.session import Session
    from mmcodemod.model.report import Report

WORDS = (".md", ".txt", ".toml", ".cfg", ".lock")
LISTS = ("metadata", "pipfile", "hostfile")
"""Ends and names of files that tell of versions and launches, and in which nothing is looked for."""


@click.command(cls=Grouped, short_help="Find runs that will hang, run out of sync or train wrongly.")
@common_options
@format_option(FORMATS)
@baseline_option("Leave out the findings that this file knows (see `mmcodemod baseline`).")
@click.option("--diff-base", metavar="REF", help=(
    "Report what is new since this revision of git (it is read without a checkout)."
))  # fmt: skip
@click.option(
    "--add-ignores",
    is_flag=True,
    help="Write a comment that silences each finding at or above --fail-on, instead of a report; says where "
    "none can stand.",
)
@click.option("--diff", is_flag=True, help="With --add-ignores: write nothing, and show what it would write.")
@click.option("--reason", metavar="TEXT", help="What --add-ignores writes behind the names of the rules.")
@click.option("--watch", is_flag=True, help="Check again whenever a file changes, until Ctrl-C.")
def check(add_ignores: bool, diff: bool, reason: str | None, watch: bool, **values: Any) -> int:
    """Find training runs that will hang, run out of sync or train wrongly."""
    if reason is not None and not add_ignores:
        raise Failure("--reason goes with --add-ignores")
    if diff and not add_ignores:
        raise Failure("--diff goes with --add-ignores; `mmcodemod fix` shows what it would fix")
    if add_ignores and watch:
        raise Failure("--add-ignores writes once: it does not go with --watch")
    options = given(values)
    if options.format == "html" and not (options.output or add_ignores) and sys.stdout.isatty():
        raise Failure("a terminal shows no page: give it a file with --output report.html")
    if watch:
        from mmcodemod.cli.watch import watch as keep_checking

        return keep_checking(options, _report)
    return _silence(options, reason or "", diff) if add_ignores else _report(options)


def _report(options: Options) -> int:
    """Check, print, and the exit code."""
    from mmcodemod.cli import known
    from mmcodemod.cli import session as sessions
    from mmcodemod.cli.reporting import rendered

    begun = time.monotonic()
    session = sessions.start(options)
    baselines = known.baselines_of(session)  # before the check: it may fail
    whole = sessions.checked(session)
    report = known.compared(session, whole, baselines)
    seconds = time.monotonic() - begun
    emit(rendered(session, report, seconds), options.output)
    _tell_file(session, report, seconds)
    _notes(session, report)
    _tell_nothing(session, report)
    _tell_part(session)
    known.tell_stale(session, whole, baselines)
    return sessions.exit_code(session, report.findings, report.problems)


def _silence(options: Options, reason: str, preview: bool) -> int:
    from mmcodemod.cli import known
    from mmcodemod.cli import session as sessions
    from mmcodemod.cli.silence import add_ignores

    session = sessions.start(options)
    return add_ignores(session, known.baselines_of(session), reason, preview)


def _tell_file(session: Session, report: Report, seconds: float) -> None:
    """Where the report is, and its last line for who does not look into it."""
    if session.options.output and not session.options.quiet:
        from mmcodemod.report.words import summary

        last = summary(report, seconds, "", len(session.discovered.tree.paths))
        note(f"wrote {session.options.output}: {last}")


def _tell_nothing(session: Session, report: Report) -> None:
    """No findings in files in which nothing is looked for are no clean bill."""
    told = session.empty and session.options.format == "text" and not session.options.output  # by the report
    seen = report.contexts or report.findings or any(map(_decides, session.discovered.tree.paths))
    if session.options.quiet or told or seen:
        return
    from mmcodemod.report.words import plain

    where = plain(", ".join(session.options.paths))
    note(f"nothing was checked: no Python, configuration or launch script in {where}")


def _decides(path: str) -> bool:
    """May a file of this name hold a finding?"""
    return not path.lower().endswith(WORDS) and posixpath.basename(path).lower() not in LISTS


def _tell_part(session: Session) -> None:
    """A part of a repository that looks right says little: stderr, because it is no finding."""
    if session.options.format == "text" and not session.options.quiet:
        from mmcodemod.cli.part import remark

        note(*remark(session))


def _notes(session: Session, report: Report) -> None:
    """Problems with files, and seconds, which JSON has inside: on stderr, because they are no findings. To be
    quiet about damage would look like a file in which nothing was found."""
    options = session.options
    if options.format in SILENT_ON_PROBLEMS:
        from mmcodemod.report.text import problem_lines
        from mmcodemod.report.untold import untold

        every = options.strict or not options.quiet
        left = untold(report.problems, report.findings, report.contexts)
        note(*problem_lines(p for p in left if every or p.damage))
    if options.profile and options.format != "json":
        from mmcodemod.report.profile import lines

        note(*lines(report.stats, session.names))
