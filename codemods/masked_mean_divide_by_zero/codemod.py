"""Divides by one where nothing counts.

before: loss = (loss * mask).sum() / mask.sum()
after:  loss = (loss * mask).sum() / mask.sum().clamp(min=1)
"""

from __future__ import annotations

import ast

from mmcodemod.api import Applicability, Edit, Finding, Fix, Project, Site


def fix(project: Project, site: Site, finding: Finding) -> Fix:
    """Safe for masks that a comparison makes: a sum of at least one stays what it is. Others may hold weights
    below one, whose sum may be, too."""
    right = site.data.bottom
    at = project.place(site.path, right)
    end = (at.end_line, at.end_column)
    title = f"divide by `{ast.unparse(right)}.clamp(min=1)`"
    sure = Applicability.SAFE if site.data.labels else Applicability.UNSAFE
    return Fix(title, sure, (Edit(site.path, end, end, ".clamp(min=1)"),))
