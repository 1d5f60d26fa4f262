"""The fix under test: what `mmcodemod fix` writes into a copy of a showcase, and what takes it back."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

SOURCE = Path(__file__).parents[2] / "src"
LEFT_BY_RUNS = ("__pycache__",)


class PatchFault(Exception):
    """mmcodemod does not do what the proof needs; the message says what."""


def copy(folder: Path, to: Path) -> None:
    """A fresh copy of a showcase."""
    shutil.rmtree(to, ignore_errors=True)
    shutil.copytree(folder, to, ignore=shutil.ignore_patterns(*LEFT_BY_RUNS))


def files(folder: Path) -> dict[str, bytes]:
    """The files of a tree by their path in it."""
    every = (f for f in sorted(folder.rglob("*")) if f.is_file() and not set(f.parts) & set(LEFT_BY_RUNS))
    return {f.relative_to(folder).as_posix(): f.read_bytes() for f in every}


def found_alone(folder: Path, rules: Sequence[str]) -> None:
    """The check finds these rules and no other.

    Raises:
        PatchFault: when it misses one, or finds another rule that `fix` might act on as well.
    """
    found = sorted({str(f["rule"]) for f in _loud(folder)})
    if found != sorted(rules):
        raise PatchFault(
            f"the check finds {', '.join(found) or 'nothing'}, and should find {', '.join(rules)}"
        )


def nothing_about(folder: Path, launch: str) -> None:
    """The check knows the runs that a launch starts, and warns of nothing in them; notes claim no failure.

    Raises:
        PatchFault: when it does not know them, or a warning or an error names one.
    """
    report = _report(folder)
    runs = {c["id"] for c in report["contexts"] if (c["launcher"] or {}).get("path") in launch.split()}
    if not runs:
        raise PatchFault(f"no context is launched by {launch!r}")
    loud = (f for f in report["findings"] if f["severity"] != "info")
    named = sorted({str(f["rule"]) for f in loud if runs & set(f["contexts"])})
    if named:
        raise PatchFault(f"{launch!r} is sound, and the check finds {', '.join(named)} in it")


def _loud(folder: Path) -> list[dict[str, Any]]:
    """The warnings and errors of the check."""
    return [f for f in _report(folder)["findings"] if f["severity"] != "info"]


def _report(folder: Path) -> dict[str, Any]:
    said = _tool(folder, "check", "--preview", "--format", "json", "--exit-zero", ".")
    report: dict[str, Any] = json.loads(said)
    return report


def fix(folder: Path, patch: Path) -> None:
    """Let mmcodemod fix a tree, with the patch that it shows kept in `patch`.

    Raises:
        PatchFault: when it writes nothing, leaves a finding, or writes something more the second time.
    """
    before = files(folder)
    patch.write_text(_tool(folder, "fix", "--preview", "--unsafe", "--exit-zero", "."), encoding="utf-8")
    _tool(folder, "fix", "--preview", "--apply", "--unsafe", "--exit-zero", ".")
    after = files(folder)
    if after == before:
        raise PatchFault("`mmcodemod fix --apply --unsafe` changes nothing")
    left = sorted({str(f["rule"]) for f in _loud(folder)})
    if left:
        raise PatchFault(f"after the fix the check still finds {left}")
    _tool(folder, "fix", "--preview", "--apply", "--unsafe", "--exit-zero", ".")
    if files(folder) != after:
        raise PatchFault("a second `mmcodemod fix --apply --unsafe` changes something more")


def revert(folder: Path, patch: Path, before: Path) -> None:
    """Take the patch back.

    Raises:
        PatchFault: when what is left is not `before`, byte for byte.
    """
    command = ["git", "apply", "--reverse", "--whitespace=nowarn", str(patch)]
    outside = {**os.environ, "GIT_CEILING_DIRECTORIES": str(folder.parent)}
    done = subprocess.run(command, cwd=folder, env=outside, capture_output=True, text=True)
    if done.returncode:
        raise PatchFault(f"the patch cannot be taken back: {done.stderr.strip()}")
    if files(folder) != files(before):
        raise PatchFault("without the patch the copy is not what it was: something else has changed it")


def digest(before: Mapping[str, bytes], after: Mapping[str, bytes], spec: bytes) -> str:
    """What a proof is about: the showcase, what the tool makes of it, and how it is judged."""
    whole = hashlib.sha256(spec)
    for tree in (before, after):
        for path, data in sorted(tree.items()):
            whole.update(f"\0{path}\0{len(data)}\0".encode() + data)
    return whole.hexdigest()[:12]


def _tool(folder: Path, *arguments: str) -> str:
    """The output of mmcodemod, this checkout's."""
    path = os.pathsep.join(p for p in (str(SOURCE), os.environ.get("PYTHONPATH", "")) if p)
    command = [sys.executable, "-m", "mmcodemod", *arguments]
    outside = {**os.environ, "PYTHONPATH": path}
    done = subprocess.run(command, cwd=folder, env=outside, capture_output=True, text=True)
    if done.returncode:
        raise PatchFault(f"mmcodemod {' '.join(arguments)}: {done.stdout[-500:]}{done.stderr[-500:]}")
    return done.stdout
