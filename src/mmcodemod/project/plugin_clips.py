"""Does DeepSpeed clip because the code gives `Accelerator` a `DeepSpeedPlugin(...)` that leaves it open?

From 0.30.0 on Accelerate writes "auto" where a plugin of no file has no `gradient_clipping`, and `prepare`
puts 1.0 in its place (`DeepSpeedPlugin` in utils/dataclasses.py, `_prepare_deepspeed` in accelerator.py: read
in 0.29.3, 0.30.0, 1.3.0 and 1.9.0; not run).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.knowledge.deepspeed_gates import ACCELERATE_ASKS_TO_CLIP as SINCE
from mmcodemod.model.context import Context
from mmcodemod.model.finding import Note
from mmcodemod.model.place import Place
from mmcodemod.model.verdict import Answer, Excluded, Unclear
from mmcodemod.project import versions
from mmcodemod.project.comes_by import comes_by
from mmcodemod.project.model import Project
from mmcodemod.project.origins import Origin, Origins

_KEYWORD = "deepspeed_plugin"
_DECIDES = ("gradient_clipping", "hf_ds_config", None)  # `**settings` may hold either


def plugin_clips(project: Project, context: Context) -> Answer | None:
    """Excluded where it does by the version of accelerate, unclear where the version or the plugin is open,
    None where no plugin of the code speaks for it."""
    made = [origin for call in accelerators(project, context) for origin in plugins_given(project, *call)]
    plugins = [project.place(o.function.partition("::")[0], o.expr) for o in made if _leaves_open(project, o)]
    old = versions.below(context, "accelerate", SINCE)
    if not plugins or old:
        return None
    if old is None:
        return Unclear(f"the accelerate version: from {SINCE} on {_does(plugins[0])}", plausible=False)
    if len(plugins) < len(made):
        return Unclear(f"which plugin the accelerator gets: {_does(plugins[0])}", plausible=False)
    stated = versions.stated(context.dependencies["accelerate"])
    return Excluded(Note(plugins[0], f"asks for no other clipping: with {stated} DeepSpeed clips at 1.0"))


def _does(plugin: Place) -> str:
    return f"the DeepSpeedPlugin at {plugin} makes DeepSpeed clip at 1.0"


def accelerators(project: Project, context: Context) -> Iterator[tuple[str, ast.Call]]:
    """The calls by which the run may make its accelerator."""
    reach = project.reach(context.entry) if context.entry else None
    for facts in project.mentioning("Accelerator("):
        if reach is None or facts.id in reach:
            for call in project.calls_of(facts.id, ("Accelerator",)):
                if not isinstance(comes_by(project, context, facts.id, call), Excluded):
                    yield facts.id, call


def plugins_given(project: Project, function: str, call: ast.Call) -> list[Origin]:
    """Where the plugin of an accelerator comes from; the call itself where it gets none."""
    given = next((k.value for k in call.keywords if k.arg == _KEYWORD), None)
    return [Origin(call, function)] if given is None else Origins(project).of(given, function)


def _leaves_open(project: Project, made: Origin) -> bool:
    """Is it a plugin that names neither a number nor a file?"""
    if not isinstance(made.expr, ast.Call) or made.expr.args:
        return False
    if any(keyword.arg in _DECIDES for keyword in made.expr.keywords):
        return False
    return any(name.endswith(".DeepSpeedPlugin") for name in project.names(made.expr.func, made.function))
