"""One run of a command: own session, time limit, and nothing that it started is left behind."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import socket
import subprocess
import time
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

GRACE = 3.0  # seconds between the request to end and the kill
SHARED = Path("/dev/shm")  # where DeepSpeed's ranks on one machine meet: 69 MB each, which it never removes
PORTS = range(20000, 32000)
BADGE = "MMCODEMOD_PROOF_RUN"  # in the environment of all that a run starts


@dataclass(frozen=True)
class Outcome:
    """What a run wrote (stdout and stderr together), its exit code, and whether it ran past its limit."""

    text: str
    code: int
    timed_out: bool
    seconds: float


def run(command: str, folder: Path, environment: Mapping[str, str], limit: float, log: Path) -> Outcome:
    """Run a shell command in a folder for at most `limit` seconds; its output is kept in `log`."""
    badge = uuid.uuid4().hex
    started = time.monotonic()
    with log.open("wb") as out:
        process = subprocess.Popen(
            ["bash", "-c", command],
            cwd=folder,
            env={**environment, BADGE: badge},
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        timed_out = _waits_longer(process, limit)
        _end(process, badge)
    _sweep(environment.get("MASTER_PORT", ""))
    text = log.read_text(encoding="utf-8", errors="replace")
    return Outcome(text, process.returncode, timed_out, time.monotonic() - started)


def free_port() -> int:
    """A port that nobody listens on now, so that two runs on one machine do not meet. It is below those that
    the system gives to connections by itself (Linux: from 32768), one of which may come before the run."""
    for port in random.sample(PORTS, len(PORTS)):
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
    raise OSError(f"no port is free from {PORTS[0]} to {PORTS[-1]}")


def _waits_longer(process: subprocess.Popen[bytes], limit: float) -> bool:
    try:
        process.wait(limit)
    except subprocess.TimeoutExpired:
        return True
    return False


def _end(process: subprocess.Popen[bytes], badge: str) -> None:
    """End the group of the run, then what left the group: torchrun gives each worker a session of its own."""
    _signal_group(process.pid, signal.SIGTERM)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(GRACE)
    _signal_group(process.pid, signal.SIGKILL)
    process.wait()
    for pid in _badged(badge):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def _sweep(port: str) -> None:
    """Give back the memory that the ranks of a run shared."""
    for file in SHARED.glob(f"deepspeed_allreduce_buffer_*_{port}_[0-9]*") if port else ():
        file.unlink(missing_ok=True)


def _signal_group(group: int, what: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, what)


def _badged(badge: str) -> Iterator[int]:
    """The processes that carry the badge of one run (Linux alone tells)."""
    wanted = f"{BADGE}={badge}".encode()
    for file in Path("/proc").glob("[0-9]*/environ"):
        with contextlib.suppress(OSError):
            if wanted in file.read_bytes().split(b"\0"):
                yield int(file.parent.name)
