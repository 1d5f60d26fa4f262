"""Changes the parameter inside a gather of it, on every rank; the values of rank 0 count.

before: nn.init.zeros_(model.lm_head.weight)
after:  with zero.GatheredParameters([model.lm_head.weight], modifier_rank=0):
            nn.init.zeros_(model.lm_head.weight)
"""

from __future__ import annotations

import ast

from mmcodemod.api import (
    Applicability,
    Finding,
    Fix,
    Project,
    ShardedWrite,
    Site,
    Via,
    gathering,
    is_plain,
    only_some_ranks,
)


def fix(project: Project, site: Site, finding: Finding) -> Fix:
    """The gather around the statement; only shown where it would wait for ranks that never come."""
    found: ShardedWrite = site.data
    whole = _whole(found.of)
    title = f"gather `{ast.unparse(whole)}` around the change"
    here = is_plain(whole) and not _copied(project, site, whole) and not only_some_ranks(project, site)
    edits = gathering(project, site, f"[{ast.unparse(whole)}]") if here else ()
    return Fix(title, Applicability.UNSAFE, edits) if edits else Fix(title, Applicability.DISPLAY)


def _copied(project: Project, site: Site, whole: ast.expr) -> bool:
    """Is it a name that got its tensor before, which a gather would not fill?"""
    sources = project.resolver.body(site.function).names.get(getattr(whole, "id", ""), ())
    return any(source.via is not Via.ELEMENT for source in sources)


def _whole(expr: ast.expr) -> ast.expr:
    """The parameter of which `.data` or a part is changed."""
    while isinstance(expr, ast.Subscript) or (isinstance(expr, ast.Attribute) and expr.attr == "data"):
        expr = expr.value
    return expr
