"""Runs with a differential-privacy engine: it clips the gradients of each sample, so nobody asks for a norm
of the whole.

Source: Opacus (`PrivacyEngine.make_private`), private-transformers and fastDP (`PrivacyEngine.attach`): the
gradient of each sample is clipped to `max_grad_norm` before noise is added.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.facts.nodes import node_of
from mmcodemod.facts.terms import last_name
from mmcodemod.model.context import Context
from mmcodemod.model.finding import Note
from mmcodemod.model.verdict import Answer, Excluded, Unclear
from mmcodemod.project.comes_by import comes_by
from mmcodemod.project.model import Project

_ENGINE = "PrivacyEngine"


def private_gradients(project: Project, context: Context) -> Answer | None:
    """What the privacy engines that a run may make say of clipping; None where it makes none."""
    found = [_clips(project, context, function, call) for function, call in _engines(project, context)]
    return next((a for a in found if isinstance(a, Excluded)), next((a for a in found if a), None))


def _engines(project: Project, context: Context) -> Iterator[tuple[str, ast.Call]]:
    reach = project.reach(context.entry) if context.entry else ()
    for facts in project.mentioning(_ENGINE):
        for call in facts.body.calls if facts.id in reach else ():
            if last_name(call).startswith(_ENGINE):
                yield facts.id, node_of(call)


def _clips(project: Project, context: Context, function: str, call: ast.Call) -> Answer | None:
    comes = comes_by(project, context, function, call)
    if isinstance(comes, Excluded):
        return None
    at = project.place(function.partition("::")[0], call)
    if isinstance(comes, Unclear):
        return Unclear(f"whether the run makes the privacy engine at {at}, which clips", plausible=False)
    return Excluded(Note(at, "the privacy engine clips the gradients of each sample"))
