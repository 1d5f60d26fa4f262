"""The working tree as a tree of git: tracked files with what the disk holds. git itself does not look at it,
because that would run the filters which the repository configures."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from mmcodemod.source.discover import is_interesting, read_regular
from mmcodemod.source.git import Repository
from mmcodemod.source.revision import LINK
from mmcodemod.source.tree import UnreadableFile
from mmcodemod.source.workshop import Entry, Workshop


def working_tree(repository: Repository, workshop: Workshop) -> str:
    """The name of a tree with the tracked files of the working tree, changes that are not committed
    included. Of files that no check reads, the version that is staged counts."""
    assert repository.top is not None
    entries = _tracked(repository.index())
    top = Path(os.path.realpath(repository.top))
    found = (e if skipped else _on_disk(top, e, workshop) for e, skipped in entries)
    return workshop.tree([e for e in found if e is not None])


def _tracked(listed: bytes) -> Iterator[tuple[Entry, bool]]:
    """Entries of the index, and whether a sparse checkout leaves them out. One version of a file in
    conflict: the disk has what counts."""
    seen: set[str] = set()
    for line in listed.split(b"\0"):
        about, _, name = line.partition(b"\t")
        path = name.decode("utf-8", "surrogateescape")
        if line and path not in seen:
            seen.add(path)
            tag, mode, blob, _ = about.decode().split()
            yield Entry(path, mode, blob), tag == "S"


def _on_disk(top: Path, entry: Entry, workshop: Workshop) -> Entry | None:
    """The entry with what the disk holds; None when there is no such file any more."""
    if not (entry.mode.startswith("100") or entry.mode == LINK) or not is_interesting(Path(entry.path).name):
        return entry
    try:
        if os.path.realpath((top / entry.path).parent) != str((top / entry.path).parent):
            return None  # behind a link, which may lead out of the tree
        mode = os.lstat(top / entry.path).st_mode
        if stat.S_ISLNK(mode):
            target = os.fsencode(os.readlink(top / entry.path))
            return replace(entry, mode=LINK, blob=workshop.blob(target))
        if not stat.S_ISREG(mode):
            return None
        return _regular(entry, read_regular(top / entry.path, entry.path), workshop)
    except UnreadableFile:
        return entry  # too large for a check: as it is staged
    except OSError:
        return None


def _regular(entry: Entry, data: bytes, workshop: Workshop) -> Entry:
    """Line ends that a checkout converts are no change."""
    if entry.blob in (workshop.name_of(data), workshop.name_of(data.replace(b"\r\n", b"\n"))):
        return entry
    mode = "100644" if entry.mode == LINK else entry.mode
    return replace(entry, mode=mode, blob=workshop.blob(data))
