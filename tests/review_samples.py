"""Reviews for tests: real findings of a small tree, and what a change of it shows."""

from __future__ import annotations

import difflib

from mmcodemod import pipeline
from mmcodemod.model.change import FileChange, Hunk, Mended, News, Review, Told
from mmcodemod.model.finding import Finding
from mmcodemod.model.grade import Severity
from mmcodemod.model.place import Place
from mmcodemod.report.fingerprint import fingerprints
from mmcodemod.review.posting import Dialect, Subject
from mmcodemod.source.tree import MemoryTree, text_tree

NAMES = {"MM303": "ds-gradient-clipping-absent", "MM201": "modality-conditional-forward"}
GITHUB = Dialect("suggestion")
GITLAB = Dialect("suggestion:-{above}+0")
HEAD = "1a2b3c4d5e6f7a8b9c0d1e2f3a4b5c6d7e8f9a0b"
BASE = "0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c"

TRAIN = "from transformers import Trainer\n\nTrainer(model=build(), args=args).train()\n"
RUN = "deepspeed train.py --deepspeed ds.json\n"
CLIPPED = '{\n  "zero_optimization": {"stage": 2},\n  "gradient_clipping": "auto"\n}\n'
BARE = '{\n  "zero_optimization": {"stage": 2}\n}\n'
PINS = "deepspeed==0.12.6\ntransformers==4.40.0\n"
SOUND = {"train.py": TRAIN, "run.sh": RUN, "ds.json": CLIPPED, "requirements.txt": PINS}
BROKEN = {**SOUND, "ds.json": BARE}


def change(path: str, before: str, after: str, context: int = 3) -> FileChange:
    """What a diff of one file shows."""
    old, new = before.splitlines(), after.splitlines()
    groups = difflib.SequenceMatcher(None, old, new, autojunk=False).get_grouped_opcodes(context)
    hunks = tuple(_hunk(old, new, group) for group in groups)
    return FileChange(path if before else "", path if after else "", hunks)


def _hunk(old, new, group):
    lines = []
    for kind, a, b, c, d in group:
        if kind == "equal":
            lines += [" " + line for line in old[a:b]]
        else:
            lines += ["-" + line for line in old[a:b]] + ["+" + line for line in new[c:d]]
    a, b, c, d = group[0][1], group[-1][2], group[0][3], group[-1][4]
    return Hunk(a + (b > a), b - a, c + (d > c), d - c, tuple(lines))


def review(before: dict[str, str], after: dict[str, str]) -> Review:
    """Findings of `after` that `before` lacks, each on its own line."""
    old, new = _report(before), _report(after)
    base = dict(zip(fingerprints(old.findings), old.findings, strict=True))
    head = dict(zip(fingerprints(new.findings), new.findings, strict=True))
    told = tuple(Told(f, mark, News.INTRODUCED, f.at) for mark, f in head.items() if mark not in base)
    mended = tuple(Mended(f, mark) for mark, f in base.items() if mark not in head)
    paths = sorted(p for p in {*before, *after} if before.get(p) != after.get(p))
    changes = tuple(change(p, before.get(p, ""), after.get(p, "")) for p in paths)
    return Review(BASE, HEAD, told, mended, changes=changes, report=new)


def _report(files):
    return pipeline.check(text_tree(files)) if files else pipeline.Report()


def subject(before: dict[str, str], after: dict[str, str], dialect: Dialect = GITHUB) -> Subject:
    return Subject(review(before, after), text_tree(after), NAMES, dialect)


def made(
    findings: list[Finding],
    files: dict[str, str],
    dialect: Dialect = GITHUB,
    changes: tuple[FileChange, ...] | None = None,
    **others,
) -> Subject:
    """A review of findings made by hand, all files being new, told on their own lines."""
    told = tuple(Told(f, f"{n:016x}", News.INTRODUCED, f.at) for n, f in enumerate(findings))
    shown = tuple(change(p, "", text) for p, text in sorted(files.items())) if changes is None else changes
    tree = MemoryTree({path: text.encode() for path, text in files.items()})
    return Subject(Review(BASE, HEAD, told, changes=shown, **others), tree, NAMES, dialect)


def finding(path: str, line: int, message: str = "It hangs.", **others) -> Finding:
    others.setdefault("severity", Severity.ERROR)
    return Finding("MM303", others.pop("at", Place(path, line)), message, **others)


def many(number: int) -> tuple[list[Finding], dict[str, str]]:
    """That many findings on the lines of one new file."""
    return [finding("a.py", n + 1) for n in range(number)], {"a.py": "x = 1\n" * number}
