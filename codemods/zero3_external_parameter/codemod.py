"""Runs the engine that the Trainer hands over, not the model inside it.

before: outputs = self.model(**inputs)
after:  outputs = model(**inputs)
"""

from __future__ import annotations

import ast

from mmcodemod.api import Applicability, Edit, Finding, Fix, Project, Site, external_reads

GIVEN = "model"  # the parameter of a Trainer's methods that holds the engine
INSIDE = "compute it inside the model's forward, and call the engine for that"


def fix(project: Project, site: Site, finding: Finding) -> Fix:
    """The other name, where the function is handed the engine; else only shown."""
    if isinstance(site.data, external_reads.Read) or site.data.part or not _given(project, site):
        return Fix(INSIDE, Applicability.DISPLAY)
    found = [f for f in project.get(external_reads.external_reads) if f.function == site.function]
    calls = [f.call for f in found if isinstance(f, external_reads.Around) and _is_own(f.call)]
    edits = tuple(_edit(project, site, call.func) for call in calls)
    return Fix(f"run `{GIVEN}`, the engine", Applicability.UNSAFE, edits)


def _given(project: Project, site: Site) -> bool:
    """Is `self.model` run in a method that is handed the engine as `model`, and keeps that name for it?"""
    facts = project.index.function(site.function)
    kept = GIVEN in facts.parameters.names and not project.resolver.body(site.function).names.get(GIVEN)
    return kept and _is_own(site.node)


def _is_own(call: ast.Call) -> bool:
    return ast.unparse(call.func) == f"self.{GIVEN}"


def _edit(project: Project, site: Site, func: ast.expr) -> Edit:
    at = project.place(site.path, func)
    return Edit(site.path, (at.line, at.column), (at.end_line, at.end_column), GIVEN)
