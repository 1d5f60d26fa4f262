"""Where does the code give DeepSpeed a `gradient_clipping`: by keyword, in a dict, or in a file it names?"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.model.place import Place
from mmcodemod.project.configs import parsed
from mmcodemod.project.model import Project
from mmcodemod.project.origins import Origins


def given_clipping(project: Project) -> list[Place]:
    """The keywords, keys and lines of files that say it, in the order of the call graph."""
    found = []
    for frame, calls in project.graph.external.items():
        for outside in calls:
            if outside.name == "deepspeed.initialize" or outside.name.endswith("DeepSpeedPlugin"):
                found += list(_given(project, frame.function, outside.call))
    return found


def _given(project: Project, function: str, call: ast.Call) -> Iterator[Place]:
    for keyword in call.keywords:
        if keyword.arg == "gradient_clipping":
            yield project.place(function.partition("::")[0], call)
        elif keyword.arg in ("config", "config_params", "hf_ds_config"):
            for origin in Origins(project).of(keyword.value, function):
                yield from _in_config(project, origin.expr, origin.function)


def _in_config(project: Project, expr: ast.expr, function: str) -> Iterator[Place]:
    if isinstance(expr, ast.Dict):
        for key in expr.keys:
            if isinstance(key, ast.Constant) and key.value == "gradient_clipping":
                yield project.place(function.partition("::")[0], key)
    elif isinstance(expr, ast.Constant) and isinstance(expr.value, str):
        for path, document in sorted(project.get(parsed).items()):
            member = document.root.member("gradient_clipping") if document.root else None
            if member is not None and member.node.value and path.endswith(expr.value.rpartition("/")[2]):
                yield Place(path, *member.key_start, *member.node.end)
