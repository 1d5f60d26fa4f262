"""Expressions as the project model follows them: small objects with the names that `ast` uses. What is not
followed (arithmetic, comparisons) is OPAQUE. Lines count from 1, columns from 0 in UTF-8 bytes, as in `ast`.

A record holds them as tuples `(kind, ...)`, which cost little to keep; `Terms` makes objects of those that
somebody asks for. One tuple makes one object: what is known of an expression is kept by its identity."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import ast

    from mmcodemod.facts.python import FunctionFacts

Record = tuple[Any, ...]

NAME, CONSTANT, ATTRIBUTE, CALL, SUBSCRIPT, SLICE, STARRED, SAME, EITHER = range(9)
LIST, TUPLE, SET, COMPREHENSION, DICT_COMPREHENSION, DICT, LAMBDA, DEFINITION, DECORATION = range(9, 18)
SUM = 18


class Term:
    """An expression at its place."""

    __slots__ = ("col_offset", "lineno")
    lineno: int
    col_offset: int


class Name(Term):
    __slots__ = ("id",)

    def __init__(self, id: str, lineno: int = 0, col_offset: int = 0) -> None:
        self.id, self.lineno, self.col_offset = id, lineno, col_offset


class Constant(Term):
    __slots__ = ("value",)

    def __init__(self, value: Any, lineno: int = 0, col_offset: int = 0) -> None:
        self.value, self.lineno, self.col_offset = value, lineno, col_offset


class Attribute(Term):
    """`value.attr`; `stored` where it is assigned or deleted."""

    __slots__ = ("attr", "stored", "value")

    def __init__(self, value: Term, attr: str, stored: bool, lineno: int, col_offset: int) -> None:
        self.value, self.attr, self.stored = value, attr, stored
        self.lineno, self.col_offset = lineno, col_offset


class Keyword:
    """`arg=value`, or `**value` where `arg` is None."""

    __slots__ = ("arg", "value")

    def __init__(self, arg: str | None, value: Term) -> None:
        self.arg, self.value = arg, value


class Call(Term):
    """`func(*args, **keywords)`. `owner` is the function whose text it stands in; None for calls that are
    written nowhere."""

    __slots__ = ("args", "end_col_offset", "end_lineno", "func", "keywords", "node", "owner")

    def __init__(
        self, func: Term, args: tuple[Term, ...], keywords: tuple[Keyword, ...], *place: int
    ) -> None:
        self.func, self.args, self.keywords = func, args, keywords
        self.lineno, self.col_offset, self.end_lineno, self.end_col_offset = place
        self.owner: FunctionFacts | None = None
        self.node: ast.Call | None = None  # of the syntax tree, once somebody asked (`nodes.node_of`)

    @property
    def span(self) -> tuple[int, int, int, int]:
        return self.lineno, self.col_offset, self.end_lineno, self.end_col_offset


class Decoration(Call):
    """`@decorator` applied: a call that is written nowhere. `applied` is the definition's qualified name."""

    __slots__ = ("applied",)

    def __init__(self, func: Term, inner: Term, applied: str, *place: int) -> None:
        super().__init__(func, (inner,), (), *place)
        self.applied = applied


class Definition(Term):
    """What a `def` or `class` makes, before its decorators are applied."""

    __slots__ = ("is_class", "qualname")

    def __init__(self, qualname: str, is_class: bool) -> None:
        self.qualname, self.is_class = qualname, is_class
        self.lineno = self.col_offset = 0


class Subscript(Term):
    __slots__ = ("slice", "value")

    def __init__(self, value: Term, slice: Term, lineno: int, col_offset: int) -> None:
        self.value, self.slice, self.lineno, self.col_offset = value, slice, lineno, col_offset


class Slice(Term):
    __slots__ = ("lower", "step", "upper")

    def __init__(self, lower: Term | None, upper: Term | None, step: Term | None) -> None:
        self.lower, self.upper, self.step = lower, upper, step
        self.lineno = self.col_offset = 0


class _Around(Term):
    """Something made of one other expression."""

    __slots__ = ("value",)

    def __init__(self, value: Term, lineno: int, col_offset: int) -> None:
        self.value, self.lineno, self.col_offset = value, lineno, col_offset


class Starred(_Around):
    """`*value`."""

    __slots__ = ()


class Same(_Around):
    """`await value`, `name := value`."""

    __slots__ = ()


class Comprehension(_Around):
    """A list, set or generator whose elements are `value`."""

    __slots__ = ()


class Either(Term):
    """`a if test else b`, `a or b`, `a and b`; in annotations `A | B`."""

    __slots__ = ("values",)

    def __init__(self, values: tuple[Term, ...], lineno: int, col_offset: int) -> None:
        self.values, self.lineno, self.col_offset = values, lineno, col_offset


class _Elements(Term):
    __slots__ = ("elts",)

    def __init__(self, elts: tuple[Term, ...], lineno: int, col_offset: int) -> None:
        self.elts, self.lineno, self.col_offset = elts, lineno, col_offset


class List(_Elements):
    __slots__ = ()


class Tuple(_Elements):
    __slots__ = ()


class Set(_Elements):
    __slots__ = ()


class Sum(_Elements):
    """`a + b + c`: followed for lists and tuples."""

    __slots__ = ()


class DictComprehension(_Around):
    """A dict whose values are `value`."""

    __slots__ = ()


class Dict(Term):
    """`{key: value}`; the key of `**value` is None."""

    __slots__ = ("keys", "values")

    def __init__(
        self, keys: tuple[Term | None, ...], values: tuple[Term, ...], lineno: int, col_offset: int
    ) -> None:
        self.keys, self.values, self.lineno, self.col_offset = keys, values, lineno, col_offset


class Lambda(Term):
    """`qualname` is the function that the lambda is."""

    __slots__ = ("qualname",)

    def __init__(self, qualname: str, lineno: int, col_offset: int) -> None:
        self.qualname, self.lineno, self.col_offset = qualname, lineno, col_offset


class Opaque(Term):
    __slots__ = ()

    def __init__(self) -> None:
        self.lineno = self.col_offset = 0


OPAQUE = Opaque()


class Terms:
    """Makes the objects of one scope's records, each tuple once."""

    def __init__(self, owner: FunctionFacts | None = None) -> None:
        self._owner = owner
        self._made: dict[int, tuple[Record, Term]] = {}  # the tuple is kept, so that no id is used again
        self._line = dict[int, int]().setdefault  # one number serves all that stands in a line

    def of(self, record: Record | None) -> Term:
        """The object of a record."""
        if record is None:
            return OPAQUE
        known = self._made.get(id(record))
        if known is not None:
            return known[1]
        made = _MAKERS[record[0]](self, record)
        self._made[id(record)] = (record, made)
        return made

    def all(self, records: Record) -> tuple[Any, ...]:
        """The objects of several records."""
        return tuple([self.of(r) for r in records])

    def maybe(self, record: Record | None) -> Term | None:
        """The object of what may be left out."""
        return None if record is None else self.of(record)

    def call(self, record: Record) -> Call:
        _, func, args, keywords, line, column, last, end = record
        named = tuple([Keyword(name, self.of(value)) for name, value in keywords])
        place = self._line(line, line), column, self._line(last, last), end
        made = Call(self.of(func), self.all(args), named, *place)
        made.owner = self._owner
        return made


_MAKERS: dict[int, Callable[[Terms, Record], Term]] = {
    NAME: lambda t, r: Name(r[1], t._line(r[2], r[2]), r[3]),
    CONSTANT: lambda t, r: Constant(r[1], t._line(r[2], r[2]), r[3]),
    ATTRIBUTE: lambda t, r: Attribute(t.of(r[1]), r[2], r[3], t._line(r[4], r[4]), r[5]),
    CALL: Terms.call,
    SUBSCRIPT: lambda t, r: Subscript(t.of(r[1]), t.of(r[2]), r[3], r[4]),
    SLICE: lambda t, r: Slice(t.maybe(r[1]), t.maybe(r[2]), t.maybe(r[3])),
    STARRED: lambda t, r: Starred(t.of(r[1]), r[2], r[3]),
    SAME: lambda t, r: Same(t.of(r[1]), r[2], r[3]),
    EITHER: lambda t, r: Either(t.all(r[1]), r[2], r[3]),
    LIST: lambda t, r: List(t.all(r[1]), r[2], r[3]),
    TUPLE: lambda t, r: Tuple(t.all(r[1]), r[2], r[3]),
    SET: lambda t, r: Set(t.all(r[1]), r[2], r[3]),
    SUM: lambda t, r: Sum(t.all(r[1]), r[2], r[3]),
    COMPREHENSION: lambda t, r: Comprehension(t.of(r[1]), r[2], r[3]),
    DICT_COMPREHENSION: lambda t, r: DictComprehension(t.of(r[1]), r[2], r[3]),
    DICT: lambda t, r: Dict(tuple([t.maybe(k) for k in r[1]]), t.all(r[2]), r[3], r[4]),
    LAMBDA: lambda _, r: Lambda(r[1], r[2], r[3]),
    DEFINITION: lambda _, r: Definition(r[1], r[2]),
    DECORATION: lambda t, r: Decoration(t.of(r[1]), t.of(r[2]), r[3], *r[4:]),
}


def plain_name(term: Term) -> str:
    """The last part of a dotted name: "b" of `a.b`; "" for what is no name."""
    if isinstance(term, Attribute):
        return term.attr
    return term.id if isinstance(term, Name) else ""


def is_name(term: Term, *names: str) -> bool:
    """Is it one of these names, by itself?"""
    return isinstance(term, Name) and term.id in names


def last_name(term: Term) -> str:
    """The last part of what is named or called: `no_grad` of `torch.no_grad()`."""
    named = term.func if isinstance(term, Call) else term
    if isinstance(named, Attribute):
        return named.attr
    return named.id if isinstance(named, Name) else ""


def method_call(base: Term, name: str, *args: Term) -> Call:
    """`base.name(*args)`, placed where `base` stands."""
    func = Attribute(base, name, False, base.lineno, base.col_offset)
    return Call(func, args, (), base.lineno, base.col_offset, base.lineno, base.col_offset)
