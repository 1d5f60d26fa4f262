"""`mmcodemod preflight [OPTIONS] -- COMMAND...`."""

from __future__ import annotations

import os
import shutil
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from mmcodemod.cli.console import columns, note, palette
from mmcodemod.cli.options import Failure, given, preflight_options

if TYPE_CHECKING:
    from mmcodemod.cli.session import Session
    from mmcodemod.model.report import Report

NOT_FOUND, NOT_EXECUTABLE = 127, 126  # as shells say it
_MARKS = (".git", "pyproject.toml", "setup.py", "setup.cfg", "mmcodemod.toml")


@click.command(
    context_settings={"ignore_unknown_options": False, "allow_interspersed_args": False},
    epilog="Exit codes: that of the command; 1 not started because of findings; 2 the arguments are wrong.",
    short_help="Check the run that COMMAND starts; start it if all is well.",
)
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED, metavar="-- COMMAND...")
@click.option("--force", is_flag=True, help="Start the command whatever is found.")
@click.option("--dry-run", is_flag=True, help="Check, and do not start the command.")
@click.option("--root", type=click.Path(file_okay=False, exists=True), metavar="DIR", help=(
    "The repository  [default: the folder with .git or pyproject.toml above the working folder]"
))  # fmt: skip
@preflight_options
def preflight(command: tuple[str, ...], force: bool, dry_run: bool, root: str | None, **values: Any) -> int:
    """Check the one run that COMMAND starts, and start it when nothing is found."""
    from mmcodemod.cli import known
    from mmcodemod.cli import session as sessions

    folder = Path(root).resolve() if root else _root(Path.cwd().resolve())
    if not Path.cwd().resolve().is_relative_to(folder):
        raise Failure(f"the working folder is not inside {folder}")
    session = sessions.start(given({**values, "paths": (str(folder),)}))
    baselines = known.baselines_of(session)  # before the check: it may fail
    report = known.compared(session, _checked(session, command), baselines)
    failing = any(map(session.fails, report.findings))
    _tell(session, report, command, failing and not (force or dry_run))
    if not dry_run and (force or not failing):
        _start(command)
    return sessions.FOUND if failing else 0


def _root(here: Path) -> Path:
    """The nearest folder above that looks like a repository; the folder itself when none does."""
    return next((p for p in (here, *here.parents) if any((p / mark).exists() for mark in _MARKS)), here)


def _checked(session: Session, command: tuple[str, ...]) -> Report:
    from mmcodemod import pipeline
    from mmcodemod.cli.session import watched
    from mmcodemod.model.given import COMMAND, Given, deciding
    from mmcodemod.source.tree import OverlayTree

    here = Path.cwd().resolve().relative_to(session.discovered.root).as_posix()
    asked = Given(command, deciding(os.environ), "" if here == "." else here)
    text = asked.text.encode("utf-8", "surrogateescape")
    with watched(session.discovered.tree) as tree:
        return pipeline.check(OverlayTree(tree, {COMMAND: text}), replace(session.settings, given=asked))


def _tell(session: Session, report: Report, command: tuple[str, ...], stops: bool) -> None:
    """The verdict on stderr: stdout belongs to the command."""
    from mmcodemod.model.given import COMMAND, Given
    from mmcodemod.report import text
    from mmcodemod.report.words import count
    from mmcodemod.source.tree import OverlayTree

    if not any(context.launcher for context in report.contexts):
        note("mmcodemod: no training run is seen in this command; nothing was checked")
        return
    tree = OverlayTree(session.discovered.tree, {COMMAND: Given(command).text.encode("utf-8", "replace")})
    style = text.Style(palette(session.options.color, None, sys.stderr), columns())
    note(text.render(report, tree, session.names, style).rstrip("\n"))
    if report.known:
        are = "is" if report.known == 1 else "are"
        note(f"mmcodemod: {count(report.known, 'known finding')} {are} left out, as the baseline says")
    if stops:
        note("mmcodemod: the command was not started; --force starts it all the same")


def _start(command: tuple[str, ...]) -> NoReturn:
    """Become the command: same process, same streams, its exit code."""
    program = shutil.which(command[0])
    if program is None:
        note(f"mmcodemod: {command[0]}: command not found")
        sys.exit(NOT_FOUND)
    sys.stdout.flush()
    sys.stderr.flush()
    try:
        os.execv(program, command)
    except OSError as error:
        note(f"mmcodemod: {command[0]}: {error.strerror}")
        sys.exit(NOT_EXECUTABLE)
