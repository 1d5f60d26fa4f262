"""What a call gets from dictionaries that are spread into it (`TrainingArguments(**settings)`), as straight
code makes them, also of a YAML or JSON file of the tree. Must-analysis: None where that does not show."""

from __future__ import annotations

import ast

from mmcodemod.project.code_values import ValuesOfFiles
from mmcodemod.project.config_values import Settings
from mmcodemod.project.model import Project


def spread_settings(project: Project, function: str, call: ast.Call) -> Settings | None:
    """The entries of all of them; none without any."""
    facts, values = project.index.function(function), project.get(_values)
    module = project.sources.python(facts.path)
    entries: Settings = {}
    for spread in [k.value for k in call.keywords if k.arg is None]:
        value = values.before(facts.path, module, facts.node, call, spread) if module is not None else None
        if value is None or not isinstance(value.content, dict):
            return None
        entries |= value.content
    return entries


def _values(project: Project) -> ValuesOfFiles:
    """Use through `project.get(_values)`."""
    return ValuesOfFiles(project.sources, project.index)
