"""What goes over the wire to a forge: requests, answers, and where to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Union
from urllib.parse import urlsplit

from mmcodemod.report.version import VERSION

Value = Union[str, int, float, bool, None, "list[Value]", "dict[str, Value]"]


class ForgeError(Exception):
    """Why a forge could not be asked or told, and what to do. `status` is that of HTTP, 0 for no answer."""

    def __init__(self, message: str, status: int = 0) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True)
class Request:
    """One request, `path` relative to the address of the interface."""

    method: str
    path: str
    body: Value = None

    @property
    def idempotent(self) -> bool:
        """Is it the same to send it twice?"""
        return self.method in ("GET", "PUT", "PATCH")


@dataclass(frozen=True)
class Answer:
    """A good answer. `headers` have names in lower case."""

    status: int
    headers: Mapping[str, str]
    value: Any


@dataclass(frozen=True)
class Secret:
    """A token, the header that carries it and what stands before it there. It is never shown."""

    header: str
    value: str = field(repr=False)
    scheme: str = ""


def secret(header: str, value: str, scheme: str = "") -> Secret | None:
    """The secret of a token; none for an empty one.

    Raises:
        ForgeError: for what no header can carry.
    """
    if not value:
        return None
    if not (value.isascii() and value.isprintable()) or " " in value:
        raise ForgeError("the token in the environment holds characters that no token has")
    return Secret(header, value, scheme)


@dataclass(frozen=True)
class Wire:
    """Where to and with what: the address of the interface, headers without the token, the token. `advice`
    says what to do about a status of this forge."""

    base: str
    headers: Mapping[str, str]
    secret: Secret | None = None
    advice: Mapping[int, str] = field(default_factory=dict)

    @property
    def host(self) -> str:
        return urlsplit(self.base).netloc.rpartition("@")[2]

    def url(self, path: str) -> str:
        """The address of a path; an address stays what it is."""
        return path if path.startswith(("http://", "https://")) else self.base + path

    def owns(self, url: str) -> bool:
        """Is it on the same server? Nothing else ever sees the token."""
        one, other = urlsplit(url), urlsplit(self.base)
        return (one.scheme, one.netloc) == (other.scheme, other.netloc)


def agent() -> dict[str, str]:
    return {"User-Agent": f"mmcodemod/{VERSION}"}
