"""Lets all ranks decide a test together: where one of them says yes, all of them do.

before: if torch.isnan(loss):
after:  skip = torch.tensor(float(torch.isnan(loss)), device=next(model.parameters()).device)
        torch.distributed.all_reduce(skip, op=torch.distributed.ReduceOp.MAX)
        if skip.item():
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from mmcodemod.facts.body import own_nodes
from mmcodemod.facts.syntax import unparse
from mmcodemod.model.fix import Edit
from mmcodemod.project.differs import asks_rank
from mmcodemod.project.flow import flow_of
from mmcodemod.project.model import Project
from mmcodemod.project.site import Site
from mmcodemod.project.skips import asks_data
from mmcodemod.scan.imports import Named, Wanted, named

_TENSOR = Wanted("torch.tensor", "torch")
_ALL_REDUCE = Wanted("torch.distributed.all_reduce", "torch")
_MAX = Wanted("torch.distributed.ReduceOp.MAX", "torch")


def agreed(project: Project, site: Site, names: Sequence[str], model: str) -> tuple[Edit, ...]:
    """The edits that make the `if` at `site` a common decision, kept under the first of `names` that is free;
    `model` is a wrapped model that the code at the site can name. None at all where that cannot be said."""
    node, text = site.node, project.index.text(site.path)
    tree = project.index.files[site.path].tree
    name = _free(project, site.function, names)
    line = project.index.lines(site.path)[site.at.line - 1]
    indent = line[: site.at.column - 1]
    said = [named(site.path, text, tree, node, wanted) for wanted in (_TENSOR, _ALL_REDUCE, _MAX)]
    if not name or indent.strip() or not all_come(project, site) or None in said:
        return ()
    known = [one for one in said if one is not None]
    asked = _source(project, site, node.test)
    end = "\r\n" if "\r\n" in text else "\n"
    lines = _lines(known, name, asked, model)
    before = Edit(
        site.path, (site.at.line, 1), (site.at.line, 1), "".join(f"{indent}{x}{end}" for x in lines)
    )
    test = project.place(site.path, node.test)
    inside = Edit(site.path, (test.line, test.column), (test.last_line, test.end_column), f"{name}.item()")
    return tuple(dict.fromkeys((*(e for one in known for e in one.edits), before, inside)))


def all_come(project: Project, site: Site) -> bool:
    """Does every rank come to the test: is none around it that ranks decide apart?"""
    flow, frame = flow_of(project, site.function), project.frames(site.function)[0]
    around = [s.test for s, _ in flow.tests(site.node) if s is not site.node]
    alike = not any(
        asks_data(project, site.function, test) or asks_rank(project, frame, test) for test in around
    )
    return alike and not flow.is_elif(site.node)


def _lines(said: Sequence[Named], name: str, asked: str, model: str) -> list[str]:
    tensor, all_reduce, most = (one.text for one in said)
    return [
        f"{name} = {tensor}(float({asked}), device=next({model}.parameters()).device)",
        f"{all_reduce}({name}, op={most})",
    ]


def _source(project: Project, site: Site, node: ast.expr) -> str:
    """The text of a test as it is written."""
    text = ast.get_source_segment(project.index.text(site.path), node)
    return text if text is not None and "\n" not in text else unparse(node)


def _free(project: Project, function: str, names: Sequence[str]) -> str:
    used = {n.id for n in own_nodes(project.index.function(function).node) if isinstance(n, ast.Name)}
    return next((name for name in names if name not in used), "")
