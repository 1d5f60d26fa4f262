"""What a test on samples shows where it ends one way: that a key is there, that a list is not empty.

A fact is a text: `row['file']` (the key is there), `images` (it is not None), and either with SET behind it
(it is not empty, or None, as well)."""

from __future__ import annotations

import ast

from mmcodemod.facts.syntax import unparse, walk

Facts = set[str]
SET = ".is_set"
EACH = "each"
"""Stands for any sample of the batch: `each['image']`."""


def asked(test: ast.expr, outcome: bool) -> Facts:
    """What holds where a test ends so; nothing where that does not show."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return asked(test.operand, not outcome)
    if isinstance(test, ast.BoolOp):
        sure = isinstance(test.op, ast.And) is outcome
        return {fact for value in test.values for fact in asked(value, outcome)} if sure else set()
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        return _compared(test.left, test.ops[0], test.comparators[0], outcome)
    return _truth(test) if outcome else set()


def needed(test: ast.expr, outcome: bool) -> Facts:
    """What must hold for a test to end so: for `row.get("file")` the key is taken to be enough."""
    found = asked(test, outcome)
    gets = not any(isinstance(n, ast.Subscript) for n in walk(test))
    return {f for f in found if not (gets and f.endswith(f"]{SET}"))}


def _set(fact: str) -> Facts:
    return {fact, f"{fact}{SET}"}


def _compared(left: ast.expr, how: ast.cmpop, right: ast.expr, outcome: bool) -> Facts:
    if isinstance(how, (ast.In, ast.NotIn)) and isinstance(left, ast.Constant):
        return {f"{unparse(right)}[{left.value!r}]"} if isinstance(how, ast.In) is outcome else set()
    if isinstance(right, ast.Constant) and right.value is None and isinstance(how, (ast.Is, ast.IsNot)):
        named = {left.id} if isinstance(left, ast.Name) else _truth(left)
        return named if isinstance(how, ast.IsNot) is outcome else set()
    zero = isinstance(right, ast.Constant) and right.value in (0, "")
    if zero and isinstance(how, (ast.Gt, ast.NotEq, ast.Eq)):
        return _truth(left) if isinstance(how, ast.Eq) is not outcome else set()
    return set()


def _truth(value: ast.expr) -> Facts:
    """What holds of a value that is true."""
    match value:
        case ast.Call(func=ast.Name(id="len" | "bool"), args=[inner]):
            return _truth(inner)
        case ast.Call(func=ast.Attribute(value=holder, attr="get"), args=[ast.Constant(value=key), *_]):
            return _set(f"{unparse(holder)}[{key!r}]")
        case ast.Subscript(value=holder, slice=ast.Constant(value=key)):
            return _set(f"{unparse(holder)}[{key!r}]")
        case ast.Name(id=name):
            return _set(name)
    return set()


def asked_of_all(test: ast.expr, negated: bool = False) -> Facts:
    """What `all("image" in s for s in samples)` and `len(images) == len(samples)` show; `negated`: of a test
    that is not met."""
    if negated and isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return asked_of_all(test.operand)
    match test:
        case ast.Call(func=ast.Name(id="all"), args=[ast.GeneratorExp() as each]) if not negated:
            return _of_each(each, asked(each.elt, True))
        case ast.Call(func=ast.Name(id="any"), args=[ast.GeneratorExp() as each]) if negated:
            return _of_each(each, asked(each.elt, False))
        case ast.Compare(
            left=ast.Call(func=ast.Name(id="len"), args=[ast.Name(id=one)]),
            ops=[how],
            comparators=[ast.Call(func=ast.Name(id="len"), args=[ast.Name(id=other)])],
        ) if isinstance(how, ast.NotEq if negated else ast.Eq):
            return _set(one) | _set(other)
    return set()


def _of_each(turns: ast.GeneratorExp | ast.ListComp, found: Facts) -> Facts:
    """Facts on the name of a comprehension, as facts on each sample."""
    one = turns.generators[0]
    if len(turns.generators) > 1 or not isinstance(one.target, ast.Name):
        return set()
    name = f"{one.target.id}["
    return {f"{EACH}[{f[len(name) :]}" for f in found if f.startswith(name)}


def filtered_by(value: ast.expr) -> Facts:
    """What `[s["image"] for s in samples if "image" in s]` takes for granted of each sample."""
    if not isinstance(value, (ast.ListComp, ast.GeneratorExp)) or len(value.generators) > 1:
        return set()
    found = [_of_each(value, asked(test, True)) for test in value.generators[0].ifs]
    return {fact for facts in found for fact in facts} if found and all(found) else set()
