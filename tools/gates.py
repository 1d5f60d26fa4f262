"""Finds between which two releases a library changes, by running a small program with real releases.

python tools/gates.py                              names the gates
python tools/gates.py CLIPS_BY_DEFAULT             halves the list of its releases until two neighbours differ
python tools/gates.py INIT_ON_META --releases 4.50.3 4.51.0    runs these alone

Environments are built as for the proofs (see CONTRIBUTING.md): a release on top of the base.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from proving.environments import EnvironmentFault, Environments
from proving.gates import GATES, Gate
from proving.running import free_port, run

LIMIT = 300  # seconds for one run


def main(arguments: list[str] | None = None) -> int:
    """0 when the change was found between two neighbours, 1 when not."""
    options = _options().parse_args(arguments)
    if options.gate is None:
        print("\n".join(f"{name}: {gate.package} {gate.program}" for name, gate in sorted(GATES.items())))
        return 0
    gate, known = GATES[options.gate], Environments(options.env_dir, dict(map(_given, options.python)))
    if options.releases:
        sides = [_told(gate, known, release) for release in options.releases]
        return int("" in sides)
    found = halved(list(gate.releases), lambda release: _told(gate, known, release))
    print(f"{options.gate}: {gate.package} " + (" -> ".join(found) if found else "not found"))
    return int(not found)


def halved(releases: Sequence[str], side: Callable[[str], str]) -> tuple[str, ...]:
    """The last release of the older side and the first of the newer one; () where the ends do not differ."""
    low, high = 0, len(releases) - 1
    if side(releases[low]) != "older" or side(releases[high]) != "newer":
        return ()
    while high - low > 1:
        middle = (low + high) // 2
        found = side(releases[middle])
        if not found:
            return ()
        low, high = (middle, high) if found == "older" else (low, middle)
    return releases[low], releases[high]


def _options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="Find between which releases a library changes.")
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    parser.add_argument("gate", nargs="?", choices=sorted(GATES))
    parser.add_argument("--releases", nargs="+", metavar="RELEASE", help="run these alone")
    parser.add_argument("--env-dir", type=Path, default=home / "mmcodemod" / "proofs", metavar="DIR")
    parser.add_argument("--python", action="append", default=[], metavar="NAME=PATH")
    return parser


def _given(text: str) -> tuple[str, Path]:
    name, _, path = text.partition("=")
    return name, Path(path).absolute()


def _told(gate: Gate, known: Environments, release: str) -> str:
    """The side of a release, which is printed with what its run wrote."""
    name = f"{gate.package}-{release}"
    work = known.folder / "work" / "gates" / gate.program.removesuffix(".py")
    work.mkdir(parents=True, exist_ok=True)
    try:
        variables = {**known.variables(name, work), "MASTER_PORT": str(free_port())}
    except EnvironmentFault as error:
        print(f"{release}: {error}", flush=True)
        return ""
    outcome = run(gate.command, work, variables, LIMIT, work / f"{release}.log")
    side = gate.side(outcome.text)
    print(f"{release}: {side or 'neither'}: {gate.seen(outcome.text)}", flush=True)
    return side


if __name__ == "__main__":
    sys.exit(main())
