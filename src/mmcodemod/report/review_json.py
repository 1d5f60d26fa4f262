"""The review of a change as JSON, version 1 (docs/review.md). Equal input gives equal bytes."""

from __future__ import annotations

from collections.abc import Mapping

from mmcodemod.model.change import FileChange, Mended, Review, Silencing, Told
from mmcodemod.report.json import Object, Value, contexts, dump, header, one, problems, span


def render(review: Review, names: Mapping[str, str]) -> str:
    """A review. `names` maps codes to rule names."""
    return dump(
        {
            **header(),
            "base": review.base,
            "head": review.head,
            "folder": review.folder,
            "told": [_told(told, names) for told in review.told],
            "mended": [_mended(mended, names, review) for mended in review.mended],
            "gone": [_mended(mended, names, review) for mended in review.gone],
            "silenced": [_silencing(silencing) for silencing in review.silenced],
            "unknown": list[Value](review.unknown),
            "notes": len(review.notes),
            "stopped": [span(at) for at in review.stopped],
            "problems": problems(review.problems),
            "changes": [_change(change) for change in review.changes],
            "contexts": contexts(review.report),
        }
    )


def _told(told: Told, names: Mapping[str, str]) -> Object:
    return {
        "news": told.news.value,
        "at": span(told.at) if told.at else None,
        "new_contexts": list[Value](sorted(told.contexts)),
        "finding": one(told.finding, names, told.fingerprint),
    }


def _mended(mended: Mended, names: Mapping[str, str], review: Review) -> Object:
    path = mended.finding.at.path
    deleted = any(change.old == path and not change.new for change in review.changes)
    return {"deleted": deleted, "finding": one(mended.finding, names, mended.fingerprint)}


def _silencing(silencing: Silencing) -> Object:
    at = silencing.at
    return {
        "path": at.path,
        "line": at.line,
        "rules": list[Value](silencing.rules),
        "reason": silencing.reason,
    }


def _change(change: FileChange) -> Object:
    lines = [line[0] for hunk in change.hunks for line in hunk.lines]
    counts: Object = {"added": lines.count("+"), "deleted": lines.count("-")}
    return {"old": change.old or None, "new": change.new or None, "binary": change.binary, **counts}
