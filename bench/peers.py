"""What others take on the same trees: each tool in an environment of its own, made at the first run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from process import Cost, run_limited

BENCH = Path(__file__).parents[1] / ".bench"


@dataclass(frozen=True)
class Peer:
    """A tool, the requirement that brings it, and the command for a tree (run in its folder)."""

    name: str
    requirement: str
    command: Callable[[Path, Path], list[str]]  # the environment's bin folder, the tree

    @property
    def bin(self) -> Path:
        return BENCH / self.requirement / "bin"


def torchfix(bin: Path, tree: Path) -> list[str]:
    return [str(bin / "torchfix"), "."]


def pycg(bin: Path, tree: Path) -> list[str]:
    return [str(bin / "python"), "-m", "pycg", "--package", ".", *entries(tree)]


def pyan3(bin: Path, tree: Path) -> list[str]:
    return [str(bin / "pyan3"), "--root", ".", "--text", *python_files(tree)]


PEERS = (
    Peer("TorchFix", "torchfix==0.7.0", torchfix),  # pins an older LibCST
    Peer("PyCG", "PyCG==0.0.7", pycg),  # 0.0.8 cannot be imported: its package is called PyCG there
    Peer("pyan3", "pyan3==2.9.0", pyan3),
)


def installed(peer: Peer) -> bool:
    """Is it there? Made at the first run."""
    done = peer.bin / "installed"
    if not done.exists():
        venv.create(peer.bin.parent, with_pip=True)
        command = [str(peer.bin / "python"), "-m", "pip", "install", "-q", peer.requirement]
        if subprocess.run(command).returncode:
            print(f"{peer.requirement} cannot be installed: measured without it", file=sys.stderr)
            return False
        done.touch()
    return True


def measured(peer: Peer, tree: Path, into: Path) -> Cost:
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    return run_limited(peer.command(peer.bin, tree), environment, into, tree)


def python_files(tree: Path) -> list[str]:
    """The files that mmcodemod checks."""
    from mmcodemod.source.discover import discover

    return [path for path in discover([tree]).tree.paths if path.endswith(".py")]


def entries(tree: Path) -> list[str]:
    """Where training starts: the file that most launches name, else the scripts called train*, else all.
    A call graph tool that follows imports reads the rest from there."""
    files = python_files(tree)
    launched = Counter(path for path in _launched(tree) if path in files)
    if launched:
        return [min(launched, key=lambda path: (-launched[path], path))]
    scripts = [path for path in files if Path(path).name.startswith("train") and _is_script(tree / path)]
    return scripts or files


def _launched(tree: Path) -> list[str]:
    command = [sys.executable, "-m", "mmcodemod", "contexts", "--no-cache", "--format", "json", str(tree)]
    done = subprocess.run(command, capture_output=True, env=ours())
    return [c["entry"]["path"] for c in json.loads(done.stdout)["contexts"] if c["entry"]]


def _is_script(file: Path) -> bool:
    return "__main__" in file.read_text(encoding="utf-8", errors="replace")


def ours(cache: Path | None = None) -> Mapping[str, str]:
    """Runs this checkout, with a cache folder of its own."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("MMCODEMOD_")}
    own = {"PYTHONPATH": str(Path(__file__).parents[1] / "src"), "PYTHONDONTWRITEBYTECODE": ""}
    return {**kept, **own, **({"MMCODEMOD_CACHE_DIR": str(cache)} if cache else {})}
