"""Copies of published libraries that a tree holds whole, with their packaging: nobody who works on the tree
runs their examples, unless the tree itself says so from outside of the copy."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from posixpath import dirname

from mmcodemod.model.context import Context, Entry

LIBRARIES: frozenset[str] = frozenset(
    (
        "accelerate",
        "datasets",
        "deepspeed",
        "detectron2",
        "diffusers",
        "fairseq",
        "lightning",
        "mmcv",
        "mmengine",
        "peft",
        "pytorch_lightning",
        "timm",
        "torch",
        "torchvision",
        "transformers",
        "trl",
    )
)
"""Libraries to train with, by the name of their package."""

_PACKAGING = ("setup.py", "pyproject.toml")


def own_runs(contexts: Sequence[Context], paths: Iterable[str]) -> list[Context]:
    """The contexts without those that begin and end in a copy; all, where nothing else is run."""
    found = copies(paths)
    own = [c for c in contexts if not (c.entry and found and _inside(c, found))]
    return own if any(c.entry for c in own) else list(contexts)


def own_entries(contexts: Sequence[Context], programs: Sequence[Entry], paths: Iterable[str]) -> list[Entry]:
    """The entries of all launches and programs without those in a copy that nothing outside of it launches;
    all, where there is no other."""
    found = copies(paths)
    launched = [c.entry for c in contexts if c.entry and not (found and _inside(c, found))]
    own = [*launched, *(program for program in programs if not _lies_in(program.path, found))]
    return own or [*(c.entry for c in contexts if c.entry), *programs]


def copies(paths: Iterable[str]) -> tuple[str, ...]:
    """The folders below the top that hold a library's packaging and its package, as `lib/` or `src/lib/`."""
    every = frozenset(paths)
    packaged = sorted({dirname(p) for p in every if p.endswith(_PACKAGING) and "/" in p})
    return tuple(
        f
        for f in packaged
        if any(f"{f}/{src}{lib}/__init__.py" in every for lib in LIBRARIES for src in ("", "src/"))
    )


def _inside(context: Context, folders: Sequence[str]) -> bool:
    assert context.entry is not None
    files = [context.entry.path, *([context.launcher.path] if context.launcher else [])]
    return all(_lies_in(file, folders) for file in files)


def _lies_in(file: str, folders: Sequence[str]) -> bool:
    return any(file.startswith(f"{folder}/") for folder in folders)
