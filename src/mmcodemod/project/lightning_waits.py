"""Does `save_checkpoint` of Lightning's Trainer wait for all ranks in a run? Its release, strategy and
devices decide."""

from __future__ import annotations

from mmcodemod.knowledge.lightning_saves import BY_DDP, BY_DEEPSPEED, BY_FSDP, PACKAGES, WAITS
from mmcodemod.model.context import Context, Dependency
from mmcodemod.model.finding import Note
from mmcodemod.model.verdict import Answer, Excluded, Fatal, Unclear
from mmcodemod.project import versions
from mmcodemod.project.answers import both, launch_note
from mmcodemod.project.differs import differs
from mmcodemod.project.divergence import Divergence
from mmcodemod.project.lightning_makers import strategy
from mmcodemod.project.lightning_trainers import makers, trainer_ranks
from mmcodemod.project.model import Project
from mmcodemod.project.sequences import Letter


def lightning_waits(project: Project, context: Context, found: Divergence, letter: Letter) -> Answer:
    """Fatal where several ranks part at the test and the save on the one side waits for all of them."""
    made = makers(project, context, found, letter)
    apart = differs(project, context, found, [letter], lambda whole, run: trainer_ranks(whole, run, made))
    if isinstance(apart, Excluded):
        return apart
    kind, at = strategy(project, context, made)
    if kind == BY_DEEPSPEED:
        why = Note(at, "under DeepSpeed the save waits in every release") if at else None
        return both(Fatal(why), apart)
    return both(_release(project, context, kind, letter), apart)


def _release(project: Project, context: Context, kind: str | None, letter: Letter) -> Answer:
    """What the required version says under a strategy other than DeepSpeed."""
    if kind == "":
        return Unclear("whether the ranks still run: those that Lightning spawns end with the training")
    package = _package(project, letter)
    old = versions.below(context, package, WAITS)
    if old is False:
        return Fatal(versions.pinned(context, package, f", {WAITS} or later: the save waits for all ranks"))
    if old and kind == BY_DDP:
        why = f", before {WAITS}: the main rank writes, and waits for nobody"
        return Excluded(versions.pinned(context, package, why) or launch_note(context))
    if old:
        return Unclear(_before(context.dependencies[package], kind))
    either = versions.contradiction(context, package)
    return Unclear(f"the {package} version{either}: the save waits for all ranks since {WAITS}")


def _before(required: Dependency, kind: str | None) -> str:
    """What is open about a release that waits under some strategies alone."""
    if kind == BY_FSDP:
        return f"whether FSDP wraps parts of the model: {versions.stated(required)} gathers those alone"
    return (
        f"the strategy of the Trainer: in {versions.stated(required)} DeepSpeed and FSDP wait, DDP does not"
    )


def _package(project: Project, letter: Letter) -> str:
    """The package that the file with the save imports, or else any file of the tree."""
    own = _imported(project, letter.at.path) if letter.at else set()
    every = own or {n for path in project.index.python_files for n in _imported(project, path)}
    return PACKAGES[min(every, default="lightning")]


def _imported(project: Project, path: str) -> set[str]:
    roots = {item.module.partition(".")[0] for item in project.index.files[path].imports if not item.level}
    return roots & PACKAGES.keys()
