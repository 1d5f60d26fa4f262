"""Switches the cache off where the model is loaded.

before: model = LlamaForCausalLM.from_pretrained(path)
after:  model = LlamaForCausalLM.from_pretrained(path)
        model.config.use_cache = False
"""

from __future__ import annotations

import ast

from mmcodemod.api import Applicability, Edit, Finding, Fix, Project, Site, flow_of, wrapped_checkpointing

SHOWN = "set `model.config.use_cache = False` before the first step"


def fix(project: Project, site: Site, finding: Finding) -> Fix:
    """Safe: without generation in the step, nothing reads the cache."""
    edits = _edits(project, site.data)
    return Fix(SHOWN, Applicability.SAFE if edits else Applicability.DISPLAY, edits)


def _edits(project: Project, found: wrapped_checkpointing.Wrapped) -> tuple[Edit, ...]:
    path = found.loads.function.partition("::")[0]
    statement = flow_of(project, found.loads.function).statement_of(found.loads.expr)
    if not isinstance(statement, ast.Assign) or statement.value is not found.loads.expr:
        return ()
    target, lines = statement.targets[0], project.index.lines(path)
    line = lines[statement.lineno - 1]
    indent = line[: len(line) - len(line.lstrip())]
    alone = len(indent) == project.place(path, statement).column - 1
    ends = lines[(statement.end_lineno or 1) - 1]
    whole = len(ends.rstrip()) == project.place(path, statement).end_column - 1
    last = (statement.end_lineno or 1) >= len(lines)
    if not isinstance(target, ast.Name) or len(statement.targets) > 1 or not alone or not whole or last:
        return ()
    end = "\r\n" if "\r\n" in project.index.text(path) else "\n"
    at = ((statement.end_lineno or 1) + 1, 1)
    return (Edit(path, at, at, f"{indent}{target.id}.config.use_cache = False{end}"),)
