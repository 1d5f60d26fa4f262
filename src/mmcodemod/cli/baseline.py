"""`mmcodemod baseline [PATH...]`."""

from __future__ import annotations

import os
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from mmcodemod.cli.console import emit, emit_whole, note
from mmcodemod.cli.options import Failure, baseline_option, choosing_options, given

if TYPE_CHECKING:
    from pathlib import Path

    from mmcodemod.cli.session import Session
    from mmcodemod.engine.baseline import Compared

FOUND = 1
_EPILOG = """\b
Examples:
  mmcodemod baseline                 write .mmcodemod-baseline.json: all that is found today
  mmcodemod check --baseline .mmcodemod-baseline.json
                                     report what came since
  mmcodemod baseline --show          the known findings, as a check without the file prints them
  mmcodemod baseline --show-stale    list entries whose finding is gone
  mmcodemod baseline --prune         remove those, add nothing
  mmcodemod baseline --update        write today's findings: add new ones, remove stale ones

Lines may move and files may be renamed: an entry names rule, symbol and text, no line. Commit the file.

Exit codes: 0 written or nothing stale, 1 --show-stale found some, 2 the arguments are wrong."""


@click.command(epilog=_EPILOG, short_help="Keep a file of known findings.")
@choosing_options
@baseline_option(
    "The file  [default: the configured one, else .mmcodemod-baseline.json in the checked folder]"
)
@click.option("--show", "action", flag_value="show", help="Print the known findings, and write nothing.")
@click.option("--update", "action", flag_value="update", help="Make an existing file today's findings.")
@click.option("--prune", "action", flag_value="prune", help="Remove the entries that match nothing any more.")
@click.option("--show-stale", "action", flag_value="stale", help="List such entries, and write nothing.")
@click.option("--force", "action", flag_value="force", help="Write it anew, whatever is there.")
def baseline(action: str | None, **values: Any) -> int:
    """Keep a file of known findings, so that a check reports only what is new."""
    from mmcodemod.cli import known
    from mmcodemod.cli import session as sessions
    from mmcodemod.cli.reporting import rendered
    from mmcodemod.engine.baseline import compare, dump, entries_of

    begun = time.monotonic()
    session = sessions.start(given(values))
    if session.empty:
        note(f"nothing to check: no Python, configuration or launch script in {session.discovered.root}")
        return 0
    file = known.file_of(session) or session.discovered.root / known.DEFAULT
    if action is None and os.path.lexists(file):
        what = "--show, --update, --prune, --show-stale or --force"
        raise Failure(f"{known.shown(file)} is there already: {what}")
    old = () if action in (None, "force") else known.read(file).entries
    report = sessions.checked(session)
    found = compare(report.findings, old, known.scope_of(session, file))
    if action == "show":
        emit(rendered(session, replace(report, findings=found.known), time.monotonic() - begun))
        return 0
    if action == "stale":
        return _show_stale(session, file, found, len(old))
    listed = found.known if action == "prune" else report.findings
    now = tuple(sorted({*entries_of(listed, known.base_of(session, file)), *found.unseen}))
    if now != old or not old:
        emit_whole(dump(now), str(file))
    _told(session, file, action, found, len(now))
    return 0


def _told(session: Session, file: Path, action: str | None, found: Compared, entries: int) -> None:
    from mmcodemod.cli.known import shown, tell_ignored
    from mmcodemod.report.words import count

    if session.options.quiet:
        return
    if action in ("update", "prune"):
        added = "" if action == "prune" else f"{len(found.kept)} added, "
        kept = entries - (len(found.kept) if action == "update" else 0)
        note(f"{shown(file)}: {added}{len(found.stale)} removed, {kept} kept")
        return
    note(f"wrote {shown(file)}: {count(entries, 'known finding')}")
    tell_ignored(file)
    if not session.configuration.baseline:
        project = (file.parent / "pyproject.toml").is_file()
        where = "below [tool.mmcodemod] of the pyproject.toml" if project else "in a mmcodemod.toml"
        note(
            f"use it: mmcodemod check --baseline {shown(file)}",
            f'or always: baseline = "{file.name}" {where} beside it',
        )


def _show_stale(session: Session, file: Path, found: Compared, entries: int) -> int:
    from mmcodemod.cli.known import shown
    from mmcodemod.report.escape import visible

    for entry in found.stale:
        where = f"{entry.path} ({entry.symbol})" if entry.symbol else entry.path
        emit(f"{visible(where)}  {visible(entry.rule)}  {visible(entry.message)}\n")
    if not session.options.quiet:
        note(f"{shown(file)}: {len(found.stale)} of {entries} stale")
    return FOUND if found.stale else 0
