"""The baseline of a session: where it lies, what it holds, and a report without what it knows."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from mmcodemod.cli.console import note
from mmcodemod.cli.options import Failure

if TYPE_CHECKING:
    from mmcodemod.cli.session import Session
    from mmcodemod.engine.baseline import Entry, Scope
    from mmcodemod.model.report import Report

DEFAULT = ".mmcodemod-baseline.json"


@dataclass(frozen=True)
class Baseline:
    """A file and its entries. `shown`: its path as a person would type it here."""

    file: Path
    entries: tuple[Entry, ...]

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


def baseline_of(session: Session) -> Baseline | None:
    """Raises: Failure, when the file that is named is not there or no baseline."""
    file = file_of(session)
    return read(file) if file else None


def read(file: Path) -> Baseline:
    """Raises: Failure, when it is not there or no baseline."""
    from mmcodemod.engine.baseline import BadBaseline, parse
    from mmcodemod.source.discover import read_regular
    from mmcodemod.source.tree import UnreadableFile

    try:
        return Baseline(file, parse(read_regular(file, str(file)), str(file)))
    except UnreadableFile as error:
        hint = "" if os.path.lexists(file) else "; `mmcodemod baseline` creates it"
        raise Failure(f"{file}: {error.message}{hint}") from None
    except BadBaseline as error:
        raise Failure(str(error)) from None


def base_of(session: Session, file: Path) -> str:
    """Where the checked root is in the folder of the file."""
    root, folder = session.discovered.root, file.parent
    return root.relative_to(folder).as_posix() if root.is_relative_to(folder) and root != folder else ""


def scope_of(session: Session, file: Path) -> Scope:
    """What this session looks at."""
    from mmcodemod.engine.baseline import Scope

    root, read = session.discovered.root, set(session.discovered.tree.paths)
    named = [Path(os.path.abspath(path)).resolve() for path in session.options.paths]
    return Scope(
        base_of(session, file),
        lambda path: path not in read and not os.path.lexists(root / path),
        lambda path: any((root / path).is_relative_to(one) for one in named),
        session.settings.selects,
    )


def compared(session: Session, report: Report, baseline: Baseline | None) -> tuple[Report, int]:
    """The report without what the baseline knows, and how many of its entries are stale."""
    if baseline is None:
        return report, 0
    from mmcodemod.engine.baseline import compare

    found = compare(report.findings, baseline.entries, scope_of(session, baseline.file))
    return replace(report, findings=found.kept, known=report.known + len(found.known)), len(found.stale)


def tell_stale(baseline: Baseline, stale: int) -> None:
    """A line on stderr when entries match nothing any more."""
    if stale:
        many = "1 entry matches" if stale == 1 else f"{stale} entries match"
        note(f"{many} nothing any more in {baseline.shown}: `mmcodemod baseline --prune` removes them")
