"""Embeddings that `resize_token_embeddings` makes anew: they are whole until training takes the model."""

from __future__ import annotations

import ast

from mmcodemod.facts.syntax import unparse
from mmcodemod.model.place import Place
from mmcodemod.project.behind import behind
from mmcodemod.project.model import Project

RESIZES = "resize_token_embeddings"
EMBEDDINGS = ("get_input_embeddings", "get_output_embeddings", "embed_tokens", "lm_head", "wte", "shared")


def resized(project: Project, expr: ast.expr, function: str) -> Place | None:
    """Where training code gives a model new embeddings, when what `expr` names may be one of them."""
    texts = (unparse(source) for source in behind(project, function, expr))
    if not isinstance(expr, ast.Name) and not any(word in text for text in texts for word in EMBEDDINGS):
        return None
    found = [
        project.place(facts.path, call)
        for facts in project.mentioning(RESIZES)
        if facts.id in project.trained
        for call in project.calls_of(facts.id, (RESIZES,))
    ]
    return min(found, default=None)
