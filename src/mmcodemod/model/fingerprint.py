"""A name for a finding that survives edits elsewhere in the file: never made from a line number."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from hashlib import blake2b

from mmcodemod.model.finding import Finding


def fingerprints(findings: Iterable[Finding]) -> list[str]:
    """One fingerprint per finding, in the same order; equal findings of a file are numbered."""
    seen: Counter[tuple[str, ...]] = Counter()
    result = []
    for finding in findings:
        key = identity(finding)
        seen[key] += 1
        result.append(_digest((*key, str(seen[key]))))
    return result


def identity(finding: Finding) -> tuple[str, str, str, str]:
    """What a finding keeps when lines move: rule, path, symbol and anchor. Several may share it."""
    return (finding.rule, finding.at.path, finding.symbol, " ".join(finding.anchor.split()))


def _digest(parts: tuple[str, ...]) -> str:
    return blake2b("\0".join(parts).encode("utf-8", "backslashreplace"), digest_size=8).hexdigest()
