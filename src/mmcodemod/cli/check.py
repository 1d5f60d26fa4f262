"""`mmcodemod check [PATH...]`."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import click

from mmcodemod.cli.console import emit, note
from mmcodemod.cli.options import Failure, Options, baseline_option, common_options, format_option, given
from mmcodemod.report.formats import FORMATS, SILENT_ON_PROBLEMS

if TYPE_CHECKING:
    from mmcodemod.model.report import Report


@click.command()
@common_options
@format_option(FORMATS)
@baseline_option("Leave out the findings that this file knows (see `mmcodemod baseline`).")
@click.option(
    "--add-ignores",
    is_flag=True,
    help=("Write a comment that silences each finding, instead of a report; says where none can stand."),
)
@click.option("--reason", metavar="TEXT", help="What --add-ignores writes behind the names of the rules.")
@click.option("--watch", is_flag=True, help="Check again whenever a file changes, until Ctrl-C.")
def check(add_ignores: bool, reason: str | None, watch: bool, **values: Any) -> int:
    """Find training runs that will hang, run out of sync or train wrongly."""
    from mmcodemod.cli import known
    from mmcodemod.cli import session as sessions
    from mmcodemod.cli.reporting import rendered

    if reason is not None and not add_ignores:
        raise Failure("--reason goes with --add-ignores")
    begun = time.monotonic()
    session = sessions.start(given(values))
    file = known.file_of(session)
    baseline = known.read(file) if file else None  # before the check: it may fail
    if add_ignores:
        from mmcodemod.cli.silence import add_ignores as write_them

        return write_them(session, baseline, reason or "")
    report, stale = known.compared(session, sessions.checked(session), baseline)
    emit(rendered(session, report, time.monotonic() - begun), session.options.output)
    _notes(session.options, report)
    if baseline and not session.options.quiet:
        known.tell_stale(baseline, stale)
    return sessions.exit_code(session, report.findings, report.problems)


def _notes(options: Options, report: Report) -> None:
    """Problems with files, and times: on stderr, because they are no findings."""
    if options.format in SILENT_ON_PROBLEMS and (options.strict or not options.quiet):
        from mmcodemod.report.text import problem_lines

        note(*problem_lines(report.problems))
    if options.profile and options.format == "text":
        note(*(f"{seconds:8.3f} s  {stage}" for stage, seconds in sorted(report.stats.seconds.items())))
