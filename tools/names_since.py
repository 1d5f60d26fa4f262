"""Writes src/mmcodemod/knowledge/names_since.py: from which release on a library has a name, and from which
on it has it no more.

    pip download --no-deps --only-binary=:all: --dest WHEELS trl==0.4.7   # one of each minor release
    python tools/names_since.py WHEELS

Nothing of the libraries is run: wheels are read as archives. What a release has is taken generously, as all
classes, functions and assignments at the top of its files, all that they import, and all words of the
`__init__.py` of its packages: what is listed as missing is in none of them. Listed are the names that one of
those `__init__.py` says and that some file defines as a class or function. The last release of a minor one
stands for all of it.
"""

from __future__ import annotations

import re
import sys
import zipfile
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath

OUT = Path(__file__).parents[1] / "src/mmcodemod/knowledge/names_since.py"
HEAD = '''"""Since when libraries have their names, and from when on no more. Made by tools/names_since.py:
do not edit.

Source: the wheels of the last release of each minor one
({ranges}).
By library, the first release with names, or the first without them, and the names, parted by blanks."""

from __future__ import annotations

'''
_DEFINED = re.compile(r"^(?:class|(?:async )?def)\s+([A-Za-z]\w*)", re.MULTILINE)
_ASSIGNED = re.compile(r"^([A-Za-z]\w*)\s*(?::[^=\n]+)?=", re.MULTILINE)
_IMPORTED = re.compile(r"^[ \t]*(?:from\s+\S+\s+)?import\s+(\([^)]*\)|[^\n]*)", re.MULTILINE)
_WORD = re.compile(r"\b[A-Za-z]\w{3,}\b")
_OTHERS = re.compile(r"TF[A-Z]|Flax|.*(?:_test|Test)s?$")  # of other frameworks
WIDTH = 94


class Release:
    """`defined`: classes and functions; `said`: the words of the packages; `known`: all that it may have."""

    def __init__(self, wheel: Path, library: str) -> None:
        self.defined, self.said = set[str](), set[str]()
        bound = set[str]()
        with zipfile.ZipFile(wheel) as archive:
            files = (n for n in archive.namelist() if n.startswith(f"{library}/") and n.endswith(".py"))
            for name in files:
                text = archive.read(name).decode("utf-8", "replace")
                self.defined.update(_DEFINED.findall(text))
                bound.update(_ASSIGNED.findall(text))
                bound.update(word for names in _IMPORTED.findall(text) for word in _WORD.findall(names))
                if PurePosixPath(name).name == "__init__.py":
                    self.said.update(_WORD.findall(text))
        self.known = self.defined | self.said | bound


def main(arguments: list[str]) -> None:
    found: dict[str, dict[tuple[int, ...], Release]] = defaultdict(dict)
    for wheel in sorted(Path(arguments[0]).rglob("*.whl")):
        library, version = wheel.name.split("-")[:2]
        found[library][tuple(map(int, version.split(".")[:2]))] = Release(wheel, library)
    ordered = {library: dict(sorted(found[library].items())) for library in sorted(found)}
    OUT.write_text(table(ordered), encoding="utf-8")


def table(found: Mapping[str, dict[tuple[int, ...], Release]]) -> str:
    """The text of the module."""
    spans = {library: (_text(min(releases)), _text(max(releases))) for library, releases in found.items()}
    ranges = ", ".join(f"{library} {first} to {last}" for library, (first, last) in spans.items())
    since = {library: _changes(releases) for library, releases in found.items()}
    gone = {library: _changes(dict(reversed(releases.items()))) for library, releases in found.items()}
    later = {library: _after(gone[library], list(found[library])) for library in found}
    return HEAD.format(ranges=ranges) + _lines("SINCE", since) + "\n" + _lines("GONE", later)


def _changes(releases: Mapping[tuple[int, ...], Release]) -> dict[tuple[int, ...], list[str]]:
    """By release the names that it is the first to have, in the order given; the very first has none."""
    listed = {n for r in releases.values() for n in r.said & r.defined if not _OTHERS.match(n)}
    known, found = set[str](), dict[tuple[int, ...], list[str]]()
    for number, (version, release) in enumerate(releases.items()):
        new = sorted((release.known & listed) - known)
        known |= release.known
        if number and new:
            found[version] = new
    return found


def _after(
    last: Mapping[tuple[int, ...], list[str]], versions: list[tuple[int, ...]]
) -> dict[tuple[int, ...], list[str]]:
    """By the release after the last that has them."""
    return {versions[versions.index(v) + 1]: names for v, names in sorted(last.items())}


def _text(version: Iterable[int]) -> str:
    return ".".join(map(str, version))


def _lines(name: str, found: Mapping[str, Mapping[tuple[int, ...], list[str]]]) -> str:
    lines = [f"{name}: dict[str, dict[str, str]] = {{"]
    for library, versions in found.items():
        lines.append(f'    "{library}": {{')
        for version, names in versions.items():
            lines += [f'        "{_text(version)}": (', *_wrapped(names), "        ),"]
        lines.append("    },")
    return "\n".join([*lines, "}", ""])


def _wrapped(names: list[str]) -> list[str]:
    """The names in lines of one text."""
    lines, line = [], ""
    for name in names:
        if len(line) + len(name) > WIDTH:
            lines.append(line)
            line = ""
        line += f"{name} "
    return [f'            "{line}"' for line in [*lines, line]]


if __name__ == "__main__":
    main(sys.argv[1:])
