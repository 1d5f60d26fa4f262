"""Does a run train a model that sees or hears? A may-analysis on the code that the run reaches, on what its
options are called, and on the model's name."""

from __future__ import annotations

import re
from collections.abc import Callable

from mmcodemod.facts.python import FunctionFacts
from mmcodemod.model.context import Context
from mmcodemod.model.finding import Note
from mmcodemod.model.pattern import regex
from mmcodemod.model.place import Place
from mmcodemod.project.modality import MODALITY
from mmcodemod.project.model import Project
from mmcodemod.project.stubs import MODELS
from mmcodemod.project.training import main_entries

# Classes of transformers that hold an encoder of pictures or sounds, and calls that make one.
_CLASSES = regex(
    r"transformers\.(\w+\.)*(AutoModelFor(Vision2Seq|ImageTextToText|MultimodalLM)|\w*(CLIP|Siglip|Vision|VL|VLM)\w*"
    r"|(Llava|Qwen2Audio|Whisper|Blip|InstructBlip|Idefics|PaliGemma|Mllama|MiniCPMV)\w*)\..*"
)
_NAMES = regex(
    r"(^|[^a-z])(q?vl|llava|vision|visual|video|omni|audio|internvl|minicpm-?v|blip|idefics|pixtral|paligemma"
    r"|mllama|clip|siglip|cogvlm|vila)([^a-z]|\d|$)",
    re.IGNORECASE,
)
_GIVEN = ("model_name_or_path", "model_name", "model", "model_path", "model_id", "template", "version")
_ELSEWHERE = ("deepspeed.", "accelerate.", "launcher.", "env.", "fsdp_config.")


def sees(project: Project, context: Context) -> Note | None:
    """The line which shows that a run trains a model with pictures, video or sound; None when none does.
    Of a configuration that nothing launches: that code beside it trains one."""
    return named(context) or _own_module(project, context) or _loaded(project, context)


def _may_run(project: Project, context: Context) -> Callable[[str], bool]:
    """Is a function, by id, part of a run? Where no entry is known, code of the same project counts: that
    below the same top folder, when something there can be run, else all."""
    if context.entry is not None:
        return project.reach(context.entry).__contains__
    top = context.configs[0].partition("/")[0] + "/" if context.configs else ""
    runs = any(entry.path.startswith(top) for entry in main_entries(project.index))
    return lambda function: not runs or function.startswith(top)


def named(context: Context) -> Note | None:
    """An option about the modality, or a model that is called so."""
    for name, option in context.options.items():
        if option.at is None or option.value in (False, None) or name.startswith(_ELSEWHERE):
            continue
        if MODALITY.search(name):
            return Note(option.at, f"the option {name} speaks of the modality")
        if name in _GIVEN and isinstance(option.value, str) and _NAMES.search(option.value):
            return Note(option.at, f"the model {option.value} is a multimodal one")
    return None


def _own_module(project: Project, context: Context) -> Note | None:
    """A torch module of the tree, named for the modality, that the run calls."""
    runs = _may_run(project, context)
    for facts in project.get(_modules):
        if runs(facts.id):
            return Note(Place(facts.path, facts.line), f"`{facts.qualname}` encodes the modality")
    return None


def _modules(project: Project) -> list[FunctionFacts]:
    """The methods that torch calls of modules that are named for the modality. Use through `project.get`."""
    named = (f for f in project.forward_functions() if f.owner and MODALITY.search(_spaced(f.owner)))
    return [facts for facts in named if project.is_module(f"{facts.path}::{facts.owner}")]


def _spaced(name: str) -> str:
    """`vision_tower` for `VisionTower`."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name)


def _loaded(project: Project, context: Context) -> Note | None:
    """A multimodal class of transformers. Where a name says which model is loaded, the name decides."""
    if any(isinstance(context.option(name).value, str) for name in _GIVEN):
        return None
    runs = _may_run(project, context)
    found = [
        (Place(frame.function.partition("::")[0], outside.site.lineno), outside.name)
        for frame, calls in project.graph.external.items()
        if not frame.function.startswith(MODELS) and runs(frame.function)
        for outside in calls
        if _CLASSES.fullmatch(outside.name)
    ]
    at, name = min(found, default=(None, ""))
    return Note(at, f"loads {name.rpartition('.')[0].rpartition('.')[2]}") if at else None
