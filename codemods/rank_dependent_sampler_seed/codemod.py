"""Takes the rank out of a sum that is the seed.

before: DistributedSampler(data, seed=args.seed + rank)
after:  DistributedSampler(data, seed=args.seed)
"""

from __future__ import annotations

import ast

from mmcodemod.api import Applicability, Bits, Edit, Finding, Fix, Project, Site, ranks_apart


def fix(project: Project, site: Site, finding: Finding) -> Fix:
    """The documentation asks for the same seed on all ranks; shown only where the seed is no plain sum."""
    kept = _kept(project, site, site.data.seed)
    if kept is None:
        return Fix("give the sampler the same seed on all ranks", Applicability.DISPLAY)
    at, text = project.place(site.path, site.data.seed), ast.unparse(kept)
    edit = Edit(site.path, (at.line, at.column), (at.last_line, at.end_column), text)
    return Fix(f"give the sampler `{text}`, the same seed on all ranks", Applicability.SAFE, (edit,))


def _kept(project: Project, site: Site, seed: ast.expr) -> ast.expr | None:
    """The side of a sum that is the same on all ranks."""
    if not isinstance(seed, ast.BinOp) or not isinstance(seed.op, ast.Add):
        return None
    same = [
        part for part in (seed.left, seed.right) if ranks_apart(project, site.function, part) is Bits.NONE
    ]
    return same[0] if len(same) == 1 else None
