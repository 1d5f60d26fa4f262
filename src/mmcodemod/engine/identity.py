"""Which finding of one tree is which of a changed one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from mmcodemod.model.finding import Finding

Key = tuple[str, str, str]


def key(finding: Finding) -> Key:
    """What stays when lines move. Several findings of a file may share it: count them."""
    return (finding.rule, finding.at.path, finding.anchor or finding.message)


def counted(findings: Iterable[Finding]) -> Counter[Key]:
    """How many findings have each key."""
    return Counter(map(key, findings))
