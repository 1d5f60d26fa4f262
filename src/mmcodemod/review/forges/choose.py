"""Which forge, which pull request, which token: from `--pr`, `--forge`, `--repo` and the environment.

A token belongs to one server. It goes nowhere else, whatever address `--pr` holds.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from mmcodemod.model.pattern import regex
from mmcodemod.report.escape import visible
from mmcodemod.report.markup import clipped
from mmcodemod.review.forges import gitea, github, gitlab
from mmcodemod.review.forges.forge import Forge, Pull, token
from mmcodemod.review.forges.origin import Origin, origin
from mmcodemod.review.wire import ForgeError

NAMES = ("github", "gitlab", "gitea")

_PUBLIC = {"github": "https://github.com", "gitlab": "https://gitlab.com", "gitea": ""}
_SERVERS = {
    "github": ("GITHUB_SERVER_URL",),
    "gitlab": ("CI_SERVER_URL",),
    "gitea": ("GITEA_SERVER_URL", "FORGEJO_SERVER_URL"),
}
_APIS = {"github": "GITHUB_API_URL", "gitlab": "CI_API_V4_URL", "gitea": "GITEA_API_URL"}
_REPOSITORIES = {
    "github": ("GITHUB_REPOSITORY",),
    "gitlab": ("CI_MERGE_REQUEST_PROJECT_PATH", "CI_PROJECT_PATH"),
    "gitea": ("GITHUB_REPOSITORY",),
}
_PATHS = {
    "github": regex(r"/([\w.-]+/[\w.-]+)/pull/(\d+)(?:/.*)?", re.ASCII),
    "gitlab": regex(r"/([\w.-]+(?:/[\w.-]+)+)/-/merge_requests/(\d+)(?:/.*)?", re.ASCII),
    "gitea": regex(r"/([\w.-]+/[\w.-]+)/pulls/(\d+)(?:/.*)?", re.ASCII),
}
_CODEBERG = "codeberg.org"
_REPOSITORY = regex(r"[\w.-]+(?:/[\w.-]+)+", re.ASCII)


@dataclass(frozen=True)
class Server:
    """A forge as this environment knows it: `web` is where people go, `api` the address of the interface."""

    forge: str
    web: str
    api: str


def choose(pr: str, forge: str, repository: str, environ: Mapping[str, str], clone: str = "") -> Forge:
    """The pull request that is meant. `clone`: where the local repository comes from, for a bare number.

    Raises:
        ForgeError: when something is missing, or would send a token to a server that it is not for.
    """
    env = _as_gitea(environ)
    if pr.isdigit():
        where = origin(clone)
        server, env = _of_number(forge or _here(env), where, env)
        return _forge(server, _repository(repository, server, where, env), int(pr), env)
    address = urlsplit(pr)
    if address.scheme not in ("http", "https") or not address.hostname:
        raise ForgeError(f"--pr takes a number or the address of a pull request, not {_shown(pr)}")
    server = _of_host(address.netloc.rpartition("@")[2].lower(), forge, env)
    prefix = urlsplit(server.web).path
    found = _PATHS[server.forge].fullmatch(unquote(address.path.removeprefix(prefix)).rstrip("/"))
    if found is None or _climbs(found[1]):
        raise ForgeError(f"{_shown(pr)} is not the address of a pull request of {server.forge}")
    return _forge(server, found[1], int(found[2]), env)


def fetch_command(forge: Forge, target: str = "", clone: str = "") -> str:
    """What brings the versions of a pull request into the local repository. `clone`: where that comes from;
    a clone of a fork fetches from the repository of the pull request."""
    where, pull = origin(clone), forge.pull
    own = where is None or where.path.lower().endswith(pull.repository.lower())
    remote = "origin" if own else f"{pull.web}/{pull.repository}"
    name = f" {target}" if re.fullmatch(r"[\w./-]+", target) and not target.startswith("-") else ""
    return f"git fetch {remote}{name} {forge.refs}"


def _as_gitea(environ: Mapping[str, str]) -> dict[str, str]:
    """The workflows of Gitea and Forgejo set the variables of GitHub, for themselves."""
    env = {name: value for name, value in environ.items() if value}
    if not {"GITEA_ACTIONS", "FORGEJO_ACTIONS"} & set(env):
        return env
    own = {name: env.pop(name, "") for name in ("GITHUB_SERVER_URL", "GITHUB_API_URL", "GITHUB_TOKEN")}
    env.setdefault("GITEA_SERVER_URL", own["GITHUB_SERVER_URL"])
    env.setdefault("GITEA_TOKEN", env.get("FORGEJO_TOKEN", "") or own["GITHUB_TOKEN"])
    return env


def _here(env: Mapping[str, str]) -> str:
    """The forge whose workflow this is; empty for none."""
    signs = {
        "gitea": ("GITEA_ACTIONS", "FORGEJO_ACTIONS"),
        "github": ("GITHUB_ACTIONS",),
        "gitlab": ("GITLAB_CI",),
    }
    return next((forge for forge, names in signs.items() if any(name in env for name in names)), "")


def _of_number(forge: str, where: Origin | None, env: dict[str, str]) -> tuple[Server, dict[str, str]]:
    """The server of a bare number, and the environment for it: a token that was not set for Codeberg does not
    go there."""
    if forge:
        return _server(forge, env), env
    if where is None:
        raise ForgeError(
            "--pr NUMBER needs --forge github, gitlab or gitea here: no workflow, no remote `origin`"
        )
    if where.host == _CODEBERG and _known("gitea", env) is None:
        web = f"https://{_CODEBERG}"
        return Server("gitea", web, _api("gitea", web)), {k: v for k, v in env.items() if "TOKEN" not in k}
    return _of_host(where.host, "", env), env


def _server(forge: str, env: Mapping[str, str]) -> Server:
    api = env.get(_APIS[forge], "").rstrip("/")
    web = (
        next((env[name] for name in _SERVERS[forge] if env.get(name)), "")
        or _web(forge, api)
        or _PUBLIC[forge]
    )
    if not web:
        raise ForgeError("where is the server? Set GITEA_SERVER_URL (or FORGEJO_SERVER_URL) to its address")
    for address in filter(None, (web, api)):
        if urlsplit(address).scheme not in ("http", "https") or not urlsplit(address).hostname:
            raise ForgeError(f"{_shown(address)} is not the address of a server")
    web = web.rstrip("/")
    return Server(forge, web, api or _api(forge, web))


def _web(forge: str, api: str) -> str:
    """The server of an interface that alone is known."""
    if not api or api == "https://api.github.com":
        return ""
    return re.sub(r"/api(/v\d)?$", "", api)


def _api(forge: str, web: str) -> str:
    if forge == "github":
        return "https://api.github.com" if web == _PUBLIC["github"] else f"{web}/api/v3"
    return f"{web}/api/v4" if forge == "gitlab" else f"{web}/api/v1"


def _of_host(host: str, forge: str, env: Mapping[str, str]) -> Server:
    """The server of an address: one that is known, never one that only the address names."""
    known = [server for name in ((forge,) if forge else NAMES) if (server := _known(name, env))]
    for server in known:
        if _host(server) == host:
            return server
    wanted = forge or "gitea"
    variable = _SERVERS[wanted][0]
    raise ForgeError(
        f"{_shown(host)} is no server that this environment knows: its token is not sent there. "
        f"Set --forge and the server's address, for example {variable}=https://{_shown(host)}"
    )


def _host(server: Server) -> str:
    return urlsplit(server.web).netloc.rpartition("@")[2].lower()


def _known(forge: str, env: Mapping[str, str]) -> Server | None:
    try:
        return _server(forge, env)
    except ForgeError:
        return None


def _repository(given: str, server: Server, where: Origin | None, env: Mapping[str, str]) -> str:
    found = given or next((env[name] for name in _REPOSITORIES[server.forge] if env.get(name)), "")
    if not found and where is not None and where.host == _host(server):
        found = f"/{where.path}".removeprefix(urlsplit(server.web).path.rstrip("/")).strip("/")
    if not _REPOSITORY.fullmatch(found) or _climbs(found):
        raise ForgeError("which repository? Give --repo OWNER/NAME, or the address of the pull request")
    return found


def _climbs(repository: str) -> bool:
    """Would a part of the name lead elsewhere in an address?"""
    return bool({".", ".."} & set(repository.split("/")))


def _forge(server: Server, repository: str, number: int, env: Mapping[str, str]) -> Forge:
    pull = Pull(server.api, repository, number, server.web)
    if server.forge == "github":
        return github.GitHub(pull, token(env, github.TOKENS))
    if server.forge == "gitea":
        return gitea.Gitea(pull, token(env, gitea.TOKENS))
    own = token(env, gitlab.TOKENS)
    return gitlab.GitLab(pull, own or token(env, gitlab.JOB_TOKENS), job=not own)


def _shown(text: str) -> str:
    """Without credentials that an address may hold."""
    return visible(clipped(re.sub(r"//[^/@]*@", "//", text), 200))
