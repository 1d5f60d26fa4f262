"""What a test says of a name or of the object in it, by constants: `x.kind == "video"`, `x is not None`.

A Guard is plain data: (name, attribute, operator, constant, does it hold, default); the attribute is "" where
the name itself is asked. Operators: "==", "in", "true", "has", "isa" (names of builtin classes), "contains"
(a string), "member" (of a table: "TABLE", "cls.TABLE", "cls.table()"); `default` is () where a missing
attribute raises, else (constant,) of `getattr`."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any, TypeGuard

Guard = tuple[str, str, str, Any, bool, tuple[Any, ...]]
Guards = tuple[Guard, ...]
NEVER: Guard = ("", "", "", None, False, ())  # what is behind it does not run

_PLAIN = (str, int, bool, type(None))
TESTS: dict[str, Callable[[Any, Any], bool]] = {
    "==": lambda value, constant: type(value) is type(constant) and value == constant,
    "in": lambda value, constants: value in constants,
    "true": lambda value, _: bool(value),
    "contains": lambda value, text: text in value,
}
"""Does a constant pass a test?"""
CLASSES = {c.__name__: c for c in (str, bytes, int, float, bool, list, tuple, dict, set)}


def guards(test: ast.expr) -> tuple[Guards, Guards]:
    """What holds where a test is true, and where it is false."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        true, false = guards(test.operand)
        return false, true
    if isinstance(test, ast.BoolOp):
        return _joined(test)
    if isinstance(test, ast.Constant):
        return ((), (NEVER,)) if test.value else ((NEVER,), ())
    found = _compared(test) if isinstance(test, ast.Compare) else _alone(test)
    if found is None:
        return (), ()
    name, attr, operator, constant, default, positive = found
    both = tuple((name, attr, operator, constant, holds, default) for holds in (positive, not positive))
    return (both[0],), (both[1],)


def _joined(test: ast.BoolOp) -> tuple[Guards, Guards]:
    sides = [guards(value) for value in test.values]
    if isinstance(test.op, ast.And):
        return tuple(g for true, _ in sides for g in true), ()
    return (), tuple(g for _, false in sides for g in false)


_ASKING = frozenset(("hasattr", "getattr", "isinstance"))
_Found = tuple[str, str, str, Any, tuple[Any, ...], bool]


def _compared(test: ast.Compare) -> _Found | None:
    if len(test.ops) == 1 and isinstance(test.ops[0], (ast.In, ast.NotIn)):
        found = _contained(test.left, test.comparators[0])
        if found is not None:
            return (*found, isinstance(test.ops[0], ast.In))
    attribute = _attribute(test.left)
    if attribute is None or len(test.ops) != 1:
        return None
    operator, right = test.ops[0], test.comparators[0]
    if isinstance(operator, (ast.Eq, ast.NotEq, ast.Is, ast.IsNot)) and _is_plain(right):
        return (*attribute[:2], "==", right.value, attribute[2], isinstance(operator, (ast.Eq, ast.Is)))
    if isinstance(operator, (ast.In, ast.NotIn)) and isinstance(right, (ast.List, ast.Tuple, ast.Set)):
        if all(_is_plain(e) for e in right.elts):
            among = tuple(e.value for e in right.elts if isinstance(e, ast.Constant))
            return (*attribute[:2], "in", among, attribute[2], isinstance(operator, ast.In))
    return None


def _alone(test: ast.expr) -> _Found | None:
    if isinstance(test, ast.Call) and not (isinstance(test.func, ast.Name) and test.func.id in _ASKING):
        return None
    if isinstance(test, ast.Call) and _is_called(test, "isinstance") and len(test.args) == 2:
        return _of_class(*test.args)
    if isinstance(test, ast.Call) and _is_called(test, "hasattr") and len(test.args) == 2:
        owner, name = test.args
        if isinstance(owner, ast.Name) and isinstance(name, ast.Constant) and isinstance(name.value, str):
            return owner.id, name.value, "has", None, (), True
        return None
    attribute = _attribute(test)
    return (*attribute[:2], "true", None, attribute[2], True) if attribute else None


def _contained(left: ast.expr, right: ast.expr) -> tuple[str, str, str, Any, tuple[Any, ...]] | None:
    """`name in TABLE`, and `"text" in name`."""
    if isinstance(left, ast.Name) and (table := _table(right)):
        return left.id, "", "member", table, ()
    if isinstance(left, ast.Constant) and isinstance(left.value, str) and isinstance(right, ast.Name):
        return right.id, "", "contains", left.value, ()
    return None


def _table(expr: ast.expr) -> str:
    """`TABLE`, `cls.TABLE` and `cls.table()` as text, "" for anything else."""
    if isinstance(expr, ast.Call):
        inside = "" if expr.args or expr.keywords else _table(expr.func)
        return f"{inside}()" if "." in inside else ""
    if isinstance(expr, ast.Attribute) and isinstance(expr.value, ast.Name):
        return f"{expr.value.id}.{expr.attr}"
    return expr.id if isinstance(expr, ast.Name) else ""


def _of_class(owner: ast.expr, classes: ast.expr) -> _Found | None:
    """`isinstance(name, str)` and the like, of builtin classes."""
    listed = classes.elts if isinstance(classes, ast.Tuple) else [classes]
    names = tuple(c.id for c in listed if isinstance(c, ast.Name) and c.id in CLASSES)
    if not isinstance(owner, ast.Name) or len(names) != len(listed):
        return None
    return owner.id, "", "isa", names, (), True


def _attribute(expr: ast.expr) -> tuple[str, str, tuple[Any, ...]] | None:
    """(name, attribute, default) of `name`, `name.attribute` and `getattr(name, "attribute", default)`."""
    if isinstance(expr, ast.Name):
        return expr.id, "", ()
    if isinstance(expr, ast.Attribute) and isinstance(expr.value, ast.Name):
        return expr.value.id, expr.attr, ()
    if not (isinstance(expr, ast.Call) and _is_called(expr, "getattr") and 2 <= len(expr.args) <= 3):
        return None
    owner, name, *default = expr.args
    if not (isinstance(owner, ast.Name) and isinstance(name, ast.Constant) and isinstance(name.value, str)):
        return None
    if not all(map(_is_plain, default)):
        return None
    return owner.id, name.value, tuple(d.value for d in default if isinstance(d, ast.Constant))


def _is_called(call: ast.Call, name: str) -> bool:
    return isinstance(call.func, ast.Name) and call.func.id == name and not call.keywords


def _is_plain(expr: ast.expr) -> TypeGuard[ast.Constant]:
    return isinstance(expr, ast.Constant) and isinstance(expr.value, _PLAIN)
