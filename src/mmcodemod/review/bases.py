"""A base to offer, where the user names none or one that is not there."""

from __future__ import annotations

from mmcodemod.source.git import NoRevision, Repository

_USUAL = ("origin/main", "origin/master", "main", "master", "HEAD")


def usual(repository: Repository) -> str:
    """What a change is usually compared with; "" in a repository without a commit."""
    return next((name for name in _USUAL if _known(repository, name)), "")


def offered(repository: Repository, missing: str) -> str:
    """What may be meant by a base that is not there: `main` for `origin/main`, else the usual one. "" when
    the base is there: then something else is missing."""
    if _known(repository, missing):
        return ""
    local = missing.rpartition("/")[2]
    return local if _known(repository, local) else usual(repository)


def _known(repository: Repository, name: str) -> bool:
    try:
        repository.commit(name)
    except NoRevision:
        return False
    return True
