"""The DeepSpeedPlugin that the code gives its `Accelerator`: its file, or what its keywords set.
Must-analysis: every accelerator of the run gets one, and they agree.

Source: accelerate, `Accelerator.__init__` (a plugin that is given switches DeepSpeed on, whatever the launch
says) and `DeepSpeedPlugin` (utils/dataclasses.py); read in 0.21.0.
"""

from __future__ import annotations

import ast

from mmcodemod.model.context import Context
from mmcodemod.model.option import Option
from mmcodemod.project.accelerate_config import DEEPSPEED_KEYS
from mmcodemod.project.deepspeed_config import STAGE
from mmcodemod.project.model import Project
from mmcodemod.project.origins import Origin
from mmcodemod.project.plugin_clips import accelerators, plugins_given
from mmcodemod.project.settings import Settings

MADE_BY_PLUGIN = "a DeepSpeedPlugin"
_FILE = "hf_ds_config"


def plugin_of(project: Project, context: Context) -> Origin | None:
    """The call that makes the plugin of the run's accelerator, None where there are others."""
    if not any(project.mentioning("DeepSpeedPlugin(")):
        return None
    made = [p for call in accelerators(project, context) for p in plugins_given(project, *call)]
    alike = len({ast.dump(p.expr) for p in made}) == 1
    return made[0] if alike and _is_plugin(project, made[0]) else None


def _is_plugin(project: Project, made: Origin) -> bool:
    call = made.expr
    if not isinstance(call, ast.Call) or len(call.args) > 1 or any(k.arg is None for k in call.keywords):
        return False
    return any(name.endswith(".DeepSpeedPlugin") for name in project.names(call.func, made.function))


def file_of(plugin: Origin) -> ast.expr | None:
    """What it is given as DeepSpeed's own configuration."""
    assert isinstance(plugin.expr, ast.Call)
    named = next((k.value for k in plugin.expr.keywords if k.arg == _FILE), None)
    return named or next(iter(plugin.expr.args), None)


def settings_of(project: Project, context: Context, plugin: Origin) -> dict[str, Option]:
    """What its keywords set, under DeepSpeed's keys; nothing where no stage shows."""
    assert isinstance(plugin.expr, ast.Call)
    given = {k.arg: k.value for k in plugin.expr.keywords if k.arg in DEEPSPEED_KEYS}
    path, found = plugin.function.partition("::")[0], {}
    for key, expr in given.items():
        values = {s.value for s in Settings(project, context).of(expr, plugin.function)}
        value = next(iter(values)) if len(values) == 1 else None
        if isinstance(value, (bool, int, float, str)):
            found[DEEPSPEED_KEYS[key or ""]] = Option(value, project.place(path, expr))
    return found if STAGE in found else {}
