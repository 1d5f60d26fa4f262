"""What the loss of a run over no label is, in words. Cross entropy is 0/0; of two answers without labels a
preference loss is log 2, and NaN with a cross entropy in the sum, whatever that is multiplied by."""

from __future__ import annotations

from collections.abc import Collection

from mmcodemod.model.context import Context
from mmcodemod.model.finding import Note
from mmcodemod.project.added_entropy import entropy_added
from mmcodemod.project.model import Project
from mmcodemod.project.own_losses import own_loss
from mmcodemod.project.preferences import preference_loss

NAN, LOG_2 = "0 or NaN", "log 2"
OR_NAN = "0 or NaN where a cross entropy is added"
TWO_ANSWERS = "log 2 where it compares two answers"
OWN = "what `compute_loss` makes of no label"


def loss_without_labels(project: Project, context: Context) -> tuple[str, Note | None]:
    """What the loss of a run is, and the line that makes it so."""
    pairs = preference_loss(project, context)
    if pairs is None:
        own = own_loss(project, context)
        return (NAN, None) if own is None else (OWN, Note(own, "makes the loss, and takes none of the model"))
    added = entropy_added(project, context)
    if added is None:
        return LOG_2, pairs
    return (NAN, added.note) if added.sure else (f"{LOG_2} ({OR_NAN})", added.note)


def goes_on_with(losses: Collection[str]) -> str:
    """All of them in one sentence part."""
    if OWN in losses:
        return OWN
    if len(losses) < 2:
        return f"a loss of {next(iter(losses), NAN)} and learns nothing"
    either = NAN if NAN in losses else LOG_2
    return f"a loss of {either} ({TWO_ANSWERS if NAN in losses else OR_NAN}) and learns nothing"
