"""Counts cases, proofs and verdicts of the field trial for each rule: `mmcodemod rules --stats` prints them.

python tools/rule_stats.py      writes src/mmcodemod/engine/rule_stats.json

From samples/<slug>/cases.md (without those marked `todo`), docs/proofs.md, docs/field-trial/verdicts.jsonl.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tools"), str(ROOT / "tests")]

import cases  # noqa: E402
from fieldtrial import data  # noqa: E402
from proving import table  # noqa: E402

from mmcodemod.engine.builtin import BUILTIN  # noqa: E402
from mmcodemod.engine.registry import shipped_names  # noqa: E402
from mmcodemod.engine.rule_stats import FILE  # noqa: E402
from mmcodemod.model.rule_stats import RuleStats  # noqa: E402


def main() -> int:
    FILE.write_text(text(counted()), encoding="utf-8", newline="\n")
    return 0


def counted(root: Path = ROOT) -> dict[str, RuleStats]:
    """By code, every shipped rule, whatever plug-ins are installed."""
    proved = proofs((root / "docs" / "proofs.md").read_text(encoding="utf-8"))
    verdicts = Counter((v.rule, v.verdict) for v in data.read(root / "docs" / "field-trial").verdicts)
    names, found = shipped_names(), {}
    for code in sorted(set(names) - {builtin.code for builtin in BUILTIN}):
        slug = names[code].replace("-", "_")
        positive, negative = case_counts(code, root / "samples" / slug / "cases.md")
        votes = [verdicts[code, verdict] for verdict in data.VERDICTS]
        found[code] = RuleStats(positive, negative, tuple(sorted(proved.get(code, ()))), *votes)
    return found


def case_counts(code: str, file: Path) -> tuple[int, int]:
    """How many cases of its own expect the rule, and how many expect its silence."""
    held = [case for case in cases.parse(file) if not case.todo] if file.is_file() else []
    positive = sum(any(mark.rule == code for mark in case.expected) for case in held)
    return positive, len(held) - positive


def proofs(page: str) -> Mapping[str, set[str]]:
    """By code, the versions in which a run proved the rule: its own showcase, or a system that has it."""
    found: dict[str, set[str]] = {}
    for row in table.rows(page):
        for code in re.findall(r"MM\d{3}", row.line.split("|")[1]) if row.result == table.PROVED else ():
            found.setdefault(code, set()).add(row.versions)
    return found


def text(found: Mapping[str, RuleStats]) -> str:
    """One line a rule, so that two changes to different rules can be merged."""
    lines = (f"{json.dumps(code)}: {json.dumps(asdict(found[code]))}" for code in sorted(found))
    return "{\n" + ",\n".join(lines) + "\n}\n"


if __name__ == "__main__":
    sys.exit(main())
