"""Why a request failed, in one sentence that says what to do; and whether it may be sent again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from mmcodemod.report.escape import visible
from mmcodemod.report.markup import clipped
from mmcodemod.review.wire import Request, Wire

_AGAIN = (500, 502, 503, 504)
_ADVICE = {
    401: "the token is not valid (any more)",
    403: "the token may not do that",
    404: "there is no such pull request, or the token may not see the repository",
    422: "the forge does not accept what was sent",
    500: "the forge has a problem: run it again later",
}


@dataclass(frozen=True)
class Failed:
    """A request that failed: may it be sent `again`, and how many seconds `after`?"""

    message: str
    status: int = 0
    again: bool = False
    after: float | None = None


def refused(
    wire: Wire, request: Request, status: int, headers: Mapping[str, str], data: bytes, now: float
) -> Failed:
    """An answer that is none. `headers` have names in lower case; `now` is in seconds since the epoch."""
    after = _pause(headers, now)
    if status == 429 or (status == 403 and _limited(headers, data)):
        wait = f" and asks to wait {after:.0f} seconds" if after is not None else ""
        return Failed(f"{wire.host} limits the rate of requests{wait}: run it again later", 429, True, after)
    advice = wire.advice.get(status) or _ADVICE.get(status) or _ADVICE.get(status // 100 * 100, "")
    text = f"{wire.host} answered {what(request)} with {status}{_words(wire, data)}"
    unprocessed = status == 503 and after is not None
    again = status in _AGAIN and (request.idempotent or unprocessed)
    unsure = unsure_of(request) if status >= 500 and not unprocessed else ""
    return Failed(f"{text}{': ' if advice else ''}{advice}{unsure}", status, again, after)


def broken(wire: Wire, request: Request, error: Exception) -> Failed:
    """No answer. Texts of requests are not shown: they hold addresses with passwords of proxies."""
    from requests import exceptions as kinds

    host, again = wire.host, request.idempotent
    if isinstance(error, kinds.SSLError):
        return Failed(
            f"the certificate of {host} is not trusted: name your authorities in REQUESTS_CA_BUNDLE"
        )
    if isinstance(error, kinds.ProxyError):
        return Failed(f"the proxy to {host} does not work: see HTTPS_PROXY and NO_PROXY", again=again)
    if isinstance(error, kinds.ConnectTimeout) or _never_connected(error):
        return Failed(f"{host} cannot be reached: is the address right, is there a network?", again=True)
    if isinstance(error, kinds.Timeout) or "timed out" in str(error):
        return Failed(f"{host} did not answer {what(request)} in time{unsure_of(request)}", again=again)
    if isinstance(error, kinds.InvalidURL | kinds.InvalidSchema | kinds.MissingSchema | kinds.InvalidHeader):
        return Failed(f"the address of {host} or the token is not well formed")
    return Failed(f"{host} broke off while answering {what(request)}{unsure_of(request)}", again=again)


def what(request: Request) -> str:
    """`GET /user`."""
    return f"{request.method} {visible(clipped(request.path.partition('?')[0], 200))}"


def unsure_of(request: Request) -> str:
    """After a POST of which nobody knows whether it was done."""
    if request.idempotent:
        return ""
    return "; it may have been written all the same: run it again, nothing is posted twice"


def _limited(headers: Mapping[str, str], data: bytes) -> bool:
    """Is a 403 one of GitHub's limits (docs.github.com, "Rate limits for the REST API")?"""
    used_up = headers.get("x-ratelimit-remaining") == "0"
    return used_up or "retry-after" in headers or b"secondary rate" in data.lower()


def _pause(headers: Mapping[str, str], now: float) -> float | None:
    """Seconds that the server asks to wait."""
    asked = headers.get("retry-after", "")
    if asked.isdigit():
        return float(asked)
    reset = headers.get("x-ratelimit-reset", "") or headers.get("ratelimit-reset", "")
    used_up = "0" in (headers.get("x-ratelimit-remaining", ""), headers.get("ratelimit-remaining", ""))
    return max(float(reset) - now, 0.0) if used_up and reset.isdigit() else None


def _words(wire: Wire, data: bytes) -> str:
    """What the server says, shortened and without the token."""
    try:
        value = json.loads(data)
    except ValueError:
        return ""
    if not isinstance(value, dict):
        return ""
    words = [value.get(name) for name in ("message", "error_description", "error", "errors")]
    text = "; ".join(word if isinstance(word, str) else json.dumps(word) for word in words if word)
    if wire.secret is not None:
        text = text.replace(wire.secret.value, "***")
    return f" ({visible(clipped(text, 300))})" if text else ""


def _never_connected(error: Exception) -> bool:
    """Did the request certainly not arrive?"""
    from urllib3.exceptions import NewConnectionError

    inner = error.args[0] if error.args else None
    return isinstance(getattr(inner, "reason", inner), NewConnectionError)
