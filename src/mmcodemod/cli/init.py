"""`mmcodemod init [PATH]`."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mmcodemod.cli.console import emit, emit_whole, note
from mmcodemod.cli.options import Failure, Options

if TYPE_CHECKING:
    from mmcodemod.cli.session import Session
    from mmcodemod.model.report import Report

BASELINE = ".mmcodemod-baseline.json"
SHOWN = 26  # lines of a new file
_INSTALLABLE = re.compile(
    r"[A-Za-z0-9][\w.\[\],-]{0,80}"  # name and extras
    r"( ?[=<>!~]=? ?[\w.*+!-]{1,40}| @ [\w.+:/@~%=-]{1,300})?"
)
_EPILOG = """\b
It asks before each of these, and never replaces a file:
  a baseline        when there are findings: what is known today
  a configuration   [tool.mmcodemod] at the end of pyproject.toml, else mmcodemod.toml
  a CI job          .github/workflows/mmcodemod.yml; at the end of .gitlab-ci.yml where there is one
  a commit hook     an entry at the end of .pre-commit-config.yaml

Exit codes: 0 done, 2 nobody could be asked, or a file could not be written."""


@dataclass(frozen=True)
class Step:
    """One thing to write. `text` is the whole new file, None where it cannot be grown: then `paste` holds
    what a person may put there. `done` says why there is nothing to do."""

    what: str
    path: str
    text: str | None = None
    before: str | None = None
    paste: str = ""
    done: str = ""


@click.command(epilog=_EPILOG, short_help="Set a repository up, after asking.")
@click.argument("path", type=click.Path(exists=True, file_okay=False), default=".")
@click.option("--yes", is_flag=True, help="Write everything without asking.")
@click.option("--dry-run", is_flag=True, help="Show what would be written, and write nothing.")
@click.option("--install", metavar="SPEC", help=(
    "What pip installs in CI  [default: where this mmcodemod came from, else mmcodemod==VERSION]"
))  # fmt: skip
def init(path: str, yes: bool, dry_run: bool, install: str | None) -> int:
    """Set a repository up: baseline, configuration, CI job and commit hook, each after asking."""
    from mmcodemod.cli import session as sessions
    from mmcodemod.cli.dialog import can_ask

    if install and not _INSTALLABLE.fullmatch(install):
        raise Failure(
            "--install wants what pip installs: NAME==VERSION, or NAME @ git+https://HOST/PATH@COMMIT"
        )
    session = sessions.start(Options(paths=(path,)))
    report = sessions.checked(session)
    _tell(report)
    nobody = not (yes or dry_run or can_ask())
    offer = _Offer(session.discovered.root, asks=not yes, dry=dry_run or nobody)
    wanted, elsewhere = (install, install) if install else _install()
    baseline = _baseline(session, report)
    known = baseline is not None and offer(baseline)
    offer(_configuration(session, report, known))
    offer(_job(offer.root, wanted))
    offer(_hook(offer.root, elsewhere))
    if nobody:
        raise Failure("nothing is written, because nobody can be asked here: --yes writes all of this")
    note("nothing is written (--dry-run)" if dry_run else "next: mmcodemod check")
    return 0


@dataclass(frozen=True)
class _Offer:
    """Shows a step, asks, and writes it."""

    root: Path
    asks: bool
    dry: bool

    def __call__(self, step: Step) -> bool:
        """Is it written, or would it be?"""
        from mmcodemod.cli.dialog import ask

        if not _show(step) or self.dry:
            return self.dry and step.text is not None
        if self.asks and (ask(f"Write {step.path}? [y/N] ") or "").lower() not in ("y", "yes"):
            note(f"left out {step.path}", "")
            return False
        _write(self.root, step)
        return True


def _tell(report: Report) -> None:
    from mmcodemod.report.words import summary

    note(f"found: {summary(report, hint='')}", "")


def _baseline(session: Session, report: Report) -> Step | None:
    from mmcodemod.engine.baseline import dump, entries_of
    from mmcodemod.report.words import count

    there = os.path.lexists(session.discovered.root / BASELINE)
    if session.configuration.path or there or not report.findings:
        return None
    what = f"a baseline ({count(len(report.findings), 'finding')} of today, left out by checks from now on)"
    return Step(what, BASELINE, dump(entries_of(report.findings)).decode())


def _configuration(session: Session, report: Report, with_baseline: bool) -> Step:
    from mmcodemod.engine import starter

    what, root = "a configuration", session.discovered.root
    if session.configuration.path:
        return Step(what, session.configuration.path, done="is there already")
    required = starter.loose(report)
    exclude = starter.vendored(session.discovered.tree.paths, _text(root / ".gitmodules") or "")
    named = BASELINE if with_baseline else ""
    lines = starter.configuration(exclude, required, _installed(required), named)
    before = _text(root / "pyproject.toml")
    after = starter.in_pyproject(before, lines) if before is not None else None
    if before is not None and after is not None:
        return Step(what, "pyproject.toml", after, before)
    if os.path.lexists(root / "mmcodemod.toml"):
        return Step(what, "mmcodemod.toml", done="is there already")
    return Step(what, "mmcodemod.toml", lines)


def _job(root: Path, install: str) -> Step:
    from mmcodemod.engine import starter

    path = ".gitlab-ci.yml"
    if os.path.lexists(root / path):
        before = _text(root / path) or ""
        if "mmcodemod" in before:
            return Step("a CI job", path, done="speaks of mmcodemod already")
        return Step("a CI job", path, starter.in_gitlab(before, install), before, starter.gitlab_job(install))
    path = ".github/workflows/mmcodemod.yml"
    if os.path.lexists(root / path):
        return Step("a CI job", path, done="is there already")
    return Step("a CI job", path, starter.workflow(install))


def _hook(root: Path, install: str) -> Step:
    from mmcodemod.engine import starter

    what, path = "a commit hook", ".pre-commit-config.yaml"
    if not os.path.lexists(root / path):
        return Step(what, path, "repos:\n" + starter.hook(install))
    before = _text(root / path) or ""
    if "mmcodemod" in before:
        return Step(what, path, done="speaks of mmcodemod already")
    return Step(what, path, starter.in_pre_commit(before, install), before, starter.hook(install))


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
    if step.before is None:
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
    from mmcodemod.cli.known import tell_ignored

    target = root / step.path
    now = _text(target)
    if now != step.before or (now is None and os.path.lexists(target)):
        raise Failure(f"{step.path} changed meanwhile: it is left as it is")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Failure(f"cannot write {step.path}: {error.strerror}") from None
    emit_whole((step.text or "").encode(), str(target))
    note(f"wrote {step.path}")
    tell_ignored(target)


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


def _install() -> tuple[str, str]:
    """What pip installs to get this mmcodemod; and the same, or "" when it came from a folder of this machine
    (PEP 610: direct_url.json)."""
    from importlib.metadata import PackageNotFoundError, distribution

    from mmcodemod.report.version import VERSION

    exact = f"mmcodemod=={VERSION}"
    try:
        origin = json.loads(distribution("mmcodemod").read_text("direct_url.json") or "{}")
    except (PackageNotFoundError, ValueError):
        return exact, ""
    vcs = origin.get("vcs_info") or {}
    if vcs.get("vcs") == "git" and vcs.get("commit_id"):
        spec = f"mmcodemod @ git+{origin['url']}@{vcs['commit_id']}"
        return spec, spec
    return exact, "" if origin else exact
