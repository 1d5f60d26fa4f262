"""The baseline of a session: where it lies, what it holds, and a report without what it knows."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from mmcodemod.cli.console import note
from mmcodemod.cli.options import Failure
from mmcodemod.model.frozen import frozen

if TYPE_CHECKING:
    from mmcodemod.cli.session import Session
    from mmcodemod.engine.baseline import Entry, Scope
    from mmcodemod.model.finding import Finding
    from mmcodemod.model.report import Report

DEFAULT = ".mmcodemod-baseline.json"


@frozen()
class Baseline:
    """A file and its entries. `shown`: its path as a person would type it here; `known_as`: how a summary
    counts what it knows."""

    file: Path
    entries: tuple[Entry, ...]
    known_as: str = "in the baseline"

    @property
    def shown(self) -> str:
        return shown(self.file)


def shown(file: Path) -> str:
    """A path as short as it can be said in the working folder."""
    here = Path.cwd().resolve()
    return file.relative_to(here).as_posix() if file.is_relative_to(here) else str(file)


def file_of(session: Session) -> Path | None:
    """The file that --baseline or the configuration names; the latter relative to its folder."""
    if session.options.baseline:
        return _resolved(Path(session.options.baseline))
    if session.configuration.baseline:
        return _resolved(Path(session.configuration.path).parent / session.configuration.baseline)
    return None


def _resolved(file: Path) -> Path:
    return file.parent.resolve() / file.name


def baselines_of(session: Session) -> tuple[Baseline, ...]:
    """What is known: the file that is named, and the findings of another revision.

    Raises:
        Failure: when one of them is not there or cannot be read.
    """
    file, found = file_of(session), []
    if file:
        found.append(read(file))
    if session.options.diff_base:
        from mmcodemod.cli.at_revision import entries_at

        ref, root = session.options.diff_base, session.discovered.root
        found.append(Baseline(root / "(revision)", entries_at(session, ref), f"also at {ref}"))
    return tuple(found)


def read(file: Path) -> Baseline:
    """Raises: Failure, when it is not there or no baseline."""
    from mmcodemod.engine.baseline import BadBaseline, parse
    from mmcodemod.source.discover import read_regular
    from mmcodemod.source.tree import UnreadableFile

    try:
        return Baseline(file, parse(read_regular(file, str(file)), str(file)))
    except UnreadableFile as error:
        hint = "" if os.path.lexists(file) else _missing(file)
        raise Failure(f"{file}: {error.message}{hint}") from None
    except BadBaseline as error:
        raise Failure(str(error)) from None


def _missing(file: Path) -> str:
    """What to do about a file that is named and not there: a branch lacks one that was never committed."""
    from mmcodemod.source.git import GitError, open_repository

    create = "; `mmcodemod baseline` creates it"
    try:
        open_repository(_folder(file))
    except GitError:
        return create
    if _git_says_yes(file, "ls-files", "--error-unmatch"):
        return f"; `git restore {shown(file)}` brings it back"
    if git_ignores(file):
        cause = "; git does not track it, because it ignores it: where it is, `git add --force` and commit it"
    else:
        cause = "; git does not track it here: where it is, commit it"
    return cause + create


def tell_ignored(file: Path) -> None:
    """A line on stderr when git would not commit the file (many repositories ignore *.json)."""
    if git_ignores(file):
        note(f"git ignores {shown(file)}, and CI needs it: git add --force {shown(file)}")


def git_ignores(file: Path) -> bool:
    """False without a repository, too, and without git."""
    return _git_says_yes(file, "check-ignore", "-q")


def _git_says_yes(file: Path, *question: str) -> bool:
    from mmcodemod.source.git import GitError, environment, output

    folder = _folder(file)
    try:
        output(["git", "-C", str(folder), *question, "--", str(file.relative_to(folder))], environment())
    except GitError:
        return False
    return True


def _folder(file: Path) -> Path:
    """The nearest folder above that is there."""
    return next(folder for folder in file.parents if folder.is_dir())


def base_of(session: Session, file: Path) -> str:
    """Where the checked root is in the folder of the file."""
    root, folder = session.discovered.root, file.parent
    return root.relative_to(folder).as_posix() if root.is_relative_to(folder) and root != folder else ""


def scope_of(session: Session, file: Path) -> Scope:
    """What this session looks at. A part of a tree shows other findings than the whole: a check of one calls
    nothing stale."""
    from mmcodemod.engine.baseline import Scope

    root, there = session.discovered.root, set(session.discovered.tree.paths)
    base = base_of(session, file)
    whole = not base and covers(session)("")
    return Scope(
        base,
        lambda path: path not in there and not os.path.lexists(root / path),
        lambda path: whole,
        session.settings.selects,
    )


def covers(session: Session) -> Callable[[str], bool]:
    """Does the command line name a path, or a folder above it? Paths are relative to the root."""
    root = session.discovered.root
    named = [Path(os.path.abspath(path)).resolve() for path in session.options.paths]
    return lambda path: any((root / path).is_relative_to(one) for one in named)


def unknown(session: Session, findings: Sequence[Finding], known: Sequence[Baseline]) -> tuple[Finding, ...]:
    """The findings that no baseline knows."""
    from mmcodemod.engine.baseline import compare

    for one in known:
        findings = compare(findings, one.entries, scope_of(session, one.file)).kept
    return tuple(findings)


def compared(session: Session, report: Report, known: Sequence[Baseline]) -> Report:
    """The report without what is known."""
    from mmcodemod.engine.baseline import compare

    for one in known:
        found = compare(report.findings, one.entries, scope_of(session, one.file))
        if found.known:
            label = "known" if report.known else one.known_as
            number = report.known + len(found.known)
            report = replace(report, findings=found.kept, known=number, known_as=label)
    return report


def tell_stale(session: Session, report: Report, known: Sequence[Baseline]) -> None:
    """A line on stderr when entries of the file match nothing any more. `report` is the whole one."""
    from mmcodemod.engine.baseline import compare

    for one in known if not (session.options.quiet or session.options.diff_base) else ():
        stale = len(compare(report.findings, one.entries, scope_of(session, one.file)).stale)
        if stale:
            many = "1 entry matches" if stale == 1 else f"{stale} entries match"
            note(f"{many} nothing any more in {one.shown}: `mmcodemod baseline --prune` removes them")
