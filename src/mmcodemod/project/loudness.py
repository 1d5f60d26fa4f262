"""How loud one context makes a finding."""

from __future__ import annotations

from mmcodemod.model.context import Context, Origin
from mmcodemod.model.grade import Severity
from mmcodemod.model.verdict import Answer, Excluded, Fatal, Unclear


def severity_of(context: Context, answer: Answer) -> Severity:
    """DESIGN, severity table, for one context that reaches the place and is not excluded."""
    if isinstance(answer, Unclear) and not answer.plausible:
        return Severity.INFO
    if context.origin is Origin.LAUNCHED:
        return Severity.ERROR if isinstance(answer, Fatal) else Severity.WARNING
    if context.origin is Origin.ENTRY:
        return Severity.WARNING if isinstance(answer, Fatal) else Severity.INFO
    return Severity.INFO


def is_loud(context: Context, answer: Answer) -> bool:
    """Would a finding in this context be more than a note?"""
    return not isinstance(answer, Excluded) and severity_of(context, answer) is not Severity.INFO
