"""Divides the loss by the number of batches that are added up.

before: loss.backward()
after:  (loss / accum).backward()
"""

from __future__ import annotations

import ast

from mmcodemod.api import Applicability, Edit, Finding, Fix, Grad, Project, Site, accumulated


def fix(project: Project, site: Site, finding: Finding) -> Fix | None:
    """Divided where the pass begins, so that what is logged stays. Unsafe: it changes the numbers."""
    found: accumulated.Accumulated = site.data
    text = ast.get_source_segment(project.index.text(site.path), found.loss)
    plain = isinstance(found.every, (ast.Name, ast.Attribute, ast.Constant))
    if not text or "\n" in text or not plain:
        return None
    divided = f"{text} / {ast.unparse(found.every)}"
    if found.passed.kind is Grad.BACKWARD:
        divided = f"({divided})"
    place = project.place(site.path, found.loss)
    edit = Edit(
        site.path, (place.line, place.column), (found.loss.end_lineno or 0, place.end_column), divided
    )
    return Fix(f"divide the loss by `{ast.unparse(found.every)}`", Applicability.UNSAFE, (edit,))
