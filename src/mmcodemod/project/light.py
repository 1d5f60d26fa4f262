"""Datasets that are quick to map: streamed, cut to a few examples, written out in the code, or mapped by a
function that only moves values. Must-analysis: every dataset that the receiver may be is one."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from mmcodemod.facts.body import own_nodes
from mmcodemod.facts.syntax import walk
from mmcodemod.model.place import Place
from mmcodemod.project.model import Project
from mmcodemod.project.origins import Origin, Origins
from mmcodemod.project.values import FunctionRef

FEW = 10_000  # examples that a tokenizer takes in seconds
MAX_STEPS = 200  # expressions that are looked at
_KEEPS = frozenset(
    ("map", "filter", "shuffle", "select", "sort", "take", "skip", "cast", "cast_column", "flatten_indices")
) | frozenset(
    ("rename_column", "rename_columns", "remove_columns", "select_columns", "add_column", "with_format")
)
_LITTLE = frozenset(
    (
        "len",
        "int",
        "str",
        "float",
        "bool",
        "list",
        "dict",
        "tuple",
        "zip",
        "range",
        "isinstance",
        "any",
        "all",
    )
) | frozenset(("update", "append", "get", "items", "keys", "values", "strip", "startswith", "tolist"))
_WRITTEN_OUT = frozenset(("from_list", "from_dict"))


def light(project: Project, call: ast.Call, function: str) -> tuple[Place, str] | None:
    """The line that makes a call which maps a dataset quick, and why; None when it may be long."""
    if not isinstance(call.func, ast.Attribute):
        return None
    moves = _moves_values(project, call, function)
    if moves is not None:
        return moves, "the function only moves values"
    few = _few_examples(project, call.func.value, function)
    return (few, "the dataset is streamed, or has few examples") if few is not None else None


def _moves_values(project: Project, call: ast.Call, function: str) -> Place | None:
    """The function that is mapped, when it is one of the tree and calls nothing that could take long."""
    given = call.args[0] if call.args else next((k.value for k in call.keywords if k.arg == "function"), None)
    if isinstance(given, ast.Lambda):
        return project.place(function.partition("::")[0], given) if _calls_little(walk(given)) else None
    values = project.values(given, function) if given is not None else frozenset()
    found = [project.index.function(v.function) for v in values if isinstance(v, FunctionRef)]
    if not found or len(found) < len(values):
        return None
    quick = all(_calls_little(own_nodes(facts.node)) for facts in found)
    return min(project.place(f.path, f.node) for f in found) if quick else None


def _calls_little(nodes: Iterable[ast.AST]) -> bool:
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    names = [c.func.attr if isinstance(c.func, ast.Attribute) else getattr(c.func, "id", "") for c in calls]
    return all(name in _LITTLE for name in names)


def _few_examples(project: Project, dataset: ast.expr, function: str) -> Place | None:
    origins = Origins(project)
    todo, seen = [(dataset, function)], set[int]()
    places: list[Place] = []
    for expr, where in todo:
        for origin in origins.of(expr, where) if len(seen) < MAX_STEPS else [Origin(expr, where)]:
            if id(origin.expr) in seen:
                continue
            seen.add(id(origin.expr))
            receiver = _receiver(origin.expr)
            if _is_light(origin.expr):
                places.append(project.place(origin.function.partition("::")[0], origin.expr))
            elif receiver is None or len(seen) >= MAX_STEPS:
                return None
            else:
                todo.append((receiver, origin.function))
    return min(places, default=None)


def _receiver(expr: ast.expr) -> ast.expr | None:
    """What the dataset is made from: of a subscript, and of methods that keep the kind of a dataset."""
    if isinstance(expr, ast.Subscript):
        return expr.value
    if isinstance(expr, ast.Call) and isinstance(expr.func, ast.Attribute) and expr.func.attr in _KEEPS:
        return expr.func.value
    return None


def _is_light(expr: ast.expr) -> bool:
    if not isinstance(expr, ast.Call):
        return False
    name = expr.func.attr if isinstance(expr.func, ast.Attribute) else getattr(expr.func, "id", "")
    written = name in _WRITTEN_OUT and expr.args and isinstance(expr.args[0], (ast.Dict, ast.List))
    return bool(written) or _streams(expr) or _is_slice(expr) or (name == "select" and _few(expr))


def _streams(call: ast.Call) -> bool:
    return any(k.arg == "streaming" and getattr(k.value, "value", None) is True for k in call.keywords)


def _is_slice(call: ast.Call) -> bool:
    """`split="train[:100]"` of load_dataset."""
    texts = [k.value.value for k in call.keywords if k.arg == "split" and isinstance(k.value, ast.Constant)]
    ends = [str(text).partition("[")[2].rstrip("]").rpartition(":")[2] for text in texts]
    return any(end.isdigit() and int(end) <= FEW for end in ends)


def _few(call: ast.Call) -> bool:
    """`select(range(100))`."""
    given = call.args[0] if call.args else None
    if not isinstance(given, ast.Call) or getattr(given.func, "id", "") != "range" or len(given.args) != 1:
        return False
    end = given.args[0]
    return isinstance(end, ast.Constant) and isinstance(end.value, int) and end.value <= FEW
