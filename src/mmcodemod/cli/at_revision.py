"""`check --diff-base REF`: what a check finds in the same folder of another revision."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from mmcodemod.cli.options import Failure

if TYPE_CHECKING:
    from mmcodemod.cli.session import Session
    from mmcodemod.engine.baseline import Entry
    from mmcodemod.source.tree import Tree


def entries_at(session: Session, ref: str) -> tuple[Entry, ...]:
    """The findings of that revision, by the rules and the configuration of now.

    Raises:
        Failure: when there is no such revision, or no repository.
    """
    from mmcodemod import pipeline
    from mmcodemod.engine.baseline import entries_of
    from mmcodemod.source.git import GitError, open_repository
    from mmcodemod.source.revision import below, revision
    from mmcodemod.source.workshop import opened

    tell = session.settings.tell
    settings = replace(session.settings, tell=lambda what: tell(f"at {ref}: {what}"))
    try:
        repository = open_repository(session.discovered.root)
        with opened(repository.objects, repository.hash) as shop:
            entries = below(shop.entries(repository.commit(ref)), repository.folder)
            found = revision(shop, entries, session.configuration.exclude)
            return entries_of(pipeline.check(_named(session, found.tree), settings).findings)
    except GitError as error:
        raise Failure(f"--diff-base: {error}") from None


def _named(session: Session, tree: Tree) -> Tree:
    """The part of the tree that the command line names."""
    from mmcodemod.cli.known import covers
    from mmcodemod.source.tree import PartTree

    covered = covers(session)
    return PartTree(tree, tuple(path for path in tree.paths if covered(path)))
