"""What pip installs elsewhere to get mmcodemod: as the user says, else the repository that ours came from."""

from __future__ import annotations

import json

from mmcodemod.cli.console import note
from mmcodemod.cli.options import Failure
from mmcodemod.model.pattern import regex

EXAMPLE = "mmcodemod @ git+https://HOST/OWNER/mmcodemod@COMMIT"
_INSTALLABLE = regex(
    r"[A-Za-z0-9][\w.\[\],-]{0,80}"  # name and extras
    r"( ?[=<>!~]=? ?[\w.*+!-]{1,40}| @ [\w.+:/@~%=-]{1,300})?"
)
_WANTED = f"NAME==VERSION, or NAME @ git+https://HOST/PATH@COMMIT (for example {EXAMPLE})"


def given(install: str | None) -> str:
    """What --install says, else where this mmcodemod came from.

    Raises:
        Failure: for what pip does not install.
    """
    if install and not _INSTALLABLE.fullmatch(install):
        raise Failure(f"--install wants what pip installs: {_WANTED}")
    return install or _repository()


def asked() -> str:
    """What the person answers; empty for nothing."""
    from mmcodemod.cli.dialog import ask

    question = f"What should CI install? (for example {EXAMPLE}; empty: leave the job out) "
    while said := ask(question):
        if _INSTALLABLE.fullmatch(said):
            return said
        note(
            "  CI runs on another machine, and this mmcodemod came from a folder of this one. Name what pip",
            f"  installs there: {_WANTED}",
        )
    return ""


def _repository() -> str:
    """The repository and commit that pip noted (PEP 610: direct_url.json); empty when it came from elsewhere:
    a folder of this machine, or an index, which elsewhere may hold another package of this name."""
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        noted = json.loads(distribution("mmcodemod").read_text("direct_url.json") or "{}")
    except (PackageNotFoundError, ValueError):
        return ""
    vcs, url = noted.get("vcs_info") or {}, str(noted.get("url"))
    spec = f"mmcodemod @ git+{url}@{vcs.get('commit_id')}"
    usable = vcs.get("vcs") == "git" and vcs.get("commit_id") and not url.startswith("file:")
    return spec if usable and _INSTALLABLE.fullmatch(spec) else ""
