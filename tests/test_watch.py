"""`check --watch` in a process of its own: it checks again after a change, and Ctrl-C is no failure."""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import sys
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest
from trained import DS, planted, refused

import mmcodemod
from mmcodemod.cli import watch
from mmcodemod.cli.options import Options

SOURCE = Path(mmcodemod.__file__).parents[1]


class Watched:
    """A process that watches; `until` reads its lines up to one that holds a text."""

    def __init__(self, folder, *arguments):
        env = {**os.environ, "PYTHONPATH": str(SOURCE), "XDG_CACHE_HOME": str(folder.parent / "cache")}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "mmcodemod", "check", "--watch", *arguments],
            cwd=folder,
            env=env,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        )
        self.lines = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            self.lines.put(line)

    def until(self, text):
        seen = ""
        while text not in seen:
            seen += self.lines.get(timeout=60)
        return seen

    def interrupt(self):
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(timeout=30)


def saved(path, text):
    """Written as editors write: never seen half-written."""
    (whole := path.parents[1] / path.name).write_text(text)
    whole.replace(path)


@pytest.fixture
def watching(tmp_path):
    folder = planted(tmp_path / "repo")
    started = []

    def start(*arguments):
        started.append(Watched(folder, *arguments))
        return folder, started[-1]

    yield start
    for one in started:
        if one.process.poll() is None:
            one.process.kill()
        one.process.wait()


def test_a_change_a_new_file_and_a_deleted_one(watching):
    folder, one = watching()
    first = one.until("watching ")
    assert "1 warning, 1 note" in first or "2 warnings" in first
    assert "\x1b" not in first, "no screen is cleared in a pipe"
    saved(folder / "b.json", DS.replace("}}", '}, "gradient_clipping": 1.0}'))
    assert "changed: b.json\n" in (second := one.until("watching ")) and "1 warning" in second
    saved(folder / "c.json", "{}")
    assert "changed: c.json\n" in one.until("watching ")
    os.unlink(folder / "c.json")
    assert "changed: c.json\n" in one.until("watching ")
    assert one.interrupt() == 0
    assert one.until("stopped").endswith("\nstopped\n")


def test_the_screen_is_cleared_and_what_scrolled_by_stays(monkeypatch):
    written = []
    monkeypatch.setattr(watch.sys, "stdout", SimpleNamespace(isatty=lambda: True))
    monkeypatch.setattr(watch, "emit", written.append)
    watch._checked(Options(quiet=True), lambda options: 0, 1)
    assert written == ["\x1b[H\x1b[2J"]


def test_a_broken_configuration_is_shown_and_its_repair_is_seen(watching):
    pytest.importorskip("tomllib")
    folder, one = watching("--select", "MM303")
    one.until("watching ")
    saved(folder / "mmcodemod.toml", "selct = []\n")
    assert "unknown key 'selct'" in one.until("watching ")
    saved(folder / "mmcodemod.toml", 'ignore = ["MM303"]\n')
    assert "changed: mmcodemod.toml\n" in one.until("watching ")
    assert one.interrupt() == 0


def test_what_is_still_being_written_is_waited_for(monkeypatch):
    states = [{"a": (1, 0, 1)}, {"a": (2, 9, 1)}, {"a": (2, 9, 1)}, {"a": (3, 9, 1)}]
    left = iter(states)
    monkeypatch.setattr(watch, "_seen", lambda options: next(left))
    monkeypatch.setattr(watch, "SETTLING", 0)
    assert watch._settled(Options(), next(left)) == states[2]
    assert list(left) == states[3:]


def test_what_never_ends_to_grow_holds_nothing_up(monkeypatch):
    sizes = iter(range(100))
    monkeypatch.setattr(watch, "_seen", lambda options: {"a": (1, next(sizes), 1)})
    monkeypatch.setattr(watch, "SETTLING", 0)
    assert watch._settled(Options(), {}) == {"a": (1, 19, 1)}


def test_watching_and_writing_contradict(tmp_path, monkeypatch):
    monkeypatch.chdir(planted(tmp_path / "repo"))
    assert "does not go with --watch" in refused("check", "--watch", "--add-ignores")
