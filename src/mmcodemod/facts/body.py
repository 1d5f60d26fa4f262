"""Full facts of one function: its calls, assignments, stores and returns, nested functions left out."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import field
from enum import Enum
from typing import Any, Generic, TypeVar

from mmcodemod.facts.syntax import MOST, SCOPES, children, is_main_guard
from mmcodemod.facts.tests import Guards
from mmcodemod.model.frozen import frozen, mutable

E = TypeVar("E")  # an expression: a Term, or for those who look at the syntax an `ast` node
C = TypeVar("C")  # a call


class Via(Enum):
    """How a name gets its value from an expression."""

    VALUE = 0  # name = expr
    ELEMENT = 1  # for name in expr
    ENTER = 2  # with expr as name
    INTO = 3  # name.append(expr)
    CAUGHT = 4  # except expr as name
    ADDED = 5  # name += expr
    MATCHED = 6  # match expr: case name


@frozen(slots=True)
class Source(Generic[E]):
    """One way in which a local name gets a value; `index` is the position in an unpacked tuple, `inner` the
    positions inside that one. `starred` takes all positions from `index` on."""

    expr: E
    via: Via = Via.VALUE
    index: int = -1
    inner: tuple[int, ...] = ()
    starred: bool = False


@frozen(slots=True)
class Store(Generic[E]):
    """`base.attr = value`; `certain` where module code does it whenever it runs."""

    base: E
    attr: str
    value: Source[E]
    certain: bool = False


@frozen(slots=True)
class Put(Generic[E]):
    """`base[key] = value`, or a call that fills `base`; `key` None for a place that is not known."""

    base: E
    key: E | None
    value: Source[E]


@mutable(eq=False, slots=True)
class Body(Generic[E, C]):
    """What one function's own code does. `calls` are in source order."""

    calls: tuple[C, ...]
    names: dict[str, tuple[Source[E], ...]]
    stores: tuple[Store[E], ...]
    puts: tuple[Put[E], ...]
    returns: tuple[E, ...]
    yields: tuple[Source[E], ...]  # `yield from` gives elements
    globals: frozenset[str] = field(default_factory=frozenset)
    counted: frozenset[str] = field(default_factory=frozenset)  # names that `name += 1` counts
    tests: bool = False  # is there an `if`, as a statement or in an expression
    loops: bool = False  # is there a loop, as a statement or in an expression
    behind: dict[int, Guards] = field(default_factory=dict)
    """What tests say where a call, or what is returned, stands: by its id."""

    @classmethod
    def of(cls, record: tuple[Any, ...], made: Callable[[Any], Any]) -> Body[E, C]:
        """The body that `BodyReader.read` recorded; `made` gives the expression for its record."""
        calls, names, stores, puts, returns, yields, outer, counted, tests, loops, behind = record

        def source(items: tuple[Any, ...]) -> Source[E]:
            return Source(made(items[0]), _VIAS[items[1]], *items[2:])

        return cls(
            tuple([made(c) for c in calls]),
            {name: tuple([source(s) for s in sources]) for name, sources in names},
            tuple([Store(made(base), attr, source(s), certain) for base, attr, s, certain in stores]),
            tuple([Put(made(base), made(key) if keyed else None, source(s)) for base, keyed, key, s in puts]),
            tuple([made(r) for r in returns]),
            tuple([source(y) for y in yields]),
            names_of(outer),
            names_of(counted),
            tests,
            loops,
            {id(made(call)): guards for call, guards in behind},
        )


_VIAS = tuple(Via)
_NONE: frozenset[str] = frozenset()


def names_of(record: tuple[str, ...]) -> frozenset[str]:
    """The set of some names; one serves all that are empty, which are most."""
    return frozenset(record) if record else _NONE


def own_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """All nodes of a function's body, or of a statement or expression with itself, that run in its own
    scope, in no particular order, contexts (`ast.Load`) left out. Nested functions, lambdas and classes are
    yielded but not entered (their decorators, defaults and bases are). Those of a function are kept with it:
    many rules ask for them."""
    if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return _own(node)
    if _KEPT not in node.__dict__:
        node.__dict__[_KEPT] = tuple(_own(node))
    return iter(node.__dict__[_KEPT])


_KEPT = "own nodes"


def forget_nodes(node: ast.AST) -> None:
    """To be called where a function gets another body."""
    node.__dict__.pop(_KEPT, None)


def _own(node: ast.AST) -> Iterator[ast.AST]:
    stack = list(getattr(node, "body", [])) if isinstance(node, (*SCOPES, ast.Module)) else [node]
    stack = [n for n in stack if not is_main_guard(n)] if isinstance(node, ast.Module) else stack
    while stack:
        current = stack.pop()
        yield current
        kind = current.__class__
        if kind is _NAME or kind is _CONSTANT:  # half of them
            continue
        of = MOST.get(kind)
        if of is not None:
            stack += of(current)
        elif kind in SCOPES:
            stack.extend(_outside(current))  # type: ignore[arg-type]
        elif kind is ast.Lambda:
            stack.extend(_defaults(current.args))  # type: ignore[union-attr]
        else:
            stack += children(current)


_NAME, _CONSTANT = ast.Name, ast.Constant


def _outside(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> Iterator[ast.AST]:
    yield from node.decorator_list
    if isinstance(node, ast.ClassDef):
        yield from node.bases
        yield from node.body  # class bodies run in the enclosing scope
    else:
        yield from _defaults(node.args)


def _defaults(args: ast.arguments) -> Iterator[ast.expr]:
    yield from args.defaults
    yield from (d for d in args.kw_defaults if d is not None)


def source_order(node: ast.expr) -> tuple[int, int, int, int]:
    """The key that sorts nodes as LibCST's pre-order does."""
    return (node.lineno, node.col_offset, -(node.end_lineno or 0), -(node.end_col_offset or 0))
