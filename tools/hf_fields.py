"""Writes src/mmcodemod/knowledge/hf_field_releases.py: which release of transformers is the first to have a
field of `TrainingArguments` or `Seq2SeqTrainingArguments`, and which the first without it.

    pip download --no-deps --only-binary=:all: --dest WHEELS transformers==4.51.3   # of each minor one
    python tools/hf_fields.py WHEELS

Nothing of transformers is run: the files are parsed. The last release of a minor one stands for all of it.
"""

from __future__ import annotations

import ast
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

OUT = Path(__file__).parents[1] / "src/mmcodemod/knowledge/hf_field_releases.py"
FILES = ("training_args.py", "training_args_seq2seq.py")
HEAD = '''"""The releases of transformers that are the first to have a field of the training arguments, and
the first without it, "" for none. Made by tools/hf_fields.py: do not edit.

Source: `training_args.py` and `training_args_seq2seq.py` in the wheels of the last release of each minor one,
{first} to {last}."""

from __future__ import annotations

RELEASES: dict[str, tuple[str, str]] = {{
'''


def main(arguments: list[str]) -> None:
    wheels = {_version(wheel): wheel for wheel in Path(arguments[0]).rglob("transformers-*.whl")}
    fields = {version: set(_fields(wheels[version])) for version in sorted(wheels)}
    versions = list(fields)
    lines = [_line(name, versions, fields) for name in sorted(set().union(*fields.values()))]
    head = HEAD.format(first=_text(versions[0]), last=_text(versions[-1]))
    OUT.write_text(f"{head}{''.join(filter(None, lines))}}}\n", encoding="utf-8")


def _version(wheel: Path) -> tuple[int, ...]:
    return tuple(map(int, wheel.name.split("-")[1].split(".")[:2]))


def _fields(wheel: Path) -> Iterator[str]:
    """The annotated names of the classes of arguments."""
    with zipfile.ZipFile(wheel) as archive:
        names = [f"transformers/{file}" for file in FILES if f"transformers/{file}" in archive.namelist()]
        trees = [ast.parse(archive.read(name)) for name in names]
    for cls in (n for tree in trees for n in tree.body if isinstance(n, ast.ClassDef)):
        if cls.name.endswith("TrainingArguments"):
            yield from (s.target.id for s in cls.body if isinstance(s, ast.AnnAssign))  # type: ignore[union-attr]


def _line(name: str, versions: list[tuple[int, ...]], fields: dict[tuple[int, ...], set[str]]) -> str:
    """One row; none for a field that all have, or that came back."""
    has = [name in fields[version] for version in versions]
    first, last = has.index(True), len(has) - has[::-1].index(True) - 1
    if all(has) or not all(has[first : last + 1]):
        return ""
    since = _text(versions[first]) if first else ""
    gone = _text(versions[last + 1]) if last + 1 < len(versions) else ""
    return f'    "{name}": ("{since}", "{gone}"),\n'


def _text(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))


if __name__ == "__main__":
    main(sys.argv[1:])
