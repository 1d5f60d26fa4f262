"""`mmcodemod init [PATH]`."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mmcodemod.cli import origin
from mmcodemod.cli.console import emit, emit_whole, note
from mmcodemod.cli.options import Failure, Options
from mmcodemod.model.frozen import frozen

if TYPE_CHECKING:
    from mmcodemod.cli.session import Session
    from mmcodemod.model.report import Report

BASELINE = ".mmcodemod-baseline.json"
SHOWN = 26  # lines of a new file
_EPILOG = """\b
It asks before each of these (Enter is what stands in capitals), and never replaces a file:
  a baseline        when there are findings: what is known today, and left out by checks
                    (Enter is no where fewer than 20 fail a check: look at them first)
  a configuration   [tool.mmcodemod] at the end of pyproject.toml, else mmcodemod.toml
  a CI job          .github/workflows/mmcodemod.yml; at the end of .gitlab-ci.yml where there is one
                    (left out when nothing says what CI can install: see --install)
  a commit hook     an entry at the end of .pre-commit-config.yaml

Exit codes: 0 done, 2 nobody could be asked, or a file could not be written."""


@frozen()
class Step:
    """One thing to write. `text` is the whole new file, None where it cannot be grown: then `paste` holds
    what a person may put there. `done` says why there is nothing to do, `why` what it is good for,
    `preview` what is in it where the text says little, `asking` what a question adds to its name, `enter`
    what Enter means."""

    what: str
    path: str
    text: str | None = None
    before: str | None = None
    paste: str = ""
    done: str = ""
    why: str = ""
    preview: str = ""
    asking: str = ""
    enter: bool = True


@click.command(epilog=_EPILOG, short_help="Set a repository up, after asking.")
@click.argument("path", type=click.Path(exists=True, file_okay=False), default=".")
@click.option("--yes", is_flag=True, help="Write everything without asking.")
@click.option("--dry-run", is_flag=True, help="Show what would be written, and write nothing.")
@click.option("--install", metavar="SPEC", help=(
    "What pip installs in CI  [default: the git repository that this mmcodemod came from, else no CI job]"
))  # fmt: skip
def init(path: str, yes: bool, dry_run: bool, install: str | None) -> int:
    """Set a repository up: baseline, configuration, CI job and commit hook, each after asking."""
    from mmcodemod.cli import afterwards
    from mmcodemod.cli import session as sessions
    from mmcodemod.cli.dialog import can_ask

    wanted = origin.given(install)
    session = sessions.start(Options(paths=(path,)))
    report = sessions.checked(session)
    _tell(report)
    nobody = not (yes or dry_run or can_ask())
    offer = _Offer(session.discovered.root, asks=not yes, dry=dry_run or nobody)
    baseline = _baseline(session, report)
    known = baseline is not None and offer(baseline)
    offer(_configuration(session, report, known))
    first = not session.configuration.path  # who has one was asked before
    if first and not wanted and offer.asks and not offer.dry and not _job(offer.root, "-").done:
        wanted = origin.asked()
    offer(_job(offer.root, wanted))
    offer(_hook(offer.root, wanted))
    if nobody:
        raise Failure("nothing is written, because nobody can be asked here: --yes writes all of this")
    if dry_run:
        note("nothing is written (--dry-run)")
    else:
        afterwards.tell(session, report, offer.wrote)
    return 0


@frozen()
class _Offer:
    """Shows a step, asks, and writes it. `wrote`: the paths so far."""

    root: Path
    asks: bool
    dry: bool
    wrote: list[str] = field(default_factory=list)

    def __call__(self, step: Step) -> bool:
        """Is it written, or would it be?"""
        if not _show(step) or self.dry:
            return self.dry and step.text is not None
        if self.asks and not _agreed(step):
            note(f"left out {step.path}", "")
            return False
        _write(self.root, step)
        self.wrote.append(step.path)
        return True


def _agreed(step: Step) -> bool:
    """Does the person want it? The end of the input is no. `?` says what was not said yet."""
    from mmcodemod.cli.dialog import ask

    letters, yes, no = ("Y/n", " (also: Enter)", "") if step.enter else ("y/N", "", " (also: Enter)")
    while (said := ask(f"Write {step.path}{step.asking}? [{letters}/?] ")) is not None:
        if said.lower() in ("", "y", "yes", "n", "no"):
            return said.lower().startswith("y") if said else step.enter
        note(f"  y  write it{yes}\n  n  leave it out{no}", f"  {step.why}", f"  to undo it, {_undone(step)}")
    return False


def _undone(step: Step) -> str:
    from mmcodemod.report.escape import visible

    where = visible(step.path)
    return f"delete {where}" if step.before is None else f"take these lines out of {where} again"


def _tell(report: Report) -> None:
    from mmcodemod.report.text import problem_lines
    from mmcodemod.report.words import summary

    note(f"found: {summary(report, hint='')}", "")
    damaged = [problem for problem in report.problems if problem.damage]
    if damaged:
        note("CI and the hook will fail for these (--strict): mend them, or leave them out by `exclude`")
        note(*problem_lines(damaged), "")


def _baseline(session: Session, report: Report) -> Step | None:
    from mmcodemod.engine.baseline import dump, entries_of
    from mmcodemod.engine.starter import FEW
    from mmcodemod.report.text import statistics
    from mmcodemod.report.words import tally

    there = os.path.lexists(session.discovered.root / BASELINE)
    if session.configuration.path or there or not report.findings:
        return None
    hidden = tally(report.findings)
    return Step(
        f"a baseline ({hidden} of today, left out by checks from now on)",
        BASELINE,
        dump(entries_of(report.findings)).decode(),
        why=_WHY_BASELINE,
        preview=statistics(report.findings, session.names),
        asking=f", which hides {hidden} from checks",
        enter=sum(map(session.fails, report.findings)) >= FEW,
    )


_WHY_BASELINE = """\
checks, CI and the hook then fail only for what is new.
  Without it they show all of that, and fail until it is mended.
  `mmcodemod baseline --show` prints what it hides."""


def _configuration(session: Session, report: Report, with_baseline: bool) -> Step:
    from mmcodemod.engine import starter

    what, root = "a configuration", session.discovered.root
    why = "what a check leaves out, and what fails it; every command reads it."
    if session.configuration.path:
        return Step(what, session.configuration.path, done="is there already")
    required = starter.loose(report)
    exclude = starter.vendored(session.discovered.tree.paths, _text(root / ".gitmodules") or "")
    named = BASELINE if with_baseline else ""
    lines = starter.configuration(exclude, required, _installed(required), named)
    before = _text(root / "pyproject.toml")
    after = starter.in_pyproject(before, lines) if before is not None else None
    if before is not None and after is not None:
        return Step(what, "pyproject.toml", after, before, why=why)
    if os.path.lexists(root / "mmcodemod.toml"):
        return Step(what, "mmcodemod.toml", done="is there already")
    return Step(what, "mmcodemod.toml", lines, why=why)


def _job(root: Path, install: str) -> Step:
    from mmcodemod.engine import starter

    what, why = "a CI job", f"it checks what is pushed with {install}, and fails for findings."
    path = ".gitlab-ci.yml"
    if os.path.lexists(root / path):
        before = _text(root / path) or ""
        if "mmcodemod" in before:
            return Step(what, path, done="speaks of mmcodemod already")
        if not install:
            return Step(what, path, done=_LEFT_OUT)
        after, paste = starter.in_gitlab(before, install), starter.gitlab_job(install)
        return Step(what, path, after, before, paste, why=why)
    path = ".github/workflows/mmcodemod.yml"
    if os.path.lexists(root / path):
        return Step(what, path, done="is there already")
    if not install:
        return Step(what, path, done=_LEFT_OUT)
    return Step(what, path, starter.workflow(install), why=why)


_LEFT_OUT = (
    "is left out, because pip got this mmcodemod from no git repository. Say what CI is to install:"
    f"\n  mmcodemod init --install '{origin.EXAMPLE}'"
)


def _hook(root: Path, install: str) -> Step:
    from mmcodemod.engine import starter

    what, path = "a commit hook", ".pre-commit-config.yaml"
    if not install:
        what += " (runs the mmcodemod on the path: each teammate needs it installed)"
    why = "with pre-commit, each commit of a file that mmcodemod reads is checked first."
    if not os.path.lexists(root / path):
        return Step(what, path, "repos:\n" + starter.hook(install), why=why)
    before = _text(root / path) or ""
    if "mmcodemod" in before:
        return Step("a commit hook", path, done="speaks of mmcodemod already")
    after, paste = starter.in_pre_commit(before, install), starter.hook(install)
    return Step(what, path, after, before, paste, why=why)


def _show(step: Step) -> bool:
    """Show a step; is there something to write?"""
    from mmcodemod.report.diff import diff
    from mmcodemod.report.escape import visible, visible_lines

    if step.done:
        note(f"{step.what}: {visible(step.path)} {step.done}", "")
        return False
    emit(f"-- {step.what}: {step.path}\n\n")
    if step.text is None:
        emit(visible_lines(step.paste) + "\n")
        note(f"{step.path} cannot be added to safely: put these lines there yourself", "")
        return False
    if step.preview:
        emit(visible_lines(step.preview) + "\n")
    elif step.before is None:
        lines = step.text.splitlines()
        more = [f"... {len(lines) - SHOWN} more lines"] if len(lines) > SHOWN else []
        emit(visible_lines("\n".join([*lines[:SHOWN], *more])) + "\n\n")
    else:
        old, new = {step.path: step.before.encode()}, {step.path: step.text.encode()}
        emit(visible_lines(diff(old, new).decode()) + "\n")
    return True


def _write(root: Path, step: Step) -> None:
    """Grow a file that holds what was read, or write one that is not there.

    Raises:
        Failure: when it cannot be written, or changed meanwhile.
    """
    target = root / step.path
    now = _text(target)
    if now != step.before or (now is None and os.path.lexists(target)):
        raise Failure(f"{step.path} changed meanwhile: it is left as it is")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Failure(f"cannot write {step.path}: {error.strerror}") from None
    emit_whole((step.text or "").encode(), str(target))
    note(f"wrote {step.path}", "")


def _text(file: Path) -> str | None:
    """The text of a regular UTF-8 file; None where there is none."""
    from mmcodemod.source.discover import read_regular
    from mmcodemod.source.tree import UnreadableFile

    try:
        return read_regular(file, file.name).decode("utf-8")
    except (UnreadableFile, UnicodeDecodeError):
        return None


def _installed(names: Iterable[str]) -> dict[str, str]:
    """Versions of packages in the Python that runs us: a guess at what runs the training."""
    from importlib.metadata import PackageNotFoundError, version

    found = {}
    for name in names:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
