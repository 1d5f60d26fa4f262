"""HTTP with a forge: the optional package requests, imported when it is needed.

The token goes to one server alone, is in no message, and no redirect takes it elsewhere. What fails ends in
one sentence that says what to do.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit

from mmcodemod.report.escape import visible
from mmcodemod.report.markup import clipped
from mmcodemod.review.refusals import Failed, broken, refused, unsure_of, what
from mmcodemod.review.wire import Answer, ForgeError, Request, Secret, Wire

if TYPE_CHECKING:
    import requests

MOST_BYTES = 32 << 20  # of one answer
MOST_PAGES = 100
MOST_SECONDS = 120.0  # for one answer, and for all waiting between attempts
ATTEMPTS = 4
INSTALL = "posting needs the package requests: pip install 'mmcodemod[review]'"
_REDIRECTS = (301, 302, 307, 308)


@dataclass
class Client:
    """Asks and tells one forge. `time_outs`: seconds to connect, and between two pieces of an answer. `sleep`
    and `clock` (seconds) are there for tests."""

    wire: Wire
    sleep: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.time
    time_outs: tuple[float, float] = (10.0, 30.0)
    _session: requests.Session | None = None

    def get(self, path: str) -> Answer:
        return self.send(Request("GET", path))

    def pages(self, path: str) -> Iterator[Any]:
        """The items of all pages, as the header Link leads."""
        here: str | None = path
        for _ in range(MOST_PAGES):
            answer = self.get(here or path)
            if not isinstance(answer.value, list):
                raise ForgeError(
                    f"{self.wire.host} answered with something else than the list of its documentation"
                )
            yield from answer.value
            here = self._next(answer)
            if here is None:
                return
        raise ForgeError(f"{self.wire.host} lists more than {MOST_PAGES} pages: too many comments to read")

    def send(self, request: Request) -> Answer:
        """Send, and again where that is safe.

        Raises:
            ForgeError: in one sentence.
        """
        waited = 0.0
        for attempt in range(ATTEMPTS):
            outcome = self._once(request)
            if isinstance(outcome, Answer):
                return outcome
            pause = outcome.after if outcome.after is not None else float(2**attempt)
            waited += pause
            if not outcome.again or attempt == ATTEMPTS - 1 or waited > MOST_SECONDS:
                raise ForgeError(outcome.message, outcome.status)
            self.sleep(pause)
        raise AssertionError("the last attempt returns or raises")

    def _once(self, request: Request) -> Answer | Failed:
        requests = _requests()
        try:
            with self._opened(request) as response:
                return self._judged(request, response, _read(response))
        except requests.exceptions.RequestException as error:
            return broken(self.wire, request, error)
        except _TooMuch as error:
            return Failed(f"{self.wire.host}: {error}")

    def _opened(self, request: Request) -> requests.Response:
        """The answer, after redirects on the same server."""
        url = self.wire.url(request.path)
        for _ in range(3):
            response = self._sent(request, url)
            target = urljoin(url, response.headers.get("location", ""))
            kept = request.method == "GET" or response.status_code in (307, 308)
            if response.status_code not in _REDIRECTS or not kept or not self.wire.owns(target):
                break
            response.close()
            url = target
        return response

    def _sent(self, request: Request, url: str) -> requests.Response:
        if self._session is None:
            self._session = _requests().Session()
            self._session.auth = _Token(self.wire.secret)
        headers, data = dict(self.wire.headers), None
        if request.body is not None:
            headers["Content-Type"] = "application/json"
            data = json.dumps(request.body).encode()
        return self._session.request(
            request.method,
            url,
            data=data,
            headers=headers,
            timeout=self.time_outs,
            stream=True,
            allow_redirects=False,
        )

    def _judged(self, request: Request, response: requests.Response, data: bytes) -> Answer | Failed:
        status = response.status_code
        headers = {name.lower(): value for name, value in response.headers.items()}
        if status in _REDIRECTS:
            return self._redirected(headers.get("location", ""))
        if not 200 <= status < 300:
            return refused(self.wire, request, status, headers, data, self.clock())
        try:
            return Answer(status, headers, json.loads(data) if data.strip() else None)
        except ValueError:
            text = f"{self.wire.host} answered {what(request)} with broken JSON{unsure_of(request)}"
            return Failed(text, again=request.idempotent)

    def _redirected(self, target: str) -> Failed:
        host = visible(clipped(urlsplit(target).netloc.rpartition("@")[2], 100)) or "another address"
        return Failed(
            f"{self.wire.host} redirects to {host}, and the token is not sent there: correct the address"
        )

    def _next(self, answer: Answer) -> str | None:
        links = _requests().utils.parse_header_links(answer.headers.get("link", ""))
        url = next((str(link["url"]) for link in links if link.get("rel") == "next"), None)
        target = None if url is None else urljoin(self.wire.base, url)
        if target is not None and not self.wire.owns(target):
            raise ForgeError(f"{self.wire.host} names a next page on another server: not followed")
        return target


def _read(response: requests.Response) -> bytes:
    """The body, of a bounded size and in a bounded time."""
    begun, parts, size = time.monotonic(), [], 0
    for chunk in response.iter_content(1 << 16):
        parts.append(chunk)
        size += len(chunk)
        if size > MOST_BYTES:
            raise _TooMuch(f"the answer is longer than {MOST_BYTES >> 20} MiB")
        if time.monotonic() - begun > MOST_SECONDS:
            raise _TooMuch(f"the answer took longer than {MOST_SECONDS:.0f} seconds")
    return b"".join(parts)


class _TooMuch(Exception):
    """An answer without end."""


class _Token:
    """Puts the token into a request. Being there, it also keeps requests from reading ~/.netrc."""

    def __init__(self, secret: Secret | None) -> None:
        self._secret = secret

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        if self._secret is not None:
            request.headers[self._secret.header] = self._secret.scheme + self._secret.value
        return request


def _requests() -> Any:
    try:
        import requests
    except ImportError:
        raise ForgeError(INSTALL) from None
    return requests
