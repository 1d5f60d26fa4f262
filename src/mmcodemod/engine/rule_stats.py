"""The numbers that speak for the shipped rules. `tools/rule_stats.py` counts them in the checkout, where
cases, proofs and verdicts are, and keeps them beside this file: an installed mmcodemod has no others."""

from __future__ import annotations

import json
from pathlib import Path

from mmcodemod.model.rule_stats import RuleStats

FILE = Path(__file__).with_suffix(".json")


def rule_stats() -> dict[str, RuleStats]:
    """By code."""
    kept = json.loads(FILE.read_text(encoding="utf-8"))
    return {code: RuleStats(**{**of, "proved": tuple(of["proved"])}) for code, of in kept.items()}
