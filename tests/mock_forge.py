"""Forges on loopback: they keep comments, page their lists, refuse what their documentation does not know,
and fail when told to.

GitHub by docs.github.com/rest, GitLab by docs.gitlab.com/api (discussions, notes, merge requests), Gitea by
templates/swagger/v1_json.tmpl. Each page holds two items, so that nobody forgets to turn it.
"""

from __future__ import annotations

import json
import re
import time
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import parse_qs, unquote, urlsplit

TOKEN = "secret-t0ken"
PAGE = 2
SHA = re.compile(r"[0-9a-f]{40}")


class Refused(Exception):
    """An answer that is no success."""

    def __init__(self, status: int, message: str, headers: dict[str, str] | None = None) -> None:
        super().__init__(message)
        self.status, self.message, self.headers = status, message, headers or {}


@dataclass
class Fault:
    """What to do instead of answering: a status, or "slow", "cut", "json", "close", "endless". `on` is the
    method, and a part of the path."""

    kind: int | str
    on: tuple[str, str] = ("", "")
    times: int = 1
    headers: dict[str, str] = field(default_factory=dict)
    message: str = "as you wished"
    after: bool = False  # does the forge do it first, and fail then?


@dataclass
class State:
    """What a forge holds. `login` is whose token it is; `person` is false for the token of a workflow."""

    base: str
    head: str
    login: str = "bot"
    person: bool = True
    shown: dict[str, set[int]] | None = None  # lines of the diff; None for any
    comments: list[dict] = field(default_factory=list)  # on lines
    talk: list[dict] = field(default_factory=list)
    threads: list[dict] = field(default_factory=list)  # GitLab
    reviews: list[dict] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    log: list[tuple[str, str]] = field(default_factory=list)
    seen: list[dict[str, str]] = field(default_factory=list)  # headers
    fork: dict[str, object] = field(default_factory=dict)  # what the answer holds of where the head is
    number: int = 100

    def next(self) -> int:
        self.number += 1
        return self.number

    @property
    def writes(self) -> list[tuple[str, str]]:
        return [(method, path) for method, path in self.log if method != "GET"]


class Forge:
    """A server that runs as long as it is used as a context."""

    def __init__(self, kind: str, state: State) -> None:
        self.state = state
        handler = type("Handler", (_Handler,), {"forge": _KINDS[kind](state), "state": state})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        self.web = f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Forge:
        Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()


def fields(body: object, required: dict[str, type], optional: dict[str, type] | None = None) -> dict:
    """The body, when it holds what is documented and nothing else."""
    known = {**required, **(optional or {})}
    if not isinstance(body, dict):
        raise Refused(422, "no object")
    for name, value in body.items():
        if name not in known:
            raise Refused(422, f"unknown field {name}")
        if not isinstance(value, known[name]) or (isinstance(value, bool) and known[name] is int):
            raise Refused(422, f"{name} is no {known[name].__name__}")
    missing = set(required) - set(body)
    if missing:
        raise Refused(422, f"missing {sorted(missing)}")
    return body


class GitHub:
    header = ("authorization", "Bearer " + TOKEN)

    def __init__(self, state: State) -> None:
        self.state = state
        self.own = {"login": state.login, "type": "User" if state.person else "Bot"}

    def answer(self, method: str, path: str, body: object) -> object:
        state, pull = self.state, "/repos/o/r/pulls/7"
        if (method, path) == ("GET", "/user"):
            if not state.person:
                raise Refused(403, "Resource not accessible by integration")
            return self.own
        if (method, path) == ("GET", pull):
            head = {"sha": state.head, "ref": "topic", **state.fork}
            return {"base": {"sha": state.base, "ref": "main"}, "head": head}
        if (method, path) == ("GET", f"{pull}/comments"):
            return state.comments
        if (method, path) == ("GET", "/repos/o/r/issues/7/comments"):
            return state.talk
        if (method, path) == ("POST", f"{pull}/reviews"):
            return self._review(body)
        if (method, path) == ("POST", "/repos/o/r/issues/7/comments"):
            state.talk.append({"id": state.next(), "user": self.own, **self._body(body)})
            return state.talk[-1]
        for there, where in ((state.comments, "pulls"), (state.talk, "issues")):
            found = re.fullmatch(rf"/repos/o/r/{where}/comments/(\d+)", path)
            if found and method == "PATCH":
                return self._edit(there, int(found[1]), body)
        raise Refused(404, "Not Found")

    def _review(self, body: object) -> object:
        state = self.state
        given = fields(body, {"event": str, "body": str}, {"commit_id": str, "comments": list})
        if given["event"] != "COMMENT" or not given["body"] or given.get("commit_id") != state.head:
            raise Refused(422, "Unprocessable Entity")
        lines = {"line": int, "side": str, "start_line": int, "start_side": str}
        for one in given.get("comments", []):
            self._checked(
                fields(one, {"path": str, "body": str, **{k: lines[k] for k in ("line", "side")}}, lines)
            )
        for one in given.get("comments", []):
            state.comments.append({"id": state.next(), "user": self.own, "start_line": None, **one})
        return {"id": state.next()}

    def _checked(self, one: dict) -> None:
        self._body({"body": one["body"]})
        first = one.get("start_line", one["line"])
        if "start_line" in one and not one["start_line"] < one["line"]:
            raise Refused(422, "start_line must precede the end line")
        shown = self.state.shown
        if shown is not None and not set(range(first, one["line"] + 1)) <= shown.get(one["path"], set()):
            raise Refused(422, "Line could not be resolved")

    def _body(self, body: object) -> dict:
        given = fields(body, {"body": str})
        if not given["body"].strip() or len(given["body"]) > 65536:
            raise Refused(422, "body is too long (maximum is 65536 characters)")
        return given

    def _edit(self, there: list[dict], number: int, body: object) -> object:
        comment = next((c for c in there if c["id"] == number), None)
        if comment is None:
            raise Refused(404, "Not Found")
        if comment["user"] != self.own:
            raise Refused(403, "Must have admin rights to Repository.")
        comment.update(self._body(body))
        return comment


class Gitea(GitHub):
    header = ("authorization", "token " + TOKEN)

    def __init__(self, state: State) -> None:
        super().__init__(state)
        self.own = {"login": state.login}

    def answer(self, method: str, path: str, body: object) -> object:
        state, pull = self.state, "/api/v1/repos/o/r/pulls/7"
        if (method, path) == ("GET", f"{pull}/reviews"):
            return state.reviews
        found = re.fullmatch(rf"{pull}/reviews/(\d+)/comments", path)
        if found and method == "GET":
            return [c for c in state.comments if c["pull_request_review_id"] == int(found[1])]
        found = re.fullmatch(r"/api/v1/repos/o/r/issues/comments/(\d+)", path)
        if found and method == "PATCH":
            return self._edit([*state.comments, *state.talk], int(found[1]), body)
        if path.endswith("/pulls/7/comments") or "/pulls/comments/" in path:
            raise Refused(404, "Gitea has no such path")
        answer = super().answer(method, path.removeprefix("/api/v1"), body)
        return {**answer, "merge_base": state.base} if path == pull else answer

    def _review(self, body: object) -> object:
        state = self.state
        given = fields(body, {"event": str, "body": str}, {"commit_id": str, "comments": list})
        kinds = {"path": str, "body": str, "new_position": int, "old_position": int}
        made = {"id": state.next(), "user": self.own, "comments_count": len(given.get("comments", []))}
        for one in given.get("comments", []):
            fields(one, kinds)
            place = {"path": one["path"], "position": one["new_position"]}
            comment = {"id": state.next(), "user": self.own, "pull_request_review_id": made["id"]}
            state.comments.append({**comment, "body": one["body"], **place})
        state.reviews.append(made)
        return made


class GitLab:
    header = ("private-token", TOKEN)
    root = "/api/v4/projects/group%2Fsub%2Fproject/merge_requests/7"

    def __init__(self, state: State) -> None:
        self.state = state
        self.own = {"username": state.login}

    def answer(self, method: str, path: str, body: object) -> object:
        state = self.state
        if (method, path) == ("GET", "/api/v4/user"):
            return self.own
        if not path.startswith(self.root):
            raise Refused(404, "404 Project Not Found")
        rest = path.removeprefix(self.root)
        if (method, rest) == ("GET", ""):
            refs = {"base_sha": state.base, "start_sha": state.base, "head_sha": state.head}
            return {"diff_refs": refs, "target_branch": "main", **state.fork}
        if (method, rest) == ("GET", "/discussions"):
            return state.threads
        if (method, rest) == ("POST", "/discussions"):
            return self._thread(body)
        if (method, rest) == ("POST", "/notes"):
            return self._add({**fields(body, {"body": str})}, True)["notes"][0]
        return self._edit(method, rest, body)

    def _add(self, note: dict, alone: bool) -> dict:
        made = {"id": self.state.next(), "author": self.own, **note}
        thread = {"id": f"{self.state.next():040x}", "individual_note": alone, "notes": [made]}
        self.state.threads.append(thread)
        return thread

    def _thread(self, body: object) -> object:
        given = fields(body, {"body": str}, {"position": dict})
        shas = dict.fromkeys(("base_sha", "start_sha", "head_sha"), str)
        needed = {**shas, "position_type": str, "new_path": str, "old_path": str, "new_line": int}
        place = fields(given["position"], needed, {"old_line": int, "line_range": dict})
        if place["position_type"] != "text" or place["head_sha"] != self.state.head:
            raise Refused(400, '400 Bad request - Note {:line_code=>["can\'t be blank"]}')
        if not all(SHA.fullmatch(place[name]) for name in shas):
            raise Refused(400, "400 Bad request - position")
        shown = self.state.shown
        if shown is not None and place["new_line"] not in shown.get(place["new_path"], set()):
            raise Refused(400, '400 Bad request - Note {:line_code=>["can\'t be blank"]}')
        for end in fields(place.get("line_range", {}), {}, {"start": dict, "end": dict}).values():
            kinds = {"line_code": str, "type": str, "new_line": int}
            fields(end, kinds, {"old_line": int})
            if not re.fullmatch(r"[0-9a-f]{40}_\d+_\d+", end["line_code"]) or end["type"] not in (
                "new",
                "old",
            ):
                raise Refused(400, "400 Bad request - line_range")
        return self._add({**given, "resolved": False}, False)

    def _edit(self, method: str, rest: str, body: object) -> object:
        found = re.fullmatch(r"(?:/discussions/([0-9a-f]{40}))?(?:/notes/(\d+))?", rest)
        if not found or method != "PUT":
            raise Refused(404, "404 Not Found")
        for thread in self.state.threads:
            note = thread["notes"][0]
            if found[1] in (None, thread["id"]) and found[2] in (None, str(note["id"])):
                note.update(fields(body, {"body": str} if found[2] else {"resolved": bool}))
                return note
        raise Refused(404, "404 Not Found")


_KINDS = {"github": GitHub, "gitlab": GitLab, "gitea": Gitea}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    forge: GitHub | GitLab
    state: State

    def log_message(self, *_: object) -> None:
        return

    def _handle(self) -> None:
        size = int(self.headers.get("content-length") or 0)
        raw = self.rfile.read(size) if size else b""
        path, query = urlsplit(self.path).path, parse_qs(urlsplit(self.path).query)
        self.state.log.append((self.command, path))
        self.state.seen.append({name.lower(): value for name, value in self.headers.items()})
        fault = self._fault(path)
        if fault and not fault.after and self._failed(fault):
            return
        try:
            answer = self._answer(path, raw)
        except Refused as refused:
            self._write(refused.status, {"message": refused.message}, refused.headers)
            return
        if not (fault and self._failed(fault)):
            self._page(answer, path, query)

    do_GET = do_POST = do_PUT = do_PATCH = _handle

    def _answer(self, path: str, raw: bytes) -> object:
        name, value = self.forge.header
        if self.headers.get(name) != value:
            raise Refused(401, "Bad credentials")
        if raw and self.headers.get("content-type") != "application/json":
            raise Refused(415, "no JSON")
        safe = path if "%2F" in path else unquote(path)
        return self.forge.answer(self.command, safe, json.loads(raw) if raw else None)

    def _page(self, answer: object, path: str, query: dict[str, list[str]]) -> None:
        headers = {}
        if isinstance(answer, list):
            page = int(query.get("page", ["1"])[0])
            if len(answer) > page * PAGE:
                host = f"http://{self.headers['host']}"
                headers["Link"] = (
                    f'<{host}{path}?per_page=2&page={page + 1}>; rel="next", <{host}>; rel="last"'
                )
            answer = answer[(page - 1) * PAGE : page * PAGE]
        self._write(200 if self.command != "POST" else 201, answer, headers)

    def _fault(self, path: str) -> Fault | None:
        for fault in self.state.faults:
            if fault.times and fault.on[0] in self.command and fault.on[1] in path:
                fault.times -= 1
                return fault
        return None

    def _failed(self, fault: Fault) -> bool:
        if isinstance(fault.kind, int):
            self._write(fault.kind, {"message": fault.message}, fault.headers)
        elif fault.kind == "slow":
            time.sleep(1.5)
            self.close_connection = True
        elif fault.kind == "close":
            self.close_connection = True
        else:
            data = {"json": b'{"id": 1', "cut": b'{"id": 1}', "endless": b" " * (1 << 20)}[fault.kind]
            self.send_response(200)
            self.send_header("Content-Length", str(len(data) + (50 if fault.kind == "cut" else 0)))
            self.send_header("Connection", "close")
            self.end_headers()
            self.wfile.write(data)
            self.close_connection = True
        return True

    def _write(self, status: int, value: object, headers: dict[str, str]) -> None:
        data = json.dumps(value).encode()
        self.send_response(status)
        for name, text in {**headers, "Content-Length": str(len(data))}.items():
            self.send_header(name, text)
        self.end_headers()
        self.wfile.write(data)
