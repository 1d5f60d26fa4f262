"""Makes the inputs of the layers require gradients before peft gets the model.

before: model = get_peft_model(model, config)
after:  model.enable_input_require_grads()
        model = get_peft_model(model, config)
"""

from __future__ import annotations

import ast

from mmcodemod.api import Applicability, Edit, Finding, Fix, Project, Site, adapted_inputs, flow_of, given_at

SHOWN = f"call `model.{adapted_inputs.ENABLE}()` before `get_peft_model`"


def fix(project: Project, site: Site, finding: Finding) -> Fix:
    """Safe where the model is a plain name and the statement has lines of its own; else shown only."""
    edit = _edit(project, site)
    if edit is None:
        return Fix(SHOWN, Applicability.DISPLAY)
    return Fix(f"call `{edit.text.strip()}` before", Applicability.SAFE, (edit,))


def _edit(project: Project, site: Site) -> Edit | None:
    model = given_at(site.data.call, 0, "model")
    statement = flow_of(project, site.function).statement_of(site.node)
    if not isinstance(model, ast.Name | ast.Attribute) or statement is None:
        return None
    line = project.index.lines(site.path)[statement.lineno - 1]
    indent = line[: len(line) - len(line.lstrip())]
    before = project.index.lines(site.path)[statement.lineno - 2].rstrip() if statement.lineno > 1 else ""
    alone = len(indent) == project.place(site.path, statement).column - 1 and not before.endswith("\\")
    if not isinstance(statement, ast.Assign | ast.Expr | ast.Return | ast.AnnAssign) or not alone:
        return None
    end = "\r\n" if "\r\n" in project.index.text(site.path) else "\n"
    text = f"{indent}{ast.unparse(model)}.{adapted_inputs.ENABLE}(){end}"
    return Edit(site.path, (statement.lineno, 1), (statement.lineno, 1), text)
