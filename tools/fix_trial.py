"""Tries `fix --apply --unsafe` on copies of trees, and asserts what must hold afterwards.

python tools/fix_trial.py TREE... [--keep DIR]

Prints one JSON line for each tree and then a table. With `--keep`, DIR gets each tree's patch and findings,
to read as its maintainer would. Nothing of a tree is imported or run, and none is written to.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import stat
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "src")]

from trialling import judging  # noqa: E402
from trialling.judging import Entry  # noqa: E402


class Fault(Exception):
    """A command ended as it must not."""


@dataclass
class Trial:
    """What one tree showed; `faults` is empty when all holds."""

    tree: str
    files: int = 0
    findings: dict[str, int] = field(default_factory=dict)
    fixed: dict[str, int] = field(default_factory=dict)
    changed: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)


def main(arguments: list[str] | None = None) -> int:
    """0 when all holds, 1 when a tree has a fault or is not there."""
    parser = argparse.ArgumentParser(description="Try the fixes on copies of trees.")
    parser.add_argument("trees", nargs="+", type=Path, metavar="TREE")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="where patches and findings are written")
    options = parser.parse_args(arguments)
    trials = [_reported(root, options.keep) for root in options.trees]
    print(table(trials))
    return 1 if any(trial.faults for trial in trials) else 0


def _reported(root: Path, keep: Path | None) -> Trial:
    found = trial(root.resolve(), keep) if root.is_dir() else Trial(str(root), faults=["not here"])
    print(json.dumps(asdict(found)), flush=True)
    return found


def trial(root: Path, keep: Path | None = None) -> Trial:
    """Everything that is asked of one tree, on two copies of it: one is fixed, one gets the patch."""
    with tempfile.TemporaryDirectory(prefix="fix-trial-") as work:
        written, patched = (Path(work, name, root.name) for name in ("written", "patched"))
        for copy in (written, patched):
            shutil.copytree(root, copy, symlinks=True)
        found = Trial(f"{root.parent.name}/{root.name}")
        try:
            _tried(found, written, patched, keep)
        except Fault as fault:
            found.faults.append(str(fault))
    return found


def _tried(found: Trial, written: Path, patched: Path, keep: Path | None) -> None:
    before = state(written)
    report = _json("check", written)
    patch = _run("fix", "--unsafe", folder=patched)
    fixed = _json("fix", written, "--apply", "--unsafe")
    found.files, found.changed = len(before), fixed["changed"]
    found.findings = dict(Counter(f["severity"] for f in report["findings"]))
    found.fixed = dict(Counter(f["rule"] for f in fixed["fixed"]))
    found.refused = [
        f"{p['path']}:{p['line']} {p['message']}" for p in fixed["problems"] if p["kind"] == "fix"
    ]
    _patch(patch, patched)
    after = state(written)
    found.faults += judging.tree(before, after, found.changed) + judging.same(after, state(patched))
    again = _json("fix", written, "--apply", "--unsafe")["changed"]
    found.faults += [f"{path}: changed by the second run" for path in again]
    found.faults += [] if state(written) == after else ["the second run changed the tree"]
    left = _json("check", written)["findings"]
    found.faults += judging.findings(report["findings"], fixed["fixed"], left)
    if keep:
        _keep(keep / found.tree.replace("/", "_"), patch, fixed)


def state(root: Path) -> dict[str, Entry]:
    """Every file below a folder; links are not followed."""
    paths = (Path(folder, name) for folder, _, names in os.walk(root) for name in names)
    return {str(path.relative_to(root)): _entry(path) for path in paths}


def _entry(path: Path) -> Entry:
    if path.is_symlink():
        return Entry(0, os.fsencode(os.readlink(path)))
    return Entry(stat.S_IMODE(path.stat().st_mode), path.read_bytes())


def _json(command: str, folder: Path, *options: str) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(_run(command, "--format", "json", *options, folder=folder))
    return answer


def _run(command: str, *options: str, folder: Path) -> bytes:
    """What mmcodemod prints in a folder. 0 and 1 (there are findings) are good ends."""
    variables = {
        **os.environ,
        "PYTHONPATH": str(ROOT / "src"),
        "MMCODEMOD_CACHE_DIR": str(folder.parent / "cache"),
    }
    words = [sys.executable, "-m", "mmcodemod", command, *options, "."]
    done = subprocess.run(words, cwd=folder, env=variables, capture_output=True, check=False)
    if done.returncode not in (0, 1):
        raise Fault(f"{command} ended with {done.returncode}: {done.stderr.decode(errors='replace')[-500:]}")
    return done.stdout


def _patch(patch: bytes, folder: Path) -> None:
    if not patch:
        return
    variables = {**os.environ, "GIT_CEILING_DIRECTORIES": str(folder.parent)}
    words = ["git", "-c", "core.autocrlf=false", "apply", "--whitespace=nowarn"]
    done = subprocess.run(words, cwd=folder, env=variables, input=patch, capture_output=True, check=False)
    if done.returncode:
        raise Fault(f"git apply refused the patch: {done.stderr.decode(errors='replace')[-500:]}")


def _keep(stem: Path, patch: bytes, fixed: dict[str, Any]) -> None:
    stem.parent.mkdir(parents=True, exist_ok=True)
    stem.with_name(stem.name + ".diff").write_bytes(patch)
    stem.with_name(stem.name + ".json").write_text(json.dumps(fixed, indent=1), "utf-8")


def table(trials: list[Trial]) -> str:
    """The trials as Markdown."""
    rows = [
        "| tree | files | findings | files changed | fixed | refused | faults |",
        "|---|--:|---|--:|---|--:|---|",
    ]
    for each in trials:
        cells = (each.tree, each.files, _counts(each.findings), len(each.changed), _counts(each.fixed))
        faults = "<br>".join(each.faults) or "none"
        rows.append("| " + " | ".join(map(str, (*cells, len(each.refused), faults))) + " |")
    return "\n".join(rows)


def _counts(found: dict[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in sorted(found.items())) or "none"


if __name__ == "__main__":
    sys.exit(main())
