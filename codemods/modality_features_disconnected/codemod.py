"""Not offered yet."""

from __future__ import annotations

from mmcodemod.api import Finding, Fix, Project, Site


def fix(project: Project, site: Site, finding: Finding) -> Fix | None:
    return None
