"""What `deepspeed.add_config_arguments(parser)` adds to a parser of argparse, which it also gives back.

Source: deepspeedai/DeepSpeed at 0a1fbe1d, `deepspeed/__init__.py`, `_add_core_arguments`; older versions add
`--deepspeed_mpi`, too.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mmcodemod.facts.syntax import unparse, walk

OPTIONS = frozenset(("deepspeed", "deepspeed_config", "deepscale", "deepscale_config", "deepspeed_mpi"))
_ADDS = "deepspeed.add_config_arguments"


def extended(tree: ast.Module) -> Iterator[int]:
    """The ids of the calls that add them to a parser with a name, and leave no other name for it."""
    nodes = list(walk(tree))
    for node in nodes if any(map(_imports, nodes)) else ():
        if isinstance(node, (ast.Assign, ast.Expr)) and _keeps(node, _parser(node.value)):
            yield id(node.value)


def _imports(node: ast.AST) -> bool:
    named = node.names if isinstance(node, ast.Import) else []
    return any(alias.name == "deepspeed" and alias.asname is None for alias in named)


def _parser(call: ast.AST | None) -> str:
    """`parser` of the call with nothing else; "" of any other node."""
    if not isinstance(call, ast.Call) or unparse(call.func) != _ADDS or call.keywords:
        return ""
    name = call.args[0] if len(call.args) == 1 else None
    return name.id if isinstance(name, ast.Name) else ""


def _keeps(node: ast.Assign | ast.Expr, name: str) -> bool:
    """Is what comes back given the same name, or dropped?"""
    targets = node.targets if isinstance(node, ast.Assign) else []
    return bool(name) and all(isinstance(target, ast.Name) and target.id == name for target in targets)
