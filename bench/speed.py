"""Whole-process CPU time of `mmcodemod check`, against `ast.parse` of the same files and against others.

    python bench/speed.py [[NAME=]FOLDER...] [--wheels] [--no-peers] [--repeat N] [--write]

Without folders, or with --wheels: the wheels that `.ci/run` brings ($MMCODEMOD_WHEELS). Exits with 1 when a
bound does not hold.
"""

from __future__ import annotations

import argparse
import filecmp
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "src"))

from peers import PEERS, Peer, installed, measured, ours  # noqa: E402
from process import LIMIT, Cost, run  # noqa: E402

WHEELS = Path(os.environ.get("MMCODEMOD_WHEELS") or Path(tempfile.gettempdir()) / "mmcodemod-wheels")
README = Path(__file__).with_name("README.md")
BEGIN, END = "<!-- measured -->", "<!-- end of measured -->"

COLD, COLD_START = 10, 0.5  # bound of a cold check: COLD x ast.parse + COLD_START seconds
WARM, WARM_START = 1, 0.3  # the same for one of a tree that did not change
MEGABYTES, LARGE = 400, 300_000  # bound of memory for trees of more lines than LARGE
BOUNDS = (
    f"Bounds: cold <= {COLD} x ast.parse + {COLD_START} s; warm <= {WARM} x ast.parse + {WARM_START} s; "
    f"memory of a cold check <= {MEGABYTES} MB for trees of more than {LARGE:,} lines."
)

PARSE = """
import ast, sys, time, warnings
warnings.simplefilter("ignore")
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
class Row:
    """What one tree takes; `parse` in seconds."""

    name: str
    lines: int
    parse: float
    cold: Cost
    warm: Cost
    peers: tuple[Cost | None, ...]

    def broken(self) -> list[str]:
        """The bounds that do not hold."""
        large = self.lines > LARGE
        return [
            *(["cold"] if self.cold.seconds > COLD * self.parse + COLD_START else []),
            *(["warm"] if self.warm.seconds > WARM * self.parse + WARM_START else []),
            *(["memory"] if large and self.cold.megabytes > MEGABYTES else []),
        ]

    def cells(self) -> tuple[str, ...]:
        return (
            self.name,
            f"{self.lines:,}",
            f"{self.parse:.2f} s",
            self._cost(self.cold),
            self._cost(self.warm),
            *(self._peer(cost) for cost in self.peers),
            ", ".join(self.broken()) + " FAIL" if self.broken() else "hold",
        )

    def _cost(self, cost: Cost) -> str:
        return f"{self._times(cost)} ({cost.seconds:.2f} s), {cost.megabytes:.0f} MB"

    def _peer(self, cost: Cost | None) -> str:
        if cost is None:
            return "-"
        if cost.failure:
            return f"{cost.failure}, {cost.megabytes:.0f} MB"
        return f"{self._times(cost)}, {cost.megabytes:.0f} MB"

    def _times(self, cost: Cost) -> str:
        times = cost.seconds / max(self.parse, 1e-6)
        return f"{times:.0f}x" if times >= 10 else f"{times:.1f}x"


def main() -> int:
    options = arguments()
    given = dict(map(named, options.folders))
    folders = {**wheels(), **given} if options.wheels or not given else given
    if not folders:
        print(f"no folders, and no wheels in {WHEELS}: run .ci/run once, or name folders", file=sys.stderr)
        return 2
    peers = () if options.no_peers else tuple(peer for peer in PEERS if installed(peer))
    rows = []
    for name, folder in folders.items():
        rows.append(row(name, folder.resolve(), options.repeat, peers))
        print(*rows[-1].cells(), sep=" | ", file=sys.stderr)  # the slow ones among the others take minutes
    table = rendered(rows, peers)
    print(table)
    if options.write:
        write(table)
    return 1 if any(one.broken() for one in rows) else 0


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="*", metavar="[NAME=]FOLDER")
    parser.add_argument("--wheels", action="store_true", help="measure the wheels as well")
    parser.add_argument("--no-peers", action="store_true", help="do not install and measure other tools")
    parser.add_argument("--repeat", type=int, default=1, metavar="N", help="take the best of N runs of ours")
    parser.add_argument("--write", action="store_true", help="put the table into bench/README.md")
    return parser.parse_args()


def named(argument: str) -> tuple[str, Path]:
    """`NAME=FOLDER`, or a folder that is called as it is."""
    name, equals, folder = argument.partition("=")
    return (name, Path(folder)) if equals else (Path(argument).resolve().name, Path(argument))


def wheels() -> dict[str, Path]:
    """The unpacked wheels: pypi+NAME/VERSION."""
    found = sorted(path for path in WHEELS.glob("pypi+*/*") if path.is_dir())
    return {f"{path.parent.name.removeprefix('pypi+')} {path.name}": path for path in found}


def row(name: str, folder: Path, repeat: int, peers: Iterable[Peer]) -> Row:
    lines, parse = parsed(folder, repeat)
    with tempfile.TemporaryDirectory() as scratch:
        at = Path(scratch)
        cold = best(check(folder, at / f"cache{number}", at / "cold.json") for number in range(repeat))
        warm = best(check(folder, at / "cache0", at / "warm.json") for _ in range(repeat))
        if not filecmp.cmp(at / "cold.json", at / "warm.json", shallow=False):
            raise SystemExit(f"{name}: a warm check says something else than a cold one")
        costs = tuple(measured(peer, folder, at / "peer.txt") for peer in peers)
    return Row(name, lines, parse, cold, warm, costs)


def check(folder: Path, cache: Path, into: Path) -> Cost:
    command = [sys.executable, "-m", "mmcodemod", "check", "--format", "json", str(folder)]
    return run(command, ours(cache), into)


def best(costs: Iterable[Cost]) -> Cost:
    return min(costs, key=lambda cost: cost.seconds)


def parsed(folder: Path, repeat: int) -> tuple[int, float]:
    """Lines of Python, and the CPU seconds that `ast.parse` takes for them."""
    runs = []
    for _ in range(repeat):
        command = [sys.executable, "-c", PARSE, str(folder)]
        done = subprocess.run(command, capture_output=True, text=True, check=True, env=ours())
        lines, seconds = done.stdout.split()
        runs.append((int(lines), float(seconds)))
    return min(runs, key=lambda run: run[1])


def rendered(rows: list[Row], peers: Iterable[Peer]) -> str:
    """A Markdown table, and what its figures are."""
    names = [peer.requirement.replace("==", " ") for peer in peers]
    headings = ("tree", "lines", "ast.parse", "cold check", "warm check", *names, "bounds")
    table = [headings, *(row.cells() for row in rows)]
    widths = [max(len(line[i]) for line in table) for i in range(len(headings))]
    lines = [
        f"| {' | '.join(cell.ljust(width) for cell, width in zip(line, widths, strict=True))} |"
        for line in table
    ]
    lines.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(
        [*lines, "", f"{BOUNDS} Python {platform.python_version()}, limit of the others {LIMIT} s."]
    )


def write(table: str) -> None:
    """Replace the table in the README."""
    before, _, rest = README.read_text(encoding="utf-8").partition(BEGIN)
    after = rest.partition(END)[2]
    README.write_text(f"{before}{BEGIN}\n{table}\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
