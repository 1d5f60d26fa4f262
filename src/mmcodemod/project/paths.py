"""Which file of the tree a path in a launch command names. Only looks paths up; never leaves the tree."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator
from dataclasses import replace

from mmcodemod.facts.shellvalues import OWN_FOLDER
from mmcodemod.facts.shellwrites import Written
from mmcodemod.model.frozen import frozen
from mmcodemod.model.pattern import regex

MIN_SHARED = 2  # parts of a path: the name of a file alone says nothing
_CONFIGURATIONS = (".json", ".hjson", ".yaml", ".yml")
_WORKING_FOLDER = regex(r"(?:\$PWD|\$\(pwd\))(?=/|$)")
_VARIABLE = regex(r"(\$\w+|\$\([^)]{0,100}\)|`[^`]{0,100}`)/")


@frozen(slots=True)
class Resolved:
    """A path of the tree; `assumed` says what had to be assumed to find it."""

    path: str
    assumed: str = ""


@frozen(slots=True)
class Where:
    """Where a command runs: the folder of its script and the working folder that `cd` led to ("" where
    the script starts, None unknown). `base`: the one folder of the tree that it can be, if that is known.
    `rewritten`: files of the tree that the script writes itself before, so that they hold something else."""

    paths: frozenset[str]
    folder: str = ""
    cwd: str | None = ""
    base: str | None = None
    rewritten: frozenset[str] = frozenset()

    def after(self, written: Iterable[Written]) -> Where:
        """The same once a script has written these files."""
        named = (w for w in written if w.word.text.endswith(_CONFIGURATIONS))
        found = [replace(self, cwd=w.cwd).named(w.word.text) for w in named]
        return replace(self, rewritten=frozenset(f.path for f in found if f))

    def around(self, texts: Iterable[str]) -> Where:
        """A command runs in one folder: of the script's folder and those above it, the nearest that holds all
        the files which the command names, as far as any of them holds one. That decides after `cd /path`,
        when the tree may be anywhere, and where each file by itself would be found in another folder."""
        anywhere = (self.cwd or "").startswith(("/", "~"))
        above = list(_above(self.folder)) if anywhere else [f for f in self.bases() if f is not None]
        plain = [_WORKING_FOLDER.sub(".", text) for text in texts]
        every = [[f for f in above if _join(f, text) in self.paths] for text in plain]
        held = [folders for folders in every if folders]
        fits = [f for f in above if held and all(f in folders for folders in held)]
        if not fits or not (anywhere or len({folders[0] for folders in held}) > 1):
            return self
        return replace(self, base=fits[0])

    def behind(self, program: str, text: str) -> Where:
        """Where the other words of a command look: after `cd /path`, which may be another copy of the tree or
        a project that this one holds, in the folder in which the program was found."""
        ends = posixpath.normpath(text)
        if not (self.cwd or "").startswith(("/", "~")) or not f"/{program}".endswith(f"/{ends}"):
            return self
        return replace(self, base=program[: -len(ends)].rstrip("/"))

    def resolve(self, text: str) -> Resolved | None:
        """The file of the tree that a path names; None for one that holds something else by then."""
        found = self.named(text)
        return None if found and found.path in self.rewritten else found

    def named(self, text: str) -> Resolved | None:
        """Relative to the working folder, the folders above the script's, the root of the tree and the
        script's own folder, in this order. Elsewhere (`/workspace/pkg/train.py`): the file of the tree that
        ends alike."""
        text = _WORKING_FOLDER.sub(".", text)
        if text.startswith(OWN_FOLDER):
            return self._first([_join(self.folder, text[len(OWN_FOLDER) :].lstrip("/"))])
        if found := _VARIABLE.match(text):
            rest = text[found.end() :]
            here = [_join("", rest), _join(self.folder, rest)]
            return self._first(here, f"{found[1]} is taken for a folder here") or self._alike(text)
        if text.startswith(("/", "~", "$")):
            return self._alike(text)
        return self._first([_join(base, text) for base in self.bases()])

    def _alike(self, text: str) -> Resolved | None:
        """The file whose path shares more of its last parts with `text` than any other, and at least
        MIN_SHARED: where the tree lies on the machine of the launch, it does not say."""
        parts = posixpath.normpath(text).split("/")
        ends = sorted(p for p in self.paths if p.endswith(f"/{parts[-1]}"))
        shared = [_shared(p.split("/"), parts) for p in ends]
        most = max(shared, default=0)
        if most < MIN_SHARED or shared.count(most) > 1:
            return None
        path = ends[shared.index(most)]
        return Resolved(path, f"{text} is taken for {path}")

    def module(self, dotted: str) -> Resolved | None:
        """The file that `python -m dotted` runs."""
        stem = dotted.replace(".", "/")
        bases = [*self.bases(), "src", _join(self.folder, "src")]
        return self._first(
            [_join(b, stem + end) for b in bases if b is not None for end in (".py", "/__main__.py")]
        )

    def bases(self) -> Iterator[str | None]:
        if self.base is not None:
            yield self.base
            return
        if self._leaves():
            return
        if self.cwd is not None and self.cwd.startswith(OWN_FOLDER):
            yield _join(self.folder, self.cwd[len(OWN_FOLDER) :].lstrip("/"))
        elif self.cwd:
            yield _join("", self.cwd)
            yield _join(self.folder, self.cwd)
        folder = posixpath.dirname(self.folder)
        while folder:  # a project in a folder of its own is run from there: the nearest one that fits
            yield folder
            folder = posixpath.dirname(folder)
        yield from ("", self.folder)

    def _leaves(self) -> bool:
        """Does `cd ../other` lead to a folder that the tree does not hold?"""
        if not posixpath.normpath(self.cwd or "").startswith("../"):
            return False
        places = (_join("", self.cwd or ""), _join(self.folder, self.cwd or ""))
        return not any(p is not None and any(f.startswith(p and f"{p}/") for f in self.paths) for p in places)

    def _first(self, candidates: list[str | None], assumed: str = "") -> Resolved | None:
        return next((Resolved(c, assumed) for c in candidates if c is not None and c in self.paths), None)


def _above(folder: str) -> Iterator[str]:
    """A folder and those that hold it, the root of the tree last."""
    while folder:
        yield folder
        folder = posixpath.dirname(folder)
    yield ""


def _shared(one: list[str], other: list[str]) -> int:
    """How many parts two paths end with alike."""
    pairs = zip(reversed(one), reversed(other))
    return next((i for i, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


def _join(base: str | None, text: str) -> str | None:
    """A normal path inside the tree ("" is its root), or None outside."""
    if base is None or text.startswith("/"):
        return None
    path = posixpath.normpath(posixpath.join(base, text))
    return None if path.startswith("..") else "" if path == "." else path
