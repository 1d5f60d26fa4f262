"""A server that checks requests against GitHub's own description of its interface (npm's @octokit/openapi,
behind Prism). It is installed below the cache of this machine, never into the repository."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

HERE = Path(__file__).parent
PATHS = (
    "/user",
    "/repos/{owner}/{repo}/pulls/{pull_number}",
    "/repos/{owner}/{repo}/pulls/{pull_number}/comments",
    "/repos/{owner}/{repo}/pulls/{pull_number}/reviews",
    "/repos/{owner}/{repo}/pulls/comments/{comment_id}",
    "/repos/{owner}/{repo}/issues/{issue_number}/comments",
    "/repos/{owner}/{repo}/issues/comments/{comment_id}",
)


@pytest.fixture(scope="session")
def prism(tmp_path_factory) -> Iterator[str]:
    """The address of the server. MMCODEMOD_E2E=1 makes it a failure when it cannot be had."""
    if os.environ.get("MMCODEMOD_E2E") != "1":
        pytest.skip("MMCODEMOD_E2E=1 runs this (needs npm and its registry)")
    installed = install()
    description = tmp_path_factory.mktemp("prism") / "github.json"
    description.write_text(json.dumps(cut(installed / "@octokit/openapi/generated/api.github.com.json")))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    log = description.with_suffix(".log")
    command = [installed / ".bin/prism", "mock", "--errors", "-h", "127.0.0.1", "-p", str(port), description]
    with log.open("wb") as out, subprocess.Popen(command, stdout=out, stderr=out) as process:
        try:
            wait_for(port, process, log)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()


def install() -> Path:
    """The folder node_modules of the locked packages."""
    if shutil.which("npm") is None:
        pytest.fail("npm is missing: MMCODEMOD_E2E=1 needs it")
    cache = Path(os.environ.get("MMCODEMOD_E2E_CACHE") or Path(tempfile.gettempdir()) / "mmcodemod-e2e")
    digest = hashlib.sha256((HERE / "package-lock.json").read_bytes()).hexdigest()[:16]
    folder = cache / digest
    if not (folder / "done").exists():
        folder.mkdir(parents=True, exist_ok=True)
        for name in ("package.json", "package-lock.json"):
            shutil.copy(HERE / name, folder)
        command = ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
        subprocess.run(command, cwd=folder, check=True, timeout=600)
        (folder / "done").touch()
    return folder / "node_modules"


def wait_for(port: int, process: subprocess.Popen[bytes], log: Path) -> None:
    for _ in range(600):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        if process.poll() is not None:
            break
        time.sleep(0.2)
    pytest.fail(f"Prism does not answer:\n{log.read_text()[-2000:]}")


def cut(file: Path) -> dict:
    """The paths that the bot uses, with what they refer to. Bodies of requests may hold nothing but what is
    described: the description itself leaves that open, and a misspelt field would pass."""
    whole = json.loads(file.read_text())
    paths = {path: whole["paths"][path] for path in PATHS}
    for operations in paths.values():
        for operation in operations.values():
            for content in operation.get("requestBody", {}).get("content", {}).values():
                close(content["schema"])
    components: dict[str, dict] = {}
    waiting = list(references(paths))
    while waiting:
        _, _, kind, name = waiting.pop().split("/", 3)
        if name not in components.setdefault(kind, {}):
            components[kind][name] = whole["components"][kind][name]
            waiting += references(components[kind][name])
    answerable(components)
    return {"openapi": whole["openapi"], "info": whole["info"], "paths": paths, "components": components}


def answerable(components: dict[str, dict]) -> None:
    """Two of the examples that are answered do not work: one breaks the description itself (a team without a
    type), and the next page of lists lies on GitHub's own server."""
    components["examples"]["pull-request"]["value"]["requested_teams"] = []
    components["headers"]["link"]["example"] = '<https://api.github.com/resource?page=5>; rel="last"'


def close(schema: dict) -> None:
    if schema.get("type") == "object" and "properties" in schema:
        schema["additionalProperties"] = False
    for part in [*schema.get("properties", {}).values(), *filter(None, [schema.get("items")])]:
        close(part)


def references(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for name, part in value.items():
            if name == "$ref" and isinstance(part, str):
                yield part
            else:
                yield from references(part)
    elif isinstance(value, list):
        for part in value:
            yield from references(part)
