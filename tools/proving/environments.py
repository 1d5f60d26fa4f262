"""Python environments to run proofs in: built in a cache folder, or an interpreter that is there already."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

# What older transformers need and the base does not bring.
_WEB = ("requests", "urllib3", "idna", "certifi", "charset-normalizer")
_OF_SPRING_2025 = (
    "transformers==4.49.0",
    "accelerate==1.4.0",
    "tokenizers==0.21.0",
    "huggingface_hub==0.29.3",
    *_WEB,
)
_DATASETS = (
    "datasets==5.2.0",
    "pyarrow==26.0.1",
    "pandas==3.1.1",
    "python-dateutil==4.0.0",
    "dill==0.4.1",
    "multiprocess==0.70.19",
    "xxhash==4.1.0",
)
# The newest releases that the proofs were run with, and overlays that put older releases on top.
PACKAGES: Mapping[str, tuple[str, ...]] = {
    "base": ("torch==2.13.0", "deepspeed==0.19.8", "transformers==5.23.0", "accelerate==1.15.0"),
    "deepspeed-0.16.9": ("deepspeed==0.16.9",),
    "deepspeed-0.14.4": ("deepspeed==0.14.4",),
    # not in the base: the Trainer of older transformers cannot do with a `datasets` as new as this
    "datasets": ("deepspeed==0.19.8", *_DATASETS),
    "mmengine": (
        "deepspeed==0.19.8",
        *_DATASETS,
        "mmengine==0.10.7",
        "addict==2.4.0",
        "yapf==0.43.0",
        "platformdirs==4.14.7",
        "termcolor==3.3.0",
        "rich==15.0.0",
        "pygments==2.21.0",
        "markdown-it-py==4.3.0",
        "mdurl==0.1.2",
    ),
    "peft-0.16.9": ("deepspeed==0.16.9", "peft==0.14.0", *_OF_SPRING_2025),
    "peft-0.19.8": ("deepspeed==0.19.8", "peft==0.14.0", *_OF_SPRING_2025),
    "judge-0.16.9": ("deepspeed==0.16.9", *_OF_SPRING_2025),
    "judge-0.14.4": (
        "deepspeed==0.14.4",
        "transformers==4.42.4",
        "accelerate==0.31.0",
        "tokenizers==0.19.1",
        "huggingface_hub==0.23.4",
        "numpy==1.26.4",
        *_WEB,
    ),
}
# One release on top of the base. transformers takes along the older packages that it needs.
_RELEASE = re.compile(r"(deepspeed|transformers)-(\d+(?:\.\d+)+)")
BUILD_TOOLS = ("wheel", "ninja", "py-cpuinfo", "setuptools", "numpy")
TOLD = ("torch", "deepspeed", "transformers", "accelerate")
IN_ORDER = Path(__file__).parent / "in_order"  # what it does stands in its sitecustomize.py
_WAITS_FOR_THE_LAST = re.compile(r"(.*-)?0\.1[0-8]\.\d+")  # of several gathers: DeepSpeed before 0.19
READY = "ready"  # written last: an environment without it was cut short

_QUERY = """
import importlib.metadata as metadata, json, sys
from packaging.requirements import Requirement
versions = {name: metadata.version(name) for name in json.loads(sys.argv[1])}
unmet = []
for line in json.loads(sys.argv[2]):
    wanted = Requirement(line)
    if not wanted.specifier.contains(metadata.version(wanted.name), prereleases=True):
        unmet.append(line)
print(json.dumps({"versions": versions, "unmet": unmet}))
"""


def packages(name: str) -> tuple[str, ...]:
    """What pip installs for an environment; () when nobody knows it."""
    release = _RELEASE.fullmatch(name)
    return PACKAGES.get(name) or ((f"{release[1]}=={release[2]}",) if release else ())


class EnvironmentFault(Exception):
    """An environment that cannot be built or asked; the message names it."""


@dataclass(frozen=True)
class Environments:
    """`folder` holds what is built; `given` are interpreters by the name of the environment."""

    folder: Path
    given: Mapping[str, Path] = field(default_factory=dict)

    def python(self, name: str) -> Path:
        """The interpreter of an environment, which is built when it is not there.

        Raises:
            EnvironmentFault: when nobody knows it or it cannot be built.
        """
        if name in self.given:
            return self.given[name]
        if not packages(name):
            raise EnvironmentFault(f"environment {name!r} is not among {sorted(PACKAGES)}")
        home = self.folder / name
        if not (home / READY).is_file():
            self._build(name, home)
        return home / "bin" / "python"

    def extensions(self, name: str) -> Path:
        """The folder of operators that an environment compiles; a stale lock in it hangs every later run."""
        return self.folder / "extensions" / name

    def clear_extensions(self, name: str) -> None:
        shutil.rmtree(self.extensions(name), ignore_errors=True)

    def variables(self, name: str, home: Path) -> dict[str, str]:
        """The variables of a run: this environment's programs first, the CPU, no downloads, its own home."""
        path = f"{self.python(name).parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
        self.extensions(name).mkdir(parents=True, exist_ok=True)
        in_order = {"PYTHONPATH": str(IN_ORDER)} if _WAITS_FOR_THE_LAST.fullmatch(name) else {}
        return {
            **in_order,
            "PATH": path,
            "HOME": str(home),
            "LANG": "C.UTF-8",
            "DS_ACCELERATOR": "cpu",
            "OMP_NUM_THREADS": "1",
            "HF_HUB_OFFLINE": "1",
            "PYTHONDONTWRITEBYTECODE": "1",
            "TORCH_EXTENSIONS_DIR": str(self.extensions(name)),
        }

    def _build(self, name: str, home: Path) -> None:
        shutil.rmtree(home, ignore_errors=True)
        made_by = sys.executable if name == "base" else str(self.python("base"))
        _do([made_by, "-m", "venv", str(home)], name)
        pip = [str(home / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        if name == "base":
            torch, *rest = PACKAGES[name]
            _do([*pip, torch, *BUILD_TOOLS], name)
            _do([*pip, "--no-build-isolation", *rest], name)
        else:
            _lay_over(home, self.python("base"), name)
            alone = () if name.startswith("transformers-") else ("--no-deps", "--force-reinstall")
            _do([*pip, "--no-build-isolation", *alone, *packages(name)], name)
        (home / READY).touch()


def _lay_over(home: Path, base: Path, name: str) -> None:
    """What is not installed in `home` is taken from the base."""
    site = "import sysconfig; print(sysconfig.get_path('purelib'))"
    below = _do([str(base), "-c", site], name).strip()
    here = _do([str(home / "bin" / "python"), "-c", site], name).strip()
    (Path(here) / "base.pth").write_text(below + "\n", encoding="utf-8")


def versions(python: Path, requirements: Path) -> tuple[dict[str, str], list[str]]:
    """The versions of what the proofs depend on, and the lines of a requirements file that they do not meet.

    Raises:
        EnvironmentFault: when a package is missing.
    """
    lines = _requirements(requirements)
    told = _do([str(python), "-c", _QUERY, json.dumps(TOLD), json.dumps(lines)], str(python))
    found = json.loads(told)
    plain = {name: re.sub(r"\+.*", "", version) for name, version in found["versions"].items()}
    return plain, found["unmet"]


def _requirements(file: Path) -> list[str]:
    lines = file.read_text(encoding="utf-8").splitlines() if file.is_file() else []
    stripped = (line.partition("#")[0].strip() for line in lines)
    return [line for line in stripped if line]


def _do(command: list[str], name: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "DS_BUILD_OPS": "0"})
    if done.returncode:
        raise EnvironmentFault(
            f"environment {name}: {' '.join(command[:6])}...: {done.stderr.strip()[-800:]}"
        )
    return done.stdout
