"""What `samples/<slug>/proof.toml` says: how a showcase is run, how it fails, and how one sees it train."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib  # type: ignore[import-not-found, unused-ignore]

REQUIRED = ("launch", "ranks", "timeout", "error", "marker", "moved", "runs")
NAMES = frozenset((*REQUIRED, "rule", "rules", "silent", "tells", "loaded", "sound"))
SYSTEM = "seed_"  # the samples of whole systems, in which several rules meet
RUN_NAMES = frozenset(("environment", "fails"))


class SpecError(Exception):
    """A proof.toml that cannot be used; the message names the file and the key."""


@dataclass(frozen=True)
class Run:
    """One environment, and whether `before` fails in it."""

    environment: str
    fails: bool


@dataclass(frozen=True)
class Proof:
    """`folder` is the sample's. `rules` are all that the check finds and the fix mends: one, but for the
    sample of a whole system. `timeout` is in seconds, for one run. `error` is a regular expression of what
    the failure's documentation promises; a `silent` failure ends with code 0 all the same. `tells` must
    be seen when it is mended, and never before. Every rank writes `marker` when it is done. `moved` are
    weights that training must change, `loaded` those that must equal the checkpoint when training begins.
    `sound` are other launches of the same files that train as they are: what is silent, and rightly so."""

    folder: Path
    rules: tuple[str, ...]
    launch: str
    ranks: int
    timeout: int
    error: str
    marker: str
    moved: tuple[str, ...]
    runs: tuple[Run, ...]
    loaded: tuple[str, ...] = ()
    tells: str = ""
    silent: bool = False
    sound: tuple[str, ...] = ()

    @property
    def slug(self) -> str:
        return self.folder.name

    @property
    def name(self) -> str:
        """The rule's code; the folder's name where a whole system is proved."""
        return self.slug if self.slug.startswith(SYSTEM) else self.rules[0]

    @property
    def showcase(self) -> Path:
        """The folder of `before` and `after`: a system's sample holds nothing else."""
        return self.folder if self.slug.startswith(SYSTEM) else self.folder / "showcase"

    @property
    def before(self) -> Path:
        return self.showcase / "before"


def all_proofs(samples: Path) -> list[Proof]:
    """Every proof below `samples`, rules first, in the order of their codes."""
    return sorted((read(file) for file in samples.glob("*/proof.toml")), key=lambda p: p.name)


def unproved(root: Path) -> dict[str, str]:
    """By rule, why no run on a CPU proves it: `samples/<slug>/unproved.md` on one line. The rule's page has
    its code."""
    found = {}
    for file in sorted(root.glob("samples/*/unproved.md")):
        page = (root / "codemods" / file.parent.name / "rule.md").read_text(encoding="utf-8")
        found[page.split()[1]] = " ".join(file.read_text(encoding="utf-8").split())
    return found


def read(file: Path) -> Proof:
    """The proof that a file describes.

    Raises:
        SpecError: when a key is missing, unknown or of another kind than it must be.
    """
    try:
        data = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise SpecError(f"{file}: {error}") from error
    return parse(data, file.parent)


def parse(data: Mapping[str, object], folder: Path) -> Proof:
    """The proof of a sample's folder, from the keys of its file."""
    where = f"{folder.name}/proof.toml"
    _refuse_names(data, where)
    proof = Proof(
        folder=folder,
        rules=_rules(data, where),
        launch=_text(data, "launch", where),
        ranks=_count(data, "ranks", where),
        timeout=_count(data, "timeout", where),
        error=_pattern(data, "error", where),
        marker=_text(data, "marker", where),
        moved=_words(data, "moved", where),
        runs=_runs(data, where),
        loaded=_words(data, "loaded", where) if "loaded" in data else (),
        tells=_pattern(data, "tells", where) if "tells" in data else "",
        silent=_flag(data, "silent", where) if "silent" in data else False,
        sound=_words(data, "sound", where) if "sound" in data else (),
    )
    if proof.silent and not proof.tells:
        raise SpecError(f"{where}: a silent failure needs `tells`, or nothing shows that it is mended")
    return proof


def _refuse_names(data: Mapping[str, object], where: str) -> None:
    unknown = sorted(set(data) - NAMES)
    missing = [name for name in REQUIRED if name not in data]
    if unknown or missing:
        raise SpecError(f"{where}: unknown keys {unknown}, missing keys {missing}")


def _rules(data: Mapping[str, object], where: str) -> tuple[str, ...]:
    if ("rule" in data) == ("rules" in data):
        raise SpecError(f"{where}: one of `rule` and `rules` says what is found")
    return (_text(data, "rule", where),) if "rule" in data else _words(data, "rules", where)


def _text(data: Mapping[str, object], name: str, where: str) -> str:
    value = data[name]
    if not isinstance(value, str) or not value.strip():
        raise SpecError(f"{where}: `{name}` must be a text that is not empty")
    return value


def _pattern(data: Mapping[str, object], name: str, where: str) -> str:
    """A regular expression that does not match everything."""
    value = _text(data, name, where)
    try:
        matches_all = re.search(value, "") is not None
    except re.error as error:
        raise SpecError(f"{where}: `{name}` is no regular expression: {error}") from error
    if matches_all:
        raise SpecError(f"{where}: `{name}` matches an empty output")
    return value


def _count(data: Mapping[str, object], name: str, where: str) -> int:
    value = data[name]
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise SpecError(f"{where}: `{name}` must be a whole number above 0")
    return value


def _flag(data: Mapping[str, object], name: str, where: str) -> bool:
    value = data[name]
    if not isinstance(value, bool):
        raise SpecError(f"{where}: `{name}` must be true or false")
    return value


def _words(data: Mapping[str, object], name: str, where: str) -> tuple[str, ...]:
    value = data[name]
    if not isinstance(value, list) or not value or not all(isinstance(v, str) and v for v in value):
        raise SpecError(f"{where}: `{name}` must be a list of names that is not empty")
    return tuple(value)


def _runs(data: Mapping[str, object], where: str) -> tuple[Run, ...]:
    value = data["runs"]
    if not isinstance(value, list) or not all(isinstance(v, dict) and set(v) == RUN_NAMES for v in value):
        raise SpecError(f"{where}: each of [[runs]] has `environment` and `fails`")
    runs = tuple(Run(_text(v, "environment", where), _flag(v, "fails", where)) for v in value)
    if not any(run.fails for run in runs):
        raise SpecError(f"{where}: in no environment does it fail, so there is nothing to prove")
    return runs
