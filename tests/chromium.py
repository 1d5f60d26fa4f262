"""Drives a headless Chromium over a pipe (the DevTools protocol), with the standard library alone."""

from __future__ import annotations

import fcntl
import json
import os
import select
import shutil
import subprocess
import time
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
PATIENCE = 30  # seconds: a loaded machine starts a browser slowly


def installed() -> str | None:
    """The browser, if there is one."""
    return next((found for name in NAMES if (found := shutil.which(name))), None)


class Navigating(AssertionError):
    """The document asked about is just being replaced: its successor can be asked soon."""


class Page:
    """One page of a browser of its own; `errors` collects exceptions, refused loads and console errors."""

    def __init__(self, file: Path, profile: Path) -> None:
        self.errors: list[str] = []
        self.requests: list[str] = []
        self._number, self._buffer = 0, b""
        self._start(profile)
        target = self._send("Target.createTarget", url="about:blank")["targetId"]
        self._session = self._send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self._send(f"{domain}.enable")
        self._send("Page.navigate", url=file.as_uri())
        self.wait("document.readyState === 'complete' && document.body.dataset.view !== undefined")

    def _start(self, profile: Path) -> None:
        ours, theirs = os.pipe(), os.pipe()  # what we write, what the browser writes
        child = [fcntl.fcntl(fd, fcntl.F_DUPFD, 20) for fd in (ours[0], theirs[1])]
        self._session = None
        self._process = subprocess.Popen(
            [installed(), "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe",
             "--window-size=1400,900", f"--user-data-dir={profile}", "about:blank"],
            preexec_fn=lambda: (os.dup2(child[0], 3), os.dup2(child[1], 4)),
            pass_fds=(3, 4), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        for fd in (ours[0], theirs[1], *child):
            os.close(fd)
        self._write, self._read = ours[1], theirs[0]

    def _send(self, method: str, **params: object) -> dict:
        self._number += 1
        message = {"id": self._number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        return self._answer(self._number)

    def _answer(self, number: int) -> dict:
        until = time.monotonic() + PATIENCE
        while True:
            while b"\0" not in self._buffer:
                if not select.select([self._read], [], [], max(until - time.monotonic(), 0))[0]:
                    raise TimeoutError("the browser does not answer")
                self._buffer += os.read(self._read, 1 << 16)
            raw, _, self._buffer = self._buffer.partition(b"\0")
            message = json.loads(raw)
            if message.get("id") == number:
                return self._result(message)
            self._event(message)

    def _result(self, message: dict) -> dict:
        error = message.get("error", {}).get("message", "")
        if "navigated" in error or "context" in error:
            raise Navigating(message)
        assert "error" not in message, message
        return message["result"]

    def _event(self, message: dict) -> None:
        params = message.get("params", {})
        if message["method"] == "Runtime.exceptionThrown":
            self.errors.append(json.dumps(params["exceptionDetails"]))
        elif message["method"] == "Log.entryAdded" and params["entry"]["level"] == "error":
            self.errors.append(params["entry"]["text"])
        elif message["method"] == "Page.javascriptDialogOpening":
            self.errors.append(f"dialog: {params['message']}")
        elif message["method"] == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])

    def do(self, script: str) -> object:
        """The value of an expression in the page."""
        found = self._send("Runtime.evaluate", expression=script, returnByValue=True)
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def wait(self, condition: str) -> None:
        """Until a condition holds."""
        until = time.monotonic() + PATIENCE
        while not self._holds(condition):
            assert time.monotonic() < until, f"never true: {condition}"
            time.sleep(0.02)

    def _holds(self, condition: str) -> bool:
        try:
            return bool(self.do(condition))
        except Navigating:
            return False

    def press(self, key: str) -> None:
        """A key of the keyboard, by its DOM name."""
        text = {"Enter": "\r"}.get(key, key if len(key) == 1 else "")
        code = {"Enter": 13, "Escape": 27, "ArrowDown": 40, "ArrowUp": 38, "Backspace": 8, "Tab": 9}.get(
            key, 0
        )
        common = {"key": key, "windowsVirtualKeyCode": code}
        self._send("Input.dispatchKeyEvent", type="keyDown", text=text, **common)
        self._send("Input.dispatchKeyEvent", type="keyUp", **common)

    def type(self, text: str) -> None:
        """Text into what has the focus."""
        self._send("Input.insertText", text=text)

    def click(self, selector: str) -> None:
        """The mouse, in the middle of the first element that fits."""
        query = f"document.querySelector({json.dumps(selector)}).getBoundingClientRect().toJSON()"
        box = self.do(f"(() => {query})()")
        at = {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}
        for kind in ("mousePressed", "mouseReleased"):
            self._send("Input.dispatchMouseEvent", type=kind, button="left", clickCount=1, **at)

    def resize(self, width: int, height: int) -> None:
        """The window, in CSS pixels; a narrow one is that of a phone."""
        shape = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}
        self._send("Emulation.setDeviceMetricsOverride", **shape)

    def printed(self) -> None:
        """As on paper, although the system is dark."""
        dark = {"name": "prefers-color-scheme", "value": "dark"}
        self._send("Emulation.setEmulatedMedia", media="print", features=[dark])

    def without_scripts(self) -> None:
        """Loads the page again and runs none of its scripts."""
        self._send("Emulation.setScriptExecutionDisabled", value=True)
        self.reload()

    def reload(self) -> None:
        """Loads the page again; what tells the new one from the old one is to be waited for."""
        self._send("Page.reload")

    def close(self) -> None:
        """End the browser."""
        self._process.kill()
        self._process.wait()
        os.close(self._write)
        os.close(self._read)
