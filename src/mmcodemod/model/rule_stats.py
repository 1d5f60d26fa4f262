"""What speaks for a rule, in numbers."""

from __future__ import annotations

from mmcodemod.model.frozen import held


@held()
class RuleStats:
    """Cases in which the rule must speak (`positive`) and in which it must not; the versions in which a run
    showed failure and fix (`proved`); and findings of the field trial that are right, wrong, unclear."""

    positive: int
    negative: int
    proved: tuple[str, ...] = ()
    right: int = 0
    wrong: int = 0
    unclear: int = 0
