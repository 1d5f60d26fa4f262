"""Modules that are parts of a model which `from_pretrained` of transformers has made. Must-analysis."""

from __future__ import annotations

import ast

from mmcodemod.project.infer import Frame
from mmcodemod.project.model import Project
from mmcodemod.project.model_parts import ModelParts
from mmcodemod.project.new_embeddings import resized
from mmcodemod.project.partition import Partitioned, is_loaded, partitioned


def loaded_part(project: Project, load: ast.Call, frame: Frame) -> Partitioned | None:
    """The partitioned model of which `x.load_state_dict(...)` fills a part; None where a test chooses the
    part, and for embeddings that are made anew."""
    assert isinstance(load.func, ast.Attribute)
    part, function = load.func.value, frame.function
    parts = ModelParts(project, function, lambda expr: is_loaded(project, expr, function))
    model = parts.owner(part)
    if model is None or parts.chosen(load, part) or resized(project, part, function) is not None:
        return None
    return partitioned(project, model, frame)
