"""Clips with the method of the sharded model, which adds up the shards of all ranks.

before: torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
after:  model.clip_grad_norm_(1.0)
"""

from __future__ import annotations

import ast

from mmcodemod.api import Applicability, Edit, Finding, Fix, Project, Site, foreign_clips

_TAKEN = ("max_norm", "norm_type")


def fix(project: Project, site: Site, finding: Finding) -> Fix | None:
    """Where the model is always sharded and all its parameters are clipped, with arguments that the method
    takes."""
    found: foreign_clips.ForeignClip = site.data
    if found.mixed or foreign_clips.chosen(project, found.origin):
        return None
    rest = _rest(project, site.path, found)
    if rest is None:
        return None
    text = f"{ast.unparse(found.model)}.{foreign_clips.OWN}({rest})"
    start = (site.at.line, site.at.column)
    place = project.place(site.path, found.call)
    edit = Edit(site.path, start, (place.last_line, place.end_column), text)
    return Fix(f"clip with `{text}`", Applicability.SAFE, (edit,))


def _rest(project: Project, path: str, found: foreign_clips.ForeignClip) -> str | None:
    """The arguments after the parameters, None where the method would not take them."""
    call = found.call
    whole = f"{ast.unparse(found.model)}.parameters()"
    if not call.args or ast.unparse(call.args[0]) != whole or len(call.args) > 3:
        return None
    if any(k.arg not in _TAKEN for k in call.keywords) or any(isinstance(a, ast.Starred) for a in call.args):
        return None
    text = project.index.text(path)
    given = [ast.get_source_segment(text, a) or ast.unparse(a) for a in call.args[1:]]
    given += [
        f"{k.arg}={ast.get_source_segment(text, k.value) or ast.unparse(k.value)}" for k in call.keywords
    ]
    return ", ".join(given)
