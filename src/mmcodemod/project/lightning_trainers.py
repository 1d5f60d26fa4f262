"""The calls that make the Trainer of Lightning on which a save is called, and how many ranks it runs on.
May-analysis: what does not show is open."""

from __future__ import annotations

from collections.abc import Sequence

from mmcodemod.model.context import Context
from mmcodemod.model.verdict import Answer, Excluded, Unclear
from mmcodemod.project.callgraph import Edge
from mmcodemod.project.divergence import Divergence
from mmcodemod.project.lightning_makers import Maker, asked_for, makers_of, making
from mmcodemod.project.model import Project
from mmcodemod.project.sequences import Letter
from mmcodemod.project.several import one_process, several_ranks
from mmcodemod.project.stubs import MODELS

_SAVE = f"{MODELS}/lightning.py::Trainer.save_checkpoint"
_OPEN = "how many devices Lightning's Trainer is given"


def makers(project: Project, context: Context, found: Divergence, letter: Letter) -> list[Maker]:
    """The calls in reach of a run that make the Trainer of a save; all of them where that is open."""
    made = making(project, context)
    objects = _objects(project, found, letter)
    own = [e for e in made if _stands(e) in objects]
    return makers_of(own or made)


def _objects(project: Project, found: Divergence, letter: Letter) -> set[str]:
    """The places at which the objects are made that a save may be called on."""
    frame = letter.via[-1].callee if letter.via else found.frame
    edges = [e for e in project.graph.edges.get(frame, ()) if e.callee.function == _SAVE]
    here = [e for e in edges if letter.at is not None and e.line == letter.at.line]
    return {e.callee.receiver.partition("@")[2].partition("@")[0] for e in here}


def _stands(edge: Edge) -> str:
    path = edge.caller.function.partition("::")[0]
    return f"{path}:{edge.site.lineno}:{edge.site.col_offset}" if edge.site else ""


def trainer_ranks(project: Project, context: Context, made: Sequence[Maker]) -> Answer:
    """Fatal where all these Trainers run several ranks, excluded where each runs one."""
    answers = [_ranks(project, context, maker) for maker in made]
    kinds = {answer.__class__ for answer in answers}
    return answers[0] if len(kinds) == 1 else Unclear(_OPEN)


def _ranks(project: Project, context: Context, maker: Maker) -> Answer:
    asked = asked_for(project, context, maker)
    return _by_launch(project, context) if asked is None else asked


def _by_launch(project: Project, context: Context) -> Answer:
    """Where the Trainer takes the devices that it finds: a launcher of several ranks has several."""
    if context.launched_by == "python" or context.launcher is None:
        return Unclear(_OPEN)
    one = one_process(project, context)
    return Excluded(one) if one is not None else several_ranks(project, context)
