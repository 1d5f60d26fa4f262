"""Whatever a forge answers ends in one sentence, and the token stays where it belongs."""

from __future__ import annotations

import builtins
import socket
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from mock_forge import TOKEN, Fault, Forge, State
from review_samples import BASE, BROKEN, HEAD, SOUND, subject
from test_review_forges import Bench

from mmcodemod.review import http
from mmcodemod.review.forges.choose import choose, fetch_command
from mmcodemod.review.http import Client
from mmcodemod.review.wire import ForgeError, Request, Wire, secret

RATE = {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1030"}


@pytest.fixture
def github():
    with Forge("github", State(BASE, HEAD)) as server:
        made = Bench("github", server)
        made.client.clock = lambda: 1000.0
        yield made


def tell(bench):
    return bench.tell(subject(SOUND, BROKEN))


def failure(bench, *faults) -> str:
    bench.state.faults[:] = faults
    if any(fault.kind == "slow" for fault in faults):
        bench.client.time_outs = (10.0, 0.3)
    with pytest.raises(ForgeError) as caught:
        tell(bench)
    message = str(caught.value)
    assert TOKEN not in message and "\n" not in message and "Traceback" not in message
    return message


@pytest.mark.parametrize(
    ("fault", "words", "requests"),
    [
        (Fault(401, times=9), "set GITHUB_TOKEN", 1),
        (Fault(403, ("POST", "reviews"), 9), "`permissions: pull-requests: write`", 1),
        (Fault(404, times=9), "there is no such pull request", 1),
        (Fault(422, ("POST", "issues"), 9), "does not accept what was sent", 1),
        (Fault(500, ("GET", ""), 9), "has a problem", 4),
        (Fault(502, ("POST", "reviews"), 9), "nothing is posted twice", 1),
        (Fault(429, ("GET", ""), 9, {"Retry-After": "7"}), "asks to wait 7 seconds", 4),
        (Fault(429, ("GET", ""), 9, {"Retry-After": "9999"}), "asks to wait 9999 seconds", 1),
        (Fault(403, ("GET", ""), 9, RATE), "limits the rate of requests and asks to wait 30", 4),
        (Fault("slow", ("GET", ""), 9), "did not answer GET /repos/o/r/pulls/7 in time", 4),
        (Fault("slow", ("POST", "reviews"), 9), "in time; it may have been written", 1),
        (Fault("cut", ("GET", ""), 9), "broke off while answering", 4),
        (Fault("json", ("GET", ""), 9), "with broken JSON", 4),
        (Fault("close", ("GET", ""), 9), "broke off", 4),
        (Fault("close", ("POST", "reviews"), 9), "it may have been written", 1),
    ],
    ids=lambda value: str(value.kind) if isinstance(value, Fault) else "",
)
def test_each_failure_is_one_sentence(github, fault, words, requests):
    message = failure(github, fault)
    assert words in message
    method, path = github.state.log[-1]
    assert github.state.log.count((method, path)) == requests


@pytest.mark.parametrize(
    "fault",
    [
        Fault(503, ("GET", "")),
        Fault(429, ("POST", "reviews"), 2, {"Retry-After": "3"}),
        Fault(503, ("POST", "reviews"), 1, {"Retry-After": "3"}),
        Fault(403, ("POST", "issues"), 1, {"Retry-After": "3"}, "You have exceeded a secondary rate limit"),
        Fault("cut", ("GET", ""), 3),
        Fault("json", ("GET", "comments"), 3),
    ],
    ids=lambda fault: str(fault.kind),
)
def test_what_passes_is_tried_again(github, fault):
    github.state.faults.append(fault)
    assert tell(github).fresh == 1
    assert len(github.on_lines) == len(github.summaries) == 1
    assert github.pauses and (fault.headers == {} or set(github.pauses) == {3.0})


@pytest.mark.parametrize("kind", (500, "slow", "cut", "close"))
def test_a_post_of_which_nobody_knows_is_not_sent_twice(github, kind):
    failure(github, Fault(kind, ("POST", "reviews"), 9, after=True))
    assert len(github.on_lines) == 1
    github.state.faults.clear()
    github.client.time_outs = (10.0, 10.0)
    assert tell(github).fresh == 0
    assert len(github.on_lines) == len(github.summaries) == 1


def test_what_the_server_says_is_shown_without_the_token(github):
    message = failure(github, Fault(422, ("POST", "issues"), 9, message=f"no \x1b[31m {TOKEN} {'x' * 999}"))
    assert "***" in message and "\x1b" not in message and len(message) < 600


def test_a_refused_connection_is_tried_again_even_for_a_post():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    pauses = []
    client = Client(Wire(f"http://127.0.0.1:{port}", {}, secret("A", TOKEN)), sleep=pauses.append)
    with pytest.raises(ForgeError, match="cannot be reached"):
        client.send(Request("POST", "/x", {}))
    assert pauses == [1.0, 2.0, 4.0]


def test_the_token_follows_no_redirect_to_another_server(github):
    with Forge("github", State(BASE, HEAD)) as other:
        target = {"Location": f"{other.web}/repos/o/r/pulls/7"}
        assert "the token is not sent there" in failure(github, Fault(301, ("GET", ""), 9, target))
        assert not other.state.log


def test_a_redirect_on_the_same_server_is_followed(github):
    github.state.faults.append(Fault(301, ("GET", "/pulls/7"), 1, {"Location": "/repos/o/r/pulls/7"}))
    assert tell(github).fresh == 1


def test_a_next_page_on_another_server_is_not_followed(github):
    with Forge("github", State(BASE, HEAD)) as other:
        client = Client(replace(github.forge.wire, base=github.server.web))
        github.state.talk[:] = [{"id": n} for n in range(9)]
        answer = client.get("/repos/o/r/issues/7/comments")
        moved = replace(answer, headers={"link": f'<{other.web}/x>; rel="next"'})
        with pytest.raises(ForgeError, match="another server"):
            client._next(moved)
        assert not other.state.log


def test_lists_and_answers_are_bounded(github, monkeypatch):
    monkeypatch.setattr(http, "MOST_BYTES", 1 << 18)
    assert "longer than" in failure(github, Fault("endless", ("GET", ""), 9))
    github.state.faults.clear()
    monkeypatch.setattr(http, "MOST_PAGES", 2)
    github.state.talk[:] = [{"id": n} for n in range(9)]
    assert "pages" in failure(github)


@pytest.mark.parametrize("strange", [{}, [], [None], [{"body": 3, "user": 4}], None, "x", 7])
def test_strange_answers_are_no_crash(github, strange, monkeypatch):
    answers = github.server._server.RequestHandlerClass.forge
    monkeypatch.setattr(answers, "answer", lambda *_: strange)
    try:
        tell(github)
    except ForgeError as error:
        assert "\n" not in str(error)


def test_netrc_and_the_environment_add_no_other_token(github, tmp_path, monkeypatch):
    (tmp_path / "netrc").write_text("machine 127.0.0.1 login a password b\n")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    tell(github)
    assert {headers["authorization"] for headers in github.state.seen} == {"Bearer " + TOKEN}


def test_the_password_of_a_proxy_is_not_shown(github, monkeypatch):
    monkeypatch.setenv("http_proxy", "http://user:hunter2@127.0.0.1:1")
    monkeypatch.setenv("no_proxy", "")
    message = failure(github)
    assert "proxy" in message and "hunter2" not in message


def test_a_server_with_a_certificate_that_nobody_knows(tmp_path):
    client = Client(Wire("https://127.0.0.1:1", {}))
    import requests

    class Session:
        def request(self, *_, **__):
            raise requests.exceptions.SSLError("certificate verify failed")

    client._session = Session()
    with pytest.raises(ForgeError, match="REQUESTS_CA_BUNDLE"):
        client.get("/x")


@pytest.mark.parametrize("token", ["a b", "a\nb", "ä", "a\x00"])
def test_a_token_that_no_header_can_carry(token):
    with pytest.raises(ForgeError) as caught:
        _ = choose("https://github.com/o/r/pull/7", "", "", {"GITHUB_TOKEN": token}).wire
    assert token not in str(caught.value)


def test_no_token_is_in_a_repr():
    forge = choose("https://github.com/o/r/pull/7", "", "", {"GITHUB_TOKEN": TOKEN})
    assert TOKEN not in repr(forge) and TOKEN not in repr(forge.wire)


def test_without_requests_it_says_how_to_install(monkeypatch):
    real = builtins.__import__

    def missing(name, *rest):
        if name == "requests":
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", missing)
    with pytest.raises(ForgeError, match=r"pip install 'mmcodemod\[review\]'"):
        Client(Wire("http://127.0.0.1:1", {})).get("/x")


def test_requests_is_imported_only_when_something_is_sent():
    code = (
        "import sys\nimport mmcodemod.cli.posting\nfrom mmcodemod.review import http, plan, send\n"
        "from mmcodemod.review.forges.choose import choose\n"
        "choose('https://github.com/o/r/pull/7', '', '', {}).wire\nprint('requests' in sys.modules)"
    )
    root = Path(http.__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=root)
    assert done.stdout == "False\n"


GITEA = {"GITEA_SERVER_URL": "https://git.example:3000/forge"}


@pytest.mark.parametrize(
    ("pr", "env", "base", "repository", "number"),
    [
        ("https://github.com/o/r/pull/7", {}, "https://api.github.com", "o/r", 7),
        ("https://github.com/o/r/pull/7/files", {}, "https://api.github.com", "o/r", 7),
        (
            "https://ghe.example/o/r/pull/7",
            {"GITHUB_API_URL": "https://ghe.example/api/v3"},
            "https://ghe.example/api/v3",
            "o/r",
            7,
        ),
        ("https://gitlab.com/g/s/p/-/merge_requests/12", {}, "https://gitlab.com/api/v4", "g/s/p", 12),
        (
            "http://lab.example/sub/g/p/-/merge_requests/1#note_2",
            {"CI_SERVER_URL": "http://lab.example/sub"},
            "http://lab.example/sub/api/v4",
            "g/p",
            1,
        ),
        (
            "https://git.example:3000/forge/o/r/pulls/3",
            GITEA,
            "https://git.example:3000/forge/api/v1",
            "o/r",
            3,
        ),
        (
            "5",
            {"GITHUB_ACTIONS": "true", "GITHUB_REPOSITORY": "o/r"},
            "https://api.github.com",
            "o/r",
            5,
        ),
        (
            "5",
            {"GITLAB_CI": "true", "CI_PROJECT_PATH": "g/p", "CI_API_V4_URL": "https://lab.example/api/v4"},
            "https://lab.example/api/v4",
            "g/p",
            5,
        ),
        (
            "5",
            {
                "GITEA_ACTIONS": "true",
                "GITHUB_ACTIONS": "true",
                "GITHUB_REPOSITORY": "o/r",
                "GITHUB_SERVER_URL": "https://code.example",
                "GITHUB_API_URL": "https://code.example/api/v1",
            },
            "https://code.example/api/v1",
            "o/r",
            5,
        ),
    ],
)
def test_which_pull_request_is_meant(pr, env, base, repository, number):
    pull = choose(pr, "", "", env).pull
    assert (pull.base, pull.repository, pull.number) == (base, repository, number)


@pytest.mark.parametrize(
    ("pr", "forge", "repo", "env"),
    [
        ("https://evil.example/o/r/pull/7", "", "", {}),
        ("https://evil.example/o/r/pull/7", "github", "", {}),
        ("https://evil.example/o/r/pulls/7", "gitea", "", {"GITEA_SERVER_URL": "https://git.example"}),
        ("https://github.com@evil.example/o/r/pull/7", "", "", {}),
        ("https://github.com.evil.example/o/r/pull/7", "", "", {}),
        ("https://github.com/o/r/pull/7", "", "", {"GITHUB_SERVER_URL": "https://ghe.example"}),
        ("https://github.com:444/o/r/pull/7", "", "", {}),
        ("https://github.com/o/r/issues/7", "", "", {}),
        ("https://github.com/o/../pull/7", "", "", {}),
        ("https://github.com/o/r%2F..%2Fx/pull/7", "", "", {}),
        ("ftp://github.com/o/r/pull/7", "", "", {}),
        ("seven", "", "", {}),
        ("7", "", "o/r", {}),
        ("7", "github", "", {}),
        ("7", "github", "o/../../user", {}),
        ("7", "gitea", "o/r", {}),
        ("7", "gitea", "o/r", {"GITEA_SERVER_URL": "file:///etc"}),
    ],
)
def test_what_is_unclear_or_elsewhere_gets_no_token(pr, forge, repo, env):
    with pytest.raises(ForgeError) as caught:
        choose(pr, forge, repo, {**env, "GITHUB_TOKEN": TOKEN, "GITLAB_TOKEN": TOKEN, "GITEA_TOKEN": TOKEN})
    assert TOKEN not in str(caught.value)


def test_the_token_of_gitea_workflows_never_goes_to_github():
    env = {"GITEA_ACTIONS": "true", "GITHUB_TOKEN": TOKEN, "GITHUB_SERVER_URL": "https://code.example"}
    assert choose("https://github.com/o/r/pull/7", "", "", env).wire.secret is None
    assert choose("https://code.example/o/r/pulls/7", "", "", env).wire.secret.value == TOKEN


def test_a_job_token_is_used_only_without_another():
    lab = "https://gitlab.com/g/p/-/merge_requests/1"
    assert choose(lab, "", "", {"CI_JOB_TOKEN": TOKEN}).wire.secret.header == "JOB-TOKEN"
    both = {"CI_JOB_TOKEN": "x", "GITLAB_TOKEN": TOKEN}
    assert choose(lab, "", "", both).wire.secret == secret("PRIVATE-TOKEN", TOKEN)


def test_the_command_that_fetches_what_is_missing():
    forge = choose("https://github.com/o/r/pull/7", "", "", {})
    assert fetch_command(forge, "main") == "git fetch origin main pull/7/head"
    assert fetch_command(forge, "main", "git@github.com:o/r.git") == "git fetch origin main pull/7/head"
    mine = fetch_command(forge, "main", "git@github.com:me/r.git")
    assert mine == "git fetch https://github.com/o/r main pull/7/head"
    assert fetch_command(forge, "x; rm -rf /") == "git fetch origin pull/7/head"
    assert fetch_command(forge, "--upload-pack=x") == "git fetch origin pull/7/head"
    lab = choose("https://gitlab.com/g/p/-/merge_requests/1", "", "", {})
    assert fetch_command(lab) == "git fetch origin merge-requests/1/head"


ORIGINS = {
    "https://github.com/o/r.git": "https://api.github.com/repos/o/r",
    "git@github.com:o/r.git": "https://api.github.com/repos/o/r",
    "https://me:secret@github.com/o/r/": "https://api.github.com/repos/o/r",
    "ssh://git@gitlab.com:2222/g/s/p.git": "https://gitlab.com/api/v4/projects/g%2Fs%2Fp",
    "https://codeberg.org/o/r": "https://codeberg.org/api/v1/repos/o/r",
    "git@code.example:o/r": "https://code.example/api/v1/repos/o/r",
}


@pytest.mark.parametrize(("clone", "address"), ORIGINS.items())
def test_a_bare_number_is_of_the_repository_that_was_cloned(clone, address):
    env = {"GITEA_SERVER_URL": "https://code.example"} if "example" in clone else {}
    forge = choose("7", "", "", env, clone)
    (asked,) = {request.path.partition("/pulls")[0].partition("/merge")[0] for request in [_asks(forge)]}
    assert forge.wire.url(asked) == address and forge.pull.number == 7


def _asks(forge):
    """The first request of a forge."""
    seen = []

    class Asked(Exception):
        pass

    class Told:
        def get(self, path):
            seen.append(Request("GET", path))
            raise Asked

    with pytest.raises(Asked):
        forge.change(Told())
    return seen[0]


def test_a_clone_sends_no_token_to_a_server_of_its_choice():
    tokens = {"GITHUB_TOKEN": TOKEN, "GITLAB_TOKEN": TOKEN, "GITEA_TOKEN": TOKEN, "FORGEJO_TOKEN": TOKEN}
    for clone in ("https://evil.example/o/r.git", "git@evil.example:o/r", "https://github.com:99/o/r"):
        with pytest.raises(ForgeError, match="its token is not sent there"):
            choose("7", "", "", tokens, clone)
    for clone in ("", "/somewhere/local", "https://[", "file:///x/y"):
        with pytest.raises(ForgeError, match="no remote `origin`"):
            choose("7", "", "", tokens, clone)
    assert choose("7", "", "", tokens, "https://codeberg.org/o/r").wire.secret is None
    known = {**tokens, "GITEA_SERVER_URL": "https://codeberg.org"}
    assert choose("7", "", "", known, "https://codeberg.org/o/r").wire.secret.value == TOKEN
    with pytest.raises(ForgeError, match="which repository"):
        choose("7", "github", "", tokens, "https://gitlab.com/o/r")
