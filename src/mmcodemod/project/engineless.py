"""Runs that are given a DeepSpeed configuration and train without an engine: a loop of their own goes
backward, and they load nothing that makes an engine. Or that make one and never use it. Must-analysis."""

from __future__ import annotations

import ast
import sys

from mmcodemod.facts.body import own_nodes
from mmcodemod.facts.outline import MODULE, Import
from mmcodemod.facts.syntax import walk
from mmcodemod.model.context import Context, Origin
from mmcodemod.model.finding import Note
from mmcodemod.project.ds_initialize import Initialized, in_run
from mmcodemod.project.gradients import Grad, Gradients
from mmcodemod.project.model import Project
from mmcodemod.project.plain_imports import imports_of
from mmcodemod.project.stubs import is_stub

# Libraries that are known to make no engine; of transformers, what has to do with its Trainer does.
_QUIET = frozenset(
    (
        *("torch", "torchvision", "torchaudio", "transformers", "timm", "einops", "peft", "safetensors"),
        *("numpy", "scipy", "pandas", "sklearn", "matplotlib", "seaborn", "PIL", "cv2", "skimage", "h5py"),
        *("tqdm", "yaml", "wandb", "tensorboard", "tensorboardX", "requests", "huggingface_hub", "datasets"),
        *("xformers", "flash_attn", "apex", "bitsandbytes", "sentencepiece", "regex", "ftfy", "nltk"),
    )
)
_ENGINES = ("deepspeed", "accelerate", "lightning", "pytorch_lightning", "trl", "colossalai")
_TRAINS = ("Trainer", "TrainingArguments", "HfArgumentParser")


def engineless(project: Project, context: Context) -> Note | None:
    """The line at which such a run goes backward without an engine, or makes one that it never uses."""
    if context.origin is not Origin.LAUNCHED or context.entry is None or context.entry.library:
        return None
    engines = in_run(project, context)
    if engines:
        idle = all(_idle(project, engine) for engine in engines)
        at = project.place(engines[0].function.partition("::")[0], engines[0].call)
        return Note(at, "this engine is never used, so it trains nothing") if idle else None
    reach = project.reach(context.entry)
    modules = [m for p in project.index.files if not is_stub(m := f"{p}::{MODULE}")]
    loaded = [m.partition("::")[0] for m in modules if m in reach]
    if not loaded or not all(project.once(_quiet, path) for path in (*loaded, context.entry.path)):
        return None
    own = (f for f in project.mentioning("backward") if f.id in reach)
    calls = [g for f in own for g in project.get(Gradients).own(f.id) if g.kind is Grad.BACKWARD]
    plain = (g for g in calls if isinstance(g.call.func, ast.Attribute) and not g.call.args)
    first = next(plain, None)
    text = "this pass goes without an engine: the run loads nothing that makes one"
    return Note(project.place(first.function.partition("::")[0], first.call), text) if first else None


def _idle(project: Project, engine: Initialized) -> bool:
    """Is the engine bound to a name that the function never reads?"""
    node = project.index.function(engine.function).node
    made = [n for n in own_nodes(node) if isinstance(n, ast.Assign) and n.value is engine.call]
    target = made[0].targets[0] if len(made) == 1 and len(made[0].targets) == 1 else None
    first = target.elts[0] if isinstance(target, (ast.Tuple, ast.List)) and target.elts else target
    names = [n for n in walk(node) if isinstance(n, ast.Name)]
    read = {n.id for n in names if isinstance(n.ctx, ast.Load)}
    return isinstance(first, ast.Name) and first.id not in read and not read & {"locals", "globals", "vars"}


def _quiet(project: Project, path: str) -> bool:
    """Does a file import nothing but modules of the tree, and of libraries that make no engine?"""
    return all(_makes_none(project, path, found) for found in imports_of(project, path))


def _makes_none(project: Project, path: str, found: Import) -> bool:
    top = found.module.partition(".")[0]
    if found.level or top in sys.stdlib_module_names:
        return True
    if top in _QUIET:
        return top != "transformers" or not any(word in project.index.text(path) for word in _TRAINS)
    return top not in _ENGINES and project.index.modules.find(found.module, path) is not None
