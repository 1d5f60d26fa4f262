"""Which function or class of the tree a call is surely given under a name: written out, by a local name, or
in a dict that a function of the tree makes and the call spreads. Must-analysis."""

from __future__ import annotations

import ast

from mmcodemod.facts.body import own_nodes
from mmcodemod.project.arguments import given_at
from mmcodemod.project.sole_definitions import Definitions, Names, Sole


class Arguments:
    """Of calls in a run of one entry."""

    def __init__(self, definitions: Definitions) -> None:
        self._definitions = definitions

    def of(
        self, call: ast.Call, name: str, position: int, path: str, local: Names
    ) -> tuple[Sole, bool] | None:
        """The definition that an argument is: itself, or (True) an object of it."""
        given = given_at(call, position, name)
        spread = [k.value for k in call.keywords if k.arg is None]
        if given is not None:
            return self._found(given, path, local)
        if len(spread) != 1:
            return None
        made = _assigned(spread[0], local) or spread[0]
        maker = self._definitions.of(made.func, path, local) if isinstance(made, ast.Call) else None
        if maker is None or not isinstance(maker.node, ast.FunctionDef) or maker.node.decorator_list:
            return None
        inner = _returned(maker.node, name)
        return self._found(inner, maker.path, Names(maker.node)) if inner is not None else None

    def _found(self, given: ast.expr, path: str, local: Names) -> tuple[Sole, bool] | None:
        value = _assigned(given, local) or given
        call = isinstance(value, ast.Call)
        found = self._definitions.of(value.func if isinstance(value, ast.Call) else value, path, local)
        if found is None or found.node is None:
            return None
        return (found, call) if call is isinstance(found.node, ast.ClassDef) else None


def _assigned(expr: ast.expr, local: Names) -> ast.expr | None:
    """The value that a local name is given, by the only statement that binds it."""
    bound = local.bound.get(expr.id, []) if isinstance(expr, ast.Name) else []
    return local.given.get(id(bound[0])) if len(bound) == 1 else None


def _returned(function: ast.FunctionDef, name: str) -> ast.expr | None:
    """What the dict has under a key that a function returns."""
    returned = [n.value for n in own_nodes(function) if isinstance(n, ast.Return)]
    value = returned[0] if len(returned) == 1 else None
    if isinstance(value, ast.Name):
        value = _assigned(value, Names(function))
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "dict":
        return next((k.value for k in value.keywords if k.arg == name), None)
    if isinstance(value, ast.Dict):
        pairs = zip(value.keys, value.values)
        return next((v for k, v in pairs if isinstance(k, ast.Constant) and k.value == name), None)
    return None
