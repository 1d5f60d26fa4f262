"""Tells the sampler the epoch, at the beginning of each.

before: for epoch in range(epochs):
            for batch in loader:
after:  for epoch in range(epochs):
            sampler.set_epoch(epoch)
            for batch in loader:
"""

from __future__ import annotations

import ast

from mmcodemod.api import Applicability, Edit, Finding, Fix, Project, Site, flow_of, samplers


def fix(project: Project, site: Site, finding: Finding) -> Fix:
    """Safe where the loop counts epochs in the function that makes the sampler, and one variable is always
    that sampler; else shown only."""
    found: samplers.Epochs = site.data
    name = _name(project, found)
    edits = _edits(project, found, name) if name else ()
    advice = f"call `{name or 'loader.sampler'}.set_epoch(epoch)` at the beginning of each epoch"
    return Fix(advice, Applicability.SAFE if edits else Applicability.DISPLAY, edits)


def _name(project: Project, found: samplers.Epochs) -> str:
    """The one variable that is the sampler, and nothing else, in every run."""
    flow, sampler = flow_of(project, found.sampler.function), found.sampler
    statement = flow.statement_of(sampler.call)
    if not isinstance(statement, ast.Assign) or statement.value is not sampler.call:
        return ""
    target = statement.targets[0]
    if len(statement.targets) > 1 or not isinstance(target, ast.Name):
        return ""
    once = len(project.resolver.body(sampler.function).names.get(target.id, ())) == 1
    always = not any(True for _ in flow.tests(sampler.call)) and not flow.loops(sampler.call)
    return target.id if once and always else ""


def _edits(project: Project, found: samplers.Epochs, name: str) -> tuple[Edit, ...]:
    loop = found.epochs
    if found.function != found.sampler.function or not isinstance(loop, ast.For):
        return ()
    counted = isinstance(loop.iter, ast.Call) and ast.unparse(loop.iter.func).rpartition(".")[2] in (
        "range",
        "trange",
    )
    if not isinstance(loop.target, ast.Name) or not counted:
        return ()
    path, first = found.function.partition("::")[0], loop.body[0]
    line = project.index.lines(path)[first.lineno - 1]
    indent = line[: len(line) - len(line.lstrip())]
    if first.lineno == loop.lineno or len(indent) != project.place(path, first).column - 1:
        return ()
    end = "\r\n" if "\r\n" in project.index.text(path) else "\n"
    text = f"{indent}{name}.set_epoch({loop.target.id}){end}"
    return (Edit(path, (first.lineno, 1), (first.lineno, 1), text),)
