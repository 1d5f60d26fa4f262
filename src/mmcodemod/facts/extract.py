"""Bytes of a Python file -> the record of its facts: pure, so that records can be kept by the content's hash
and made by other processes. It consists of what `packing` takes: plain values, bytes and tuples."""

from __future__ import annotations

import ast
from typing import Any

from mmcodemod.facts.lowering import Lowering
from mmcodemod.facts.outline import DefinedClass, DefinedFunction, Outline, outline
from mmcodemod.facts.packing import pack
from mmcodemod.facts.reader import BodyReader
from mmcodemod.facts.syntax import ParseError, parse
from mmcodemod.facts.terms import Record


def outlined(data: bytes) -> Outline:
    """What a file defines, with the nodes of its tree.

    Raises:
        ParseError: when `ast` cannot read it.
    """
    lines = data.splitlines() if b"lambda" in data else []
    return outline(parse(data), [n for n, line in enumerate(lines, 1) if b"lambda" in line])


def extract(data: bytes, found: Outline | None = None) -> Record:
    """The record of one file. `found` is its outline, when somebody has made it already.

    Raises:
        ParseError: when `ast` cannot read it, or it is nested too deeply.
    """
    try:
        return _record(found or outlined(data), data.count(b"\n"))
    except (RecursionError, ValueError) as error:  # ValueError: too deep to be packed
        raise ParseError(f"{type(error).__name__}: {error}") from None


def _record(found: Outline, lines: int) -> Record:
    classes: dict[str, list[DefinedClass]] = {}
    for cls in found.classes.values():
        classes.setdefault(cls.scope, []).append(cls)
    scopes = [_scope(f, found, classes.get(f.qualname, [])) for f in found.functions.values()]
    decorated = frozenset(d for _, _, keys in scopes for d in keys)
    functions = [
        (*_function(f, found, (False, f.qualname) in decorated), own, silent)
        for f, (own, silent, _) in zip(found.functions.values(), scopes)
    ]
    return (
        lines,
        tuple(functions),
        tuple([_class(c, found, (True, c.qualname) in decorated) for c in found.classes.values()]),
        _plain(found.imports),
        _plain(found.stars),
        found.exported,
        tuple(sorted(found.loose)),
        tuple([(name, tuple(writers)) for name, writers in found.writers.items()]),
    )


def _plain(rows: Any) -> Record:
    """Named tuples as tuples: others are not packed."""
    return tuple([tuple(row) for row in rows])


def _function(function: DefinedFunction, found: Outline, decorated: bool) -> Record:
    node = function.node
    fixed = function.qualname, function.owner, function.parent, _plain(function.imports), decorated
    if isinstance(node, ast.Module):
        return (*fixed, 1, 0, (), (), None)
    returns = None if node.returns is None else (Lowering(found.lambdas).annotation(node.returns),)
    names = _decorator_names(node)
    return (*fixed, node.lineno, node.end_lineno, names, _parameters(node.args, found), returns)


def _decorator_names(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> tuple[str, ...]:
    """The names of decorators, without their modules."""
    targets = (d.func if isinstance(d, ast.Call) else d for d in node.decorator_list)
    names = (t.attr if isinstance(t, ast.Attribute) else getattr(t, "id", "") for t in targets)
    return tuple(dict.fromkeys(n for n in names if n))


def _scope(
    function: DefinedFunction, found: Outline, classes: list[DefinedClass]
) -> tuple[bytes, bytes, list[tuple[bool, str]]]:
    """What the code of a scope does: apart from the rest, because few functions of a tree are looked into.
    And which definitions in it have decorators of interest."""
    reader = BodyReader(found)
    body = reader.read(function.node)
    values = _Values(reader, found)
    bindings = found.bindings if function.parent is None else {}
    attributes = tuple([(c.qualname, values.of(c.attributes)) for c in classes if c.attributes])
    decorations = tuple(reader.decorations.items())
    own = (body, values.of(bindings), attributes, decorations)
    return pack(own), pack(reader.silent), list(reader.decorations)


class _Values:
    """Assigned expressions by name: the records of the body, so that each is worked out once."""

    def __init__(self, reader: BodyReader, found: Outline) -> None:
        self._assigned, self._found = reader.assigned, found

    def of(self, named: dict[str, list[ast.expr]]) -> Record:
        return tuple([(name, tuple([self._one(e) for e in exprs])) for name, exprs in named.items()])

    def _one(self, node: ast.expr) -> Record | None:
        if id(node) in self._assigned:
            found: Record | None = self._assigned[id(node)]
            return found
        return Lowering(self._found.lambdas).expr(node)


def _class(cls: DefinedClass, found: Outline, decorated: bool) -> Record:
    alone = Lowering(found.lambdas)
    return (
        cls.qualname,
        cls.node.lineno,
        cls.scope,
        tuple(cls.methods.items()),
        tuple(cls.setters.items()),
        tuple([alone.expr(b) for b in cls.node.bases]),
        tuple([(name, alone.annotation(a)) for name, a in cls.annotations.items()]),
        _decorator_names(cls.node),
        decorated,
    )


def _parameters(args: ast.arguments, found: Outline) -> Record:
    """The fields of a `Parameters`."""
    alone = Lowering(found.lambdas)
    positional = [*args.posonlyargs, *args.args]
    defaults = [*zip(reversed(positional), reversed(args.defaults)), *zip(args.kwonlyargs, args.kw_defaults)]
    annotated = [a for a in (*positional, *args.kwonlyargs) if a.annotation]
    return (
        tuple([a.arg for a in args.posonlyargs]),
        tuple([a.arg for a in args.args]),
        args.vararg.arg if args.vararg else "",
        tuple([a.arg for a in args.kwonlyargs]),
        args.kwarg.arg if args.kwarg else "",
        tuple([(a.arg, alone.expr(default)) for a, default in defaults if default is not None]),
        tuple([(a.arg, alone.annotation(a.annotation)) for a in annotated]),
    )
