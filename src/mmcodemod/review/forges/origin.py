"""The repository that the remote `origin` of a clone names. A clone may name anything: a server counts only
when the environment knows it as well."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from mmcodemod.model.pattern import regex

_SCP = regex(r"(?:[\w.-]+@)?([\w.-]+):(?!//)(.+)", re.ASCII)


@dataclass(frozen=True)
class Origin:
    """`host` in lower case, with the port of an address of the web; `path` of the repository there."""

    host: str
    path: str


def origin(url: str) -> Origin | None:
    """What an address of git means: `https://host/path.git`, `ssh://git@host/path`, `git@host:path`."""
    if (found := _SCP.fullmatch(url)) is not None:
        return Origin(found[1].lower(), _bare(found[2]))
    try:
        address = urlsplit(url)
        host = (address.hostname or "").lower()
        port = f":{address.port}" if address.port and address.scheme in ("http", "https") else ""
    except ValueError:
        return None
    if address.scheme not in ("http", "https", "ssh", "git") or not host:
        return None
    return Origin(host + port, _bare(unquote(address.path)))


def _bare(path: str) -> str:
    return path.strip("/").removesuffix(".git")
