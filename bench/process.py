"""Runs a command to its end and says what it cost."""

from __future__ import annotations

import contextlib
import os
import resource
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

LIMIT = 300  # CPU seconds of a peer
MEMORY = 8 << 30  # bytes of address space of a peer: a machine that swaps measures nothing
PAUSE = 0.05  # seconds between two looks at the memory


@dataclass(frozen=True)
class Cost:
    """CPU seconds (user and system) of a process and those it waited for, the peak of their memory together
    in MB, and why it did not finish ("" when it did)."""

    seconds: float
    megabytes: float
    failure: str = ""


def run(command: Sequence[str], environment: Mapping[str, str], into: Path, at: Path | None = None) -> Cost:
    """Run to the end, stdout into a file. Exit codes 0 and 1 are those of a linter that is well."""
    cost, code = _run(command, environment, into, at, limited=False)
    if code not in (0, 1):
        raise SystemExit(f"exit {code}: {' '.join(command)}")
    return cost


def run_limited(command: Sequence[str], environment: Mapping[str, str], into: Path, at: Path) -> Cost:
    """The same within LIMIT and MEMORY. It may fail: that is a result."""
    cost, code = _run(command, environment, into, at, limited=True)
    if code == 0:
        return cost
    over = cost.seconds >= LIMIT - 1
    return Cost(cost.seconds, cost.megabytes, f"not done in {LIMIT} s" if over else "crashes")


def _run(
    command: Sequence[str], environment: Mapping[str, str], into: Path, at: Path | None, limited: bool
) -> tuple[Cost, int]:
    with into.open("wb") as out:
        process = subprocess.Popen(
            command,
            stdout=out,
            stderr=subprocess.DEVNULL,
            env=environment,
            cwd=at,
            preexec_fn=_limit if limited else None,
        )
    peak = 0.0
    while (ended := os.wait4(process.pid, os.WNOHANG))[0] == 0:
        peak = max(peak, sum(map(_megabytes, _family(process.pid))))
        time.sleep(PAUSE)
    _, status, usage = ended
    process.returncode = os.waitstatus_to_exitcode(status)
    largest = usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024) / 1e6
    return Cost(usage.ru_utime + usage.ru_stime, max(peak, largest)), process.returncode


def _limit() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (LIMIT, LIMIT + 5))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def _family(pid: int) -> Iterator[int]:
    """A process and its descendants (Linux; elsewhere the largest one alone is measured, by the system)."""
    yield pid
    with contextlib.suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            for child in (task / "children").read_text().split():
                yield from _family(int(child))


def _megabytes(pid: int) -> float:
    """The share of a process in memory: what several map counts once."""
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024 / 1e6
    return 0.0
