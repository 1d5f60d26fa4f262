"""A diff that somebody gives, and the version that it belongs to, if any."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from mmcodemod.model.change import FileChange
from mmcodemod.review.apply import DoesNotApply, applied, patched, reverse
from mmcodemod.review.revisions import Pair, Snapshot
from mmcodemod.review.run import Change, Side
from mmcodemod.source.discover import is_interesting
from mmcodemod.source.git import Repository
from mmcodemod.source.revision import RevisionTree
from mmcodemod.source.tree import MemoryTree, UnreadableFile
from mmcodemod.source.workshop import Entry, Workshop

PATCHED = "the diff"
BEFORE = "before the diff"


def patched_pair(repository: Repository, shop: Workshop, changes: Sequence[FileChange]) -> Pair:
    """HEAD and what a diff makes of it; when HEAD has the change already, what was before it and HEAD.

    Raises:
        GitError: when there is no commit.
        DoesNotApply: when the diff fits neither way.
    """
    commit = repository.commit("HEAD")
    head = Snapshot(shop, commit, commit)
    files = list(_readable(changes))
    try:
        return Pair(head, _patched(head, files), repository.folder, tuple(_unseen(changes)))
    except DoesNotApply as error:
        try:
            before = replace(_patched(head, reverse(files)), label=BEFORE)
        except DoesNotApply:
            raise DoesNotApply(f"the diff does not fit HEAD ({commit[:12]}): {error}") from None
    note = f"HEAD ({commit[:12]}) already has the diff: it is compared with what was before the diff."
    return Pair(before, head, repository.folder, (note, *_unseen(changes)))


def alone(changes: Sequence[FileChange]) -> Change:
    """What can be checked without a repository: the files that the diff makes."""
    files = tuple(c for c in _readable(changes) if not c.old)
    new = {change.new: patched(b"", change) for change in files}
    there = tuple(_outside(c.old for c in changes if c.old and is_interesting(_name(c.old))))
    unknown = (*there, *_unseen(changes))
    return Change(Side("nothing", MemoryTree({})), Side(PATCHED, MemoryTree(new)), files, unknown)


def _patched(snapshot: Snapshot, changes: Sequence[FileChange]) -> Snapshot:
    """The version with the changes."""
    old = {e.path: e for e in snapshot.entries}
    tree = RevisionTree(snapshot.workshop, {p: e for p, e in old.items() if e.mode.startswith("100")})
    try:
        changed = applied(tree, changes).changed
    except UnreadableFile as error:
        raise DoesNotApply(f"{error.path}: {error.message}") from None
    origin = {c.new: c.old for c in changes}
    made = {path: data for path, data in changed.items() if data is not None}
    kept = [e for path, e in old.items() if path not in changed]
    shop = snapshot.workshop
    new = [Entry(p, _mode(old, origin.get(p, p)), shop.blob(data)) for p, data in made.items()]
    return Snapshot(shop, shop.tree([*kept, *new]), PATCHED)


def _mode(old: dict[str, Entry], path: str) -> str:
    return old[path].mode if path in old else "100644"


def _readable(changes: Iterable[FileChange]) -> Iterator[FileChange]:
    """The changes of files that a check reads and whose content the diff shows."""
    for change in changes:
        named = [name for name in (change.old, change.new) if name]
        if not change.binary and all(is_interesting(_name(name)) for name in named):
            yield change


def _unseen(changes: Iterable[FileChange]) -> Iterator[str]:
    """A sentence on each file whose new content the diff does not show."""
    readable = set(_readable(changes))
    for change in changes:
        if change not in readable and change.new and is_interesting(_name(change.new)):
            yield f"The diff does not show what is in {change.new}."


def _outside(paths: Iterable[str]) -> Iterator[str]:
    found = sorted(set(paths))
    yield "There is no repository here: only the files that the diff makes are checked, as if they were all."
    if found:
        named = ", ".join(found[:5]) + (f" and {len(found) - 5} more" if len(found) > 5 else "")
        yield f"Of files that it changes the diff shows a part, which cannot be checked: {named}."


def _name(path: str) -> str:
    return path.rpartition("/")[2]
