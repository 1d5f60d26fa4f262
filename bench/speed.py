"""Whole-process CPU time of `mmcodemod check`, against `ast.parse` of the same files and against TorchFix.

    python bench/speed.py [FOLDER...] [--no-peers] [--repeat N] [--markdown]

Without folders: the wheels that `.ci/run` brings ($MMCODEMOD_WHEELS). Exits with 1 when a bound does not
hold.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import venv
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
WHEELS = Path(os.environ.get("MMCODEMOD_WHEELS") or Path(tempfile.gettempdir()) / "mmcodemod-wheels")
TORCHFIX = ROOT / ".bench" / "torchfix"  # an environment of its own: it pins an older LibCST
FACTOR, START = 10, 0.5  # bound of a cold check: FACTOR x ast.parse + START seconds
HEADINGS = ("tree", "lines", "ast.parse", "cold", "x", "warm", "x", "peak MB", "TorchFix", "x", "bound")

PARSE = """
import ast, sys, time, warnings
warnings.simplefilter("ignore")
from pathlib import Path
from mmcodemod.source.discover import discover
found = discover([sys.argv[1]])
lines, seconds = 0, 0.0
for path in found.tree.paths:
    if path.endswith(".py"):
        data = found.tree.read_bytes(path)
        lines += data.count(b"\\n")
        begun = time.process_time()
        try:
            ast.parse(data)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            pass
        seconds += time.process_time() - begun
print(lines, seconds)
"""


@dataclass(frozen=True)
class Cost:
    """CPU seconds (user and system) of a process and those it waited for, and its peak memory in MB."""

    seconds: float
    megabytes: float


@dataclass(frozen=True)
class Row:
    name: str
    lines: int
    parse: float
    cold: Cost
    warm: Cost
    torchfix: Cost | None

    @property
    def holds(self) -> bool:
        return self.cold.seconds <= FACTOR * self.parse + START

    def cells(self) -> tuple[str, ...]:
        peer = self.torchfix
        return (
            self.name,
            f"{self.lines:,}",
            f"{self.parse:.2f}",
            f"{self.cold.seconds:.2f}",
            self._ratio(self.cold),
            f"{self.warm.seconds:.2f}",
            self._ratio(self.warm),
            f"{self.cold.megabytes:.0f}",
            f"{peer.seconds:.1f}" if peer else "-",
            self._ratio(peer) if peer else "-",
            "PASS" if self.holds else "FAIL",
        )

    def _ratio(self, cost: Cost) -> str:
        return f"{cost.seconds / max(self.parse, 1e-6):.1f}"


def main() -> int:
    options = arguments()
    folders = options.folders or wheels()
    if not folders:
        print(
            f"no folders given, and no wheels in {WHEELS}: run .ci/run once, or name folders", file=sys.stderr
        )
        return 2
    torchfix = None if options.no_peers else installed_torchfix()
    rows = [measured(folder, options.repeat, torchfix) for folder in folders]
    show(rows, options.markdown)
    return 0 if all(row.holds for row in rows) else 1


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--no-peers", action="store_true", help="do not install and measure TorchFix")
    parser.add_argument("--repeat", type=int, default=1, metavar="N", help="take the best of N runs")
    parser.add_argument("--markdown", action="store_true", help="print a Markdown table")
    return parser.parse_args()


def wheels() -> list[Path]:
    """The unpacked wheels: pypi+NAME/VERSION."""
    return sorted(path for path in WHEELS.glob("pypi+*/*") if path.is_dir())


def measured(folder: Path, repeat: int, torchfix: Path | None) -> Row:
    folder = folder.resolve()
    lines, parse = parsed(folder, repeat)
    check = [sys.executable, "-m", "mmcodemod", "check", "--format", "json", str(folder)]
    with tempfile.TemporaryDirectory() as cache:
        colds = [cost(check, f"{cache}/{number}") for number in range(repeat)]
        warm = min((cost(check, f"{cache}/0") for _ in range(repeat)), key=lambda c: c.seconds)
        peer = cost([str(torchfix), str(folder)], cache) if torchfix else None
    return Row(named(folder), lines, parse, min(colds, key=lambda c: c.seconds), warm, peer)


def named(folder: Path) -> str:
    return folder.parent.name.removeprefix("pypi+") if folder.parent.name.startswith("pypi+") else folder.name


def parsed(folder: Path, repeat: int) -> tuple[int, float]:
    """Lines of Python, and the CPU seconds that `ast.parse` takes for them."""
    runs = []
    for _ in range(repeat):
        command = [sys.executable, "-c", PARSE, str(folder)]
        done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment())
        lines, seconds = done.stdout.split()
        runs.append((int(lines), float(seconds)))
    return min(runs, key=lambda run: run[1])


def cost(command: list[str], cache: str) -> Cost:
    """Run a command to its end. Its exit code may be 0 or 1, as for all linters."""
    process = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment(cache)
    )
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1):
        raise SystemExit(f"exit {process.returncode}: {' '.join(command)}")
    unit = 1 if sys.platform == "darwin" else 1024
    return Cost(usage.ru_utime + usage.ru_stime, usage.ru_maxrss * unit / 1e6)


def environment(cache: str = "") -> dict[str, str]:
    """Runs this checkout, with a cache folder of its own."""
    own = {"PYTHONPATH": str(ROOT / "src"), "PYTHONDONTWRITEBYTECODE": ""}
    return {**os.environ, **own, **({"XDG_CACHE_HOME": cache} if cache else {})}


def installed_torchfix() -> Path | None:
    """TorchFix in an environment of its own, made at the first run; None when it cannot be installed."""
    script = TORCHFIX / "bin" / "torchfix"
    if not script.exists():
        venv.create(TORCHFIX, with_pip=True)
        command = [str(TORCHFIX / "bin" / "python"), "-m", "pip", "install", "-q", "torchfix"]
        if subprocess.run(command).returncode:
            print("TorchFix cannot be installed here: measured without it", file=sys.stderr)
            return None
    return script


def show(rows: list[Row], markdown: bool) -> None:
    table = [HEADINGS, *(row.cells() for row in rows)]
    widths = [max(len(line[i]) for line in table) for i in range(len(HEADINGS))]
    for number, line in enumerate(table):
        cells = [
            c.ljust(w) if i == 0 else c.rjust(w) for i, (c, w) in enumerate(zip(line, widths, strict=True))
        ]
        print(f"| {' | '.join(cells)} |" if markdown else "  ".join(cells))
        if markdown and number == 0:
            print("|" + "|".join("-" * (w + 1) + ":" for w in widths) + "|")
    python = sys.version.split()[0]
    print(f"\nCPU seconds of whole processes, Python {python}; x: times ast.parse of the same files;")
    print(f"bound: cold <= {FACTOR} x ast.parse + {START} s")


if __name__ == "__main__":
    sys.exit(main())
