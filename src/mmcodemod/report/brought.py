"""What a change brings, as a report: so a review is shown in every format that a check has."""

from __future__ import annotations

from dataclasses import replace

from mmcodemod.model.change import Review, Told
from mmcodemod.model.finding import Finding, Note
from mmcodemod.model.report import Report


def brought(review: Review) -> Report:
    """The findings that are told, each on the line of the change that brings it, for the runs for which it is
    new; what was dismissed has nothing to do with the change."""
    found = tuple(_finding(told) for told in review.told)
    return replace(review.report, findings=found, dismissed=(), problems=review.problems)


def _finding(told: Told) -> Finding:
    finding = replace(told.finding, contexts=told.contexts or told.finding.contexts)
    if told.at is None or (told.at.path, told.at.line) == (finding.at.path, finding.at.line):
        return finding
    here = Note(finding.at, "this is where it happens")
    return replace(finding, at=told.at, related=(here, *finding.related))
